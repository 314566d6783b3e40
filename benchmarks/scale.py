"""One user among many: what recall and remember cost when a million memories of others are there as well.

    python benchmarks/scale.py [--memories N] [--users N] [--postgres-memories N] [--only sqlite] [--quick] [--json]

Two databases of a kind hold the same few users; into one of them a crowd moves in. Both are then asked the same, in
turn. One user's answers, ids and scores, must be the same in both, before the crowd came and after it, and the logs of
some of the crowd must verify: else the exit code is 1. `README.md` beside this file says more.
"""

from __future__ import annotations

import argparse
import json
import logging
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from statistics import quantiles
from typing import Any, Final, TypeAlias

import psutil
from _common import WIDTH, machine, pin_threads
from _kit import Workshop, postgres_bytes, sqlite_bytes
from _population import NOW, User, WordDirections, crowd, fill, question, statement
from rich.console import Console, Group
from rich.progress import Progress
from rich.table import Table

from langchain_agentmem import AgentMemory, Scope

SQLITE, POSTGRES = "SQLite", "PostgreSQL"
ALICE: Final = "alice"  # her answers are compared, and nothing else is asked of her
BOB: Final = "bob"  # recalls are timed
CAROL: Final = "carol"  # gets new memories
LIGHT: Final = 50
ASKED_OF_ALICE: Final = 25
SOME: Final = 20  # of the crowd: asked once each, verified, and loaded for the sake of their bytes
USERS_AT_ONCE: Final = 100  # filled by one call of a worker
HITS: Final = 5
NOBODY: Final = Scope("nobody")  # asked first: opening a connection is no part of a recall

Answer: TypeAlias = list[tuple[str, float]]
Both: TypeAlias = tuple[AgentMemory, AgentMemory]
Call: TypeAlias = Callable[[AgentMemory, int], object]
Track: TypeAlias = Callable[[list["Future[int]"]], Iterable["Future[int]"]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How many memories there are, and how often each call is timed: cold ones less often."""

    memories: int
    users: int
    heavy: int
    samples: int
    workers: int = 1

    @property
    def few(self) -> list[User]:
        """Return who is in both databases; the heavy user has the most memories of all."""
        return [User(ALICE, LIGHT), User(BOB, LIGHT), User(CAROL, LIGHT), User(self.heavy_user, self.heavy)]

    @property
    def crowd(self) -> list[User]:
        """Return who is in one of them only."""
        here = self.few
        return list(crowd(self.users - len(here), self.memories - sum(user.size for user in here)))

    @property
    def heavy_user(self) -> str:
        """Return the name of the user who has most."""
        return "heavy"


@dataclass(slots=True)
class Samples:
    """Seconds of one call in the database of few and in that of many: on the clock, and of this process' core."""

    few: list[float] = field(default_factory=list)
    many: list[float] = field(default_factory=list)
    few_cpu: list[float] = field(default_factory=list)
    many_cpu: list[float] = field(default_factory=list)

    def as_json(self) -> dict[str, float]:
        """Return milliseconds, and by how much they grow."""
        found: dict[str, float] = {}
        for name in ("few", "many", "few_cpu", "many_cpu"):
            values = getattr(self, name)
            if len(values) > 1:
                cuts = quantiles(values, n=20, method="inclusive")
                found |= {f"{name}_p50_ms": round(cuts[9] * 1e3, 3), f"{name}_p95_ms": round(cuts[18] * 1e3, 3)}
        for part in ("", "_cpu"):
            for cut in ("p50", "p95"):
                few, many = found.get(f"few{part}_{cut}_ms"), found.get(f"many{part}_{cut}_ms")
                if few and many:
                    found[f"growth{part}_{cut}"] = round(many / few, 2)
        return found


@dataclass(slots=True, kw_only=True)
class Report:
    """What was found on one backend."""

    few: int
    many: int
    users: int
    calls: dict[str, Samples] = field(default_factory=dict)
    is_same: dict[str, bool] = field(default_factory=dict)
    verified: int = 0
    damaged: list[str] = field(default_factory=list)
    rss_mb: dict[str, float] = field(default_factory=dict)
    bytes_per_memory: dict[str, float] = field(default_factory=dict)
    filled_in_s: float = 0.0

    @property
    def is_good(self) -> bool:
        """Whether all that has to be so is so."""
        return all(self.is_same.values()) and not self.damaged

    def as_json(self) -> dict[str, Any]:
        """Return the figures as JSON-like values."""
        return {
            "memories": {"few": self.few, "many": self.many},
            "users": self.users,
            "calls": {name: samples.as_json() for name, samples in self.calls.items()},
            "alice_answers_are_the_same": self.is_same,
            "logs_verified": self.verified,
            "logs_damaged": self.damaged,
            "rss_mb": self.rss_mb,
            "bytes_per_memory": self.bytes_per_memory,
            "filled_in_s": round(self.filled_in_s, 1),
            "is_good": self.is_good,
        }


@dataclass(frozen=True, slots=True)
class Place:
    """A database, and how to ask for its bytes."""

    url: str
    size: Callable[[], int]


# ------------------------------------------------------------------------------------------------------------ measure
def measure(backend: str, plan: Plan, kit: Workshop, progress: Progress) -> Report:
    """Fill both databases of a backend and ask them."""
    few, many = (_place(backend, name, kit) for name in ("few", "many"))
    report = Report(few=sum(user.size for user in plan.few), many=plan.memories, users=plan.users)
    for place in (few, many):
        _fill(place, plan.few, plan, iter)
    empty = many.size()
    report.bytes_per_memory["few"] = round(few.size() / report.few, 1)
    with _opened(few) as alone, _opened(many) as among:
        report.is_same["before"] = _answers(alone) == _answers(among)
        began = time.perf_counter()
        newcomers = plan.crowd
        _fill(many, newcomers, plan, partial(progress.track, description=f"{backend}: filling"))
        report.filled_in_s = time.perf_counter() - began
        report.is_same["after"] = _answers(alone) == _answers(among)
    some = random.Random(1).sample([user.name for user in newcomers], min(SOME, len(newcomers)))  # noqa: S311
    report.bytes_per_memory["many"] = round((many.size() - empty) / (report.many - report.few), 1)
    report.calls = _timed((few, many), plan, some, progress)
    _verify(many, [ALICE, BOB, CAROL, plan.heavy_user, *some], report)
    for name, place, users in (("few", few, []), ("many", many, []), ("many, some of the crowd asked", many, some)):
        report.rss_mb[name] = round(_alone(_rss, place.url, [BOB, plan.heavy_user, *users]) / 2**20, 1)
    return report


def _place(backend: str, name: str, kit: Workshop) -> Place:
    if backend == POSTGRES:
        url = kit.new_database(f"scale-{name}")
        return Place(url, postgres_bytes(url))
    path = kit.folder / f"{name}.db"
    return Place(f"sqlite:///{path}", sqlite_bytes(path))


@contextmanager
def _opened(place: Place) -> Iterator[AgentMemory]:
    """Open a memory whose clock stands still, and ask it something: what comes then has a connection."""
    with _memory(place.url) as memory:
        memory.long_term.recall("is anybody there?", scope=NOBODY)
        yield memory


def _memory(url: str) -> AgentMemory:
    return AgentMemory.connect(sql=url, embeddings=WordDirections(), consent="assumed", clock=lambda: NOW)


def _fill(place: Place, users: Sequence[User], plan: Plan, track: Track) -> None:
    """Fill by processes of their own, so that this one stays as small as an application is."""
    _memory(place.url).open().close()
    parts = [list(users[start : start + USERS_AT_ONCE]) for start in range(0, len(users), USERS_AT_ONCE)]
    with ProcessPoolExecutor(plan.workers, mp_context=get_context("spawn")) as pool:
        for future in track([pool.submit(fill, place.url, part) for part in parts]):
            future.result()


def _answers(memory: AgentMemory) -> list[Answer]:
    """Return what alice's memory answers: ids and exact scores."""
    asked = [memory.long_term.recall(question(it), scope=Scope(ALICE), limit=HITS) for it in range(ASKED_OF_ALICE)]
    if not all(asked):
        sys.exit("a question to alice finds nothing: there is nothing to compare")
    return [[(hit.memory.id, hit.score) for hit in found] for found in asked]


def _timed(places: tuple[Place, Place], plan: Plan, some: Sequence[str], progress: Progress) -> dict[str, Samples]:
    """Time every call in both databases, in turn."""
    calls: dict[str, Samples] = {}
    heavy = {plan.heavy_user: plan.heavy}
    for user, size in ({BOB: LIGHT} | heavy).items():
        number = max(plan.samples // (2 if size == LIGHT else 5), 4)
        rounds = progress.track(range(number), description=f"cold recall of {size:,}")
        calls[f"recall of {size:,}, cold"] = _cold(places, user, rounds)
    with _opened(places[0]) as few, _opened(places[1]) as many:
        for user, size in ({BOB: LIGHT} | heavy).items():
            rounds = progress.track(range(-1, plan.samples), description=f"warm recall of {size:,}")
            calls[f"recall of {size:,}, warm"] = _asked((few, many), partial(_recall, user), rounds)
        for user, size in ({CAROL: LIGHT} | heavy).items():
            rounds = progress.track(range(-1, plan.samples // 2), description=f"remember beside {size:,}")
            calls[f"remember beside {size:,}"] = _asked((few, many), partial(_remember, user), rounds)
        calls["recall of someone in the crowd, cold"] = crowded = Samples()
        for name in some:
            _sample(partial(_recall, name, many, 0), crowded.many, crowded.many_cpu)
    return calls


def _cold(places: tuple[Place, Place], user: str, rounds: Iterable[int]) -> Samples:
    """Time the first recall of a user in a process that is open: nothing of the user is in memory yet."""
    samples = Samples()
    for number in rounds:
        with _opened(places[0]) as few, _opened(places[1]) as many:
            _in_turn((few, many), partial(_recall, user), number, samples)
    return samples


def _asked(both: Both, call: Call, rounds: Iterable[int]) -> Samples:
    """Time a call in both databases in turn; round -1 is not counted."""
    samples = Samples()
    for number in rounds:
        _in_turn(both, call, number, samples if number >= 0 else Samples())
    return samples


def _in_turn(both: Both, call: Call, number: int, samples: Samples) -> None:
    turns = [(both[0], samples.few, samples.few_cpu), (both[1], samples.many, samples.many_cpu)]
    for memory, walls, cores in turns if number % 2 else reversed(turns):
        _sample(partial(call, memory, number), walls, cores)


def _sample(call: Callable[[], object], walls: list[float], cores: list[float]) -> None:
    wall, core = time.perf_counter(), time.thread_time()
    call()
    walls.append(time.perf_counter() - wall)
    cores.append(time.thread_time() - core)


def _recall(user: str, memory: AgentMemory, number: int) -> None:
    memory.long_term.recall(question(number), scope=Scope(user), limit=HITS)


def _remember(user: str, memory: AgentMemory, number: int) -> None:
    memory.long_term.remember(statement(user, number), scope=Scope(user))


def _verify(place: Place, users: Sequence[str], report: Report) -> None:
    with _memory(place.url) as memory:
        for name in users:
            found = memory.long_term.verify(scope=Scope(name))
            report.verified += 1
            if not found.is_intact or not found.events:
                report.damaged.append(name)


def _rss(url: str, users: Sequence[str]) -> int:
    """Return the bytes of a process that has recalled for each of these users."""
    with _memory(url) as memory:
        for name in users:
            _recall(name, memory, 0)
        return psutil.Process().memory_info().rss


def _alone(call: Callable[..., int], *args: object) -> int:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(call, *args).result()


# -------------------------------------------------------------------------------------------------------------- print
def shown(reports: dict[str, Report]) -> Group:
    """Return the reports as tables."""
    parts: list[Any] = []
    for backend, report in reports.items():
        columns = (f"{report.few:,} memories", f"{report.many:,} of {report.users:,} users", "growth of p50, p95")
        title = f"{backend}: p50 · p95 in ms, of them on this core"
        table = Table("", *columns, title=title)
        for name, samples in report.calls.items():
            table.add_row(name, *_cells(samples.as_json()))
        parts += [table, *_notes(report)]
    return Group(*parts)


def _cells(found: dict[str, float]) -> list[str]:
    cells = []
    for name in ("few", "many"):
        cuts = [f"{found.get(f'{name}{part}_{cut}_ms', 0):,.2f}" for part in ("", "_cpu") for cut in ("p50", "p95")]
        is_there = f"{name}_p50_ms" in found
        cells.append(f"{cuts[0]} · {cuts[1]} ({cuts[2]} · {cuts[3]})" if is_there else "–")
    growth = [f"x{found[f'growth_{cut}']:.2f}" for cut in ("p50", "p95") if f"growth_{cut}" in found]
    return [*cells, " · ".join(growth) or "–"]


def _notes(report: Report) -> list[str]:
    same = ", ".join(f"{when}: {'the same' if is_same else 'NOT the same'}" for when, is_same in report.is_same.items())
    logs = f"{report.verified} logs verified" + (f", damaged: {', '.join(report.damaged)}" if report.damaged else "")
    rss = ", ".join(f"{name} {size:,.0f} MB" for name, size in report.rss_mb.items())
    sizes = ", ".join(f"{name} {size:,.0f}" for name, size in report.bytes_per_memory.items())
    filled = f"filled with {report.many - report.few:,} memories in {report.filled_in_s:,.0f} s"
    return [
        f"alice's ids and scores alone and among the others · {same}",
        f"{logs} · {filled}",
        f"process: {rss}",
        f"bytes on disk per memory: {sizes}",
        "",
    ]


def main() -> None:
    """Measure and print."""
    pin_threads()
    logging.disable(logging.ERROR)
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--memories", type=int, default=1_000_000, help="of all users together")
    parser.add_argument("--users", type=int, default=20_000)
    parser.add_argument("--postgres-memories", type=int, help="fewer, where filling PostgreSQL takes too long")
    parser.add_argument("--heavy", type=int, default=10_000, help="memories of the user who has most")
    parser.add_argument("--samples", type=int, default=100, help="of each call; cold ones fewer")
    parser.add_argument("--workers", type=int, default=1, help="processes that fill")
    parser.add_argument("--only", choices=[SQLITE.lower(), POSTGRES.lower()])
    parser.add_argument("--quick", action="store_true", help="20,000 memories of 400 users, the heavy one has 1,000")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")
    options = parser.parse_args()
    console = Console(width=WIDTH)
    with ExitStack() as stack:
        reports = _reports(options, Workshop(stack=stack))
    if options.json:
        found = {backend: report.as_json() for backend, report in reports.items()}
        console.print_json(json.dumps({"machine": machine(), "backends": found}))
    else:
        console.print(shown(reports))
    if not all(report.is_good for report in reports.values()):
        sys.exit(1)


def _reports(options: argparse.Namespace, kit: Workshop) -> dict[str, Report]:
    reports = {}
    sizes = {SQLITE: options.memories, POSTGRES: options.postgres_memories or options.memories}
    for backend, memories in sizes.items():
        if options.only in (None, backend.lower()):
            share = memories / options.memories
            plan = Plan(
                memories=memories,
                users=round(options.users * share),
                heavy=options.heavy,
                samples=options.samples,
                workers=options.workers,
            )
            if options.quick:
                plan = Plan(memories=20_000, users=400, heavy=1_000, samples=20, workers=options.workers)
            with Progress(console=Console(stderr=True), transient=True) as progress:
                reports[backend] = measure(backend, plan, kit, progress)
    return reports


if __name__ == "__main__":
    main()

"""Conversations handed over by many users, taken in by one worker process and by several: through the table of jobs.

    python benchmarks/workers.py [--users N] [--workers N …] [--only sqlite] [--quick] [--json]

Each number of workers has a database of its own, with the same conversations waiting. What is there afterwards must be
the same, turn for turn and memory for memory, and no log may be damaged: else the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import logging
import random
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from typing import Final

from _common import WIDTH, machine, pin_threads
from _kit import Workshop
from _population import SEED, WordDirections, statement
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from rich.console import Console
from rich.table import Table

from langchain_agentmem import AgentMemory, Scope

SQLITE, POSTGRES = "SQLite", "PostgreSQL"
TURNS: Final = 20  # of each user's conversation, with their replies: two jobs
SAID: Final = ("I prefer {} to coffee", "I live in {}", "I work as a {} engineer", "I use {} for deployments")
WORDS: Final = "amber azure coral crimson indigo ivory jade maroon olive pearl scarlet teal".split()
SAMPLE: Final = 10  # users whose memories are read one by one


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What some workers did: seconds on the clock, of all of their cores, and of handing over; what is there then."""

    workers: int
    turns: int
    seconds: float
    cpu_s: float
    queued_s: float
    episodes: int
    memories: int
    sample: tuple[tuple[str, ...], ...]
    is_intact: bool


def measure(backend: str, users: int, workers: int, kit: Workshop) -> Run:
    """Let so many workers empty a queue."""
    name = f"workers-{workers}"
    url = kit.new_database(name) if backend == POSTGRES else f"sqlite:///{kit.folder / name}.db"
    with _memory(url) as memory:
        began = time.perf_counter()
        for number in range(users):
            memory.background.ingest(conversation(number), scope=_scope(number))
        queued_s = time.perf_counter() - began
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        list(pool.map(_ready, range(workers)))
        began = time.perf_counter()
        cores = list(pool.map(_work, [url] * workers))
        seconds = time.perf_counter() - began
    with _memory(url) as memory:
        layers = memory.metrics.totals().layers
        some = random.Random(SEED).sample(range(users), min(SAMPLE, users))  # noqa: S311  (a choice, not a secret)
        return Run(
            workers=workers,
            turns=users * TURNS,
            seconds=seconds,
            cpu_s=sum(cores),
            queued_s=queued_s,
            episodes=layers["episodes"].rows,
            memories=layers["memories"].rows,
            sample=tuple(_remembered(memory, number) for number in some),
            is_intact=all(memory.long_term.verify(scope=_scope(number)).is_intact for number in some),
        )


def conversation(number: int) -> list[BaseMessage]:
    """Return what a user said, some of it worth remembering, and what was replied."""
    rng = random.Random(f"{SEED}/{number}")  # noqa: S311  (likewise)
    said = [statement(f"user-{number}", turn) for turn in range(TURNS - len(SAID))]
    said += [text.format(rng.choice(WORDS)) for text in SAID]
    rng.shuffle(said)
    return [message for text in said for message in (HumanMessage(text), AIMessage("Noted."))]


def _memory(url: str) -> AgentMemory:
    return AgentMemory.connect(sql=url, embeddings=WordDirections(), consent="assumed")


def _scope(number: int) -> Scope:
    return Scope(f"user-{number}", session_id="talk")


def _remembered(memory: AgentMemory, number: int) -> tuple[str, ...]:
    return tuple(sorted(it.content for it in memory.long_term.list(scope=_scope(number), limit=TURNS * 2)))


def _ready(_number: int) -> None:
    """Import everything, so that it is not measured; wait until each of the pool's processes has."""
    logging.disable(logging.ERROR)
    time.sleep(1)


def _work(url: str) -> float:
    """Do jobs until none waits; return seconds of this process' cores."""
    began = time.process_time()
    with _memory(url) as memory:
        while memory.jobs.counts().get("queued", 0):
            memory.jobs.run()
    return time.process_time() - began


def is_good(runs: list[Run]) -> bool:
    """Whether every turn is there once, and what is remembered does not depend on the number of workers."""
    first = runs[0]
    return all(
        it.is_intact and it.episodes == it.turns and (it.memories, it.sample) == (first.memories, first.sample)
        for it in runs
    )


def shown(backend: str, runs: list[Run]) -> Table:
    """Return the runs of a backend as a table."""
    columns = ("turns a second", "of one worker", "processor ms per turn", "handed over, turns a second", "the same")
    table = Table("workers", *columns, title=f"{backend}: {runs[0].turns:,} turns of {runs[0].turns // TURNS:,} users")
    for it in runs:
        times = f"x{runs[0].seconds / it.seconds:.2f}"
        rates = f"{it.turns / it.seconds:,.0f}", times, f"{it.cpu_s / it.turns * 1e3:.2f}"
        table.add_row(
            str(it.workers), *rates, f"{it.turns / it.queued_s:,.0f}", "yes" if is_good([runs[0], it]) else "NO"
        )
    return table


def main() -> None:
    """Measure and print."""
    pin_threads()
    logging.disable(logging.ERROR)
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--users", type=int, default=1_000)
    parser.add_argument(
        "--workers", type=int, nargs="+", default=[1, 2, 4], help="the first is what others are held to"
    )
    parser.add_argument("--only", choices=[SQLITE.lower(), POSTGRES.lower()])
    parser.add_argument("--quick", action="store_true", help="100 users, one worker and two")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")
    options = parser.parse_args()
    users, workers = (100, [1, 2]) if options.quick else (options.users, options.workers)
    backends = [it for it in (SQLITE, POSTGRES) if options.only in (None, it.lower())]
    with ExitStack() as stack:
        kit = Workshop(stack=stack)
        found = {backend: [measure(backend, users, it, kit) for it in workers] for backend in backends}
    console = Console(width=WIDTH)
    if options.json:
        runs = {backend: [asdict(it) | {"sample": None} for it in every] for backend, every in found.items()}
        console.print_json(json.dumps({"machine": machine(), "backends": runs}))
    else:
        for backend, every in found.items():
            console.print(shown(backend, every))
    if not all(map(is_good, found.values())):
        sys.exit(1)


if __name__ == "__main__":
    main()

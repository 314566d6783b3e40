"""Checkpointers, ours beside other packages: what a turn costs early and late, what is kept, and what is lost.

    python benchmarks/checkpoints.py [--quick] [--only PART ...] [--json FILE]

A real graph of one node runs hundreds of turns of two messages on every checkpointer, turn by turn in one process.
Then two processes write to one thread at once. `README.md` beside this file says what each row does.
"""

from __future__ import annotations

import argparse
import json
import logging
import random
import sqlite3
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

from _common import WIDTH, interleave, machine, one_core, pin_threads, ratio_text
from _floors import FLOORS
from _kit import UnavailableError, Workshop
from _processor import processor_seconds
from _savers import IN_MEMORY, KINDS, Graph, Kind, Saver, graph, prepare, prepared, thread, turn
from _two_writers import KINDS_HERE, Tally, contest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from rich.console import Console, Group
from rich.table import Table

FLOOR: Final = "floor: one raw SQLite row"
LONG: Final = "long"  # the thread of all turns
EARLY: Final = range(2, 9)  # turns
LATE: Final = 20  # turns
LIST: Final = 20  # checkpoints
WINDOW: Final = 10  # turns whose median stands for one point of the growth
EARLY_TURNS, LATE_TURNS, GET, LIST_20, DELETE = "turns 2–8", "last 20 turns", "get_tuple", "list(20)", "delete_thread"
EARLY_WORK: Final = "turns 2–8, processor"
TIMES: Final = (EARLY_TURNS, EARLY_WORK, LATE_TURNS, GET, LIST_20, DELETE)
AIMS: Final = {
    "aim at 500 turns: SQLite, at most": ("x1.5", "", "x1.2", "x1.2", "x2", "20 ms", "x3 (stretch x2)", "x2.2"),
    "aim at 500 turns: PostgreSQL / Redis": ("x2.5 / x2", "", "x1.2", "x1.2", "x2", "20 ms", "x3 (stretch x2)", "x2.2"),
}
EVERY: Final = {**FLOORS, **KINDS}
SERDE: Final = JsonPlusSerializer(allowed_msgpack_modules=None)

Case: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much is measured: turns of the long thread, short threads before it, samples of reads, seconds they take."""

    turns: int
    short_threads: int
    reads: int
    cap_s: float

    @property
    def marks(self) -> list[int]:
        """Return the turns after which bytes are counted: some for the growth, half of all, and all."""
        steps = (5, 10, 25, 50, 100, 250, 500, self.turns // 2, self.turns)
        return sorted({step for step in steps if step <= self.turns})


FULL: Final = Plan(turns=500, short_threads=10, reads=30, cap_s=6.0)
QUICK: Final = Plan(turns=60, short_threads=4, reads=12, cap_s=1.5)


@dataclass(slots=True)
class Report:
    """What was measured, and what was not and why.

    Attributes:
        seconds: By row and column.
        turns: Seconds of every turn of the long thread, by row.
        bytes: By row and number of turns.
        once: The bytes of the messages serialised once, by number of turns.
        lost: Messages of the long thread that its last state does not have, by row.
    """

    plan: Plan
    seconds: dict[Case, float] = field(default_factory=dict)
    turns: dict[str, list[float]] = field(default_factory=dict)
    bytes: dict[tuple[str, int], int] = field(default_factory=dict)
    once: dict[int, int] = field(default_factory=dict)
    lost: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    tallies: dict[str, Tally] = field(default_factory=dict)

    @property
    def rows(self) -> list[str]:
        """Return the rows of the table in order."""
        return [row for row in (FLOOR, *FLOORS, *KINDS) if row in self.turns or (row, EARLY_TURNS) in self.seconds]

    def cells(self, row: str) -> list[str]:
        """Return the figures of a row as text."""
        return [self._time(row, column) for column in TIMES] + [self._bytes(row), self._growth(row)]

    def base(self, row: str, column: str) -> float | None:
        """Return what a time is a multiple of, if anything."""
        case = {
            EARLY_TURNS: (IN_MEMORY, EARLY_TURNS),
            EARLY_WORK: (IN_MEMORY, EARLY_WORK),
            LATE_TURNS: (IN_MEMORY, LATE_TURNS),
            GET: (FLOOR, GET),
            LIST_20: (row, GET),
        }.get(column)
        return self.seconds.get(case) if case and case != (row, column) else None

    def _time(self, row: str, column: str) -> str:
        if (row, column) not in self.seconds:
            return "–"
        seconds, base = self.seconds[row, column], self.base(row, column)
        text = f"{seconds * 1e3:,.2f} ms"
        return f"{ratio_text(seconds, base)} · {text}" if base else text

    def _bytes(self, row: str) -> str:
        count = self.bytes.get((row, self.plan.turns))
        if count is None:
            return "–"
        return f"{ratio_text(count, self.once[self.plan.turns])} · {count / 1e6:,.2f} MB"

    def _growth(self, row: str) -> str:
        whole, half = self.bytes.get((row, self.plan.turns)), self.bytes.get((row, self.plan.turns // 2))
        return ratio_text(whole, half) if whole and half else "–"

    def as_json(self) -> dict[str, Any]:
        """Return the figures as JSON-like values."""
        once = self.once
        figures = [
            {"row": row, "column": column, "ms": round(s * 1e3, 3), "ratio": _ratio(s, self.base(row, column))}
            for (row, column), s in self.seconds.items()
        ]
        kept = [
            {"row": row, "messages": 2 * turns, "bytes": count, "of_once": _ratio(count, once[turns])}
            for (row, turns), count in self.bytes.items()
        ]
        series = [
            {
                "row": row,
                "messages": 2 * mark,
                "ms": round(statistics.median(taken[max(1, mark - WINDOW) : mark]) * 1e3, 3),
            }
            for row, taken in self.turns.items()
            for mark in self.plan.marks
        ]
        tallies = {row: tally.as_json() for row, tally in self.tallies.items()}
        rest = {"lost": self.lost, "left_out": self.left_out, "two_writers": tallies}
        return {
            "benchmark": "checkpoints",
            "machine": machine(),
            "figures": figures,
            "bytes": kept,
            "turns": series,
            **rest,
        }


def _ratio(value: float, other: float | None) -> float | None:
    return round(value / other, 3) if other else None


# ------------------------------------------------------------------------------------------------------------ measure
def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


@dataclass(slots=True)
class Opened:
    """A checkpointer that takes part, with the bytes that it kept before the long thread began."""

    kind: Kind
    url: str
    saver: Saver
    graph: Graph
    before: int = 0

    def size(self) -> int:
        """Return the bytes that it keeps now."""
        return self.kind.size(self.url, self.saver)


@dataclass(slots=True)
class Run:
    """One run of the benchmark: what takes part, and the report that it fills."""

    plan: Plan
    bench: Workshop
    report: Report
    opened: dict[str, Opened] = field(default_factory=dict)
    rng: random.Random = field(default_factory=lambda: random.Random(1))  # noqa: S311  (an order, not a secret)

    @contextmanager
    def guarded(self, row: str) -> Iterator[None]:
        """Turn what fails into a reason in the report; the row takes no further part."""
        try:
            yield
        except UnavailableError as error:
            self._leave_out(row, str(error))
        except Exception as error:  # noqa: BLE001  (whatever ails another package)
            self._leave_out(row, f"{type(error).__name__}: {error}")

    def open(self, row: str) -> None:
        """Open a checkpointer in a place of its own, and run a turn."""
        with self.guarded(row):
            kind = EVERY[row]
            url = kind.place(self.bench, f"saver-{list(EVERY).index(row)}")
            saver = kind.open(url, self.bench.stack)
            self.opened[row] = opened = Opened(kind, url, saver, graph(saver, kind.state))
            turn(opened.graph, "warm-up", 0)

    def turns(
        self,
        name: str,
        count: int,
        *,
        marks: frozenset[int] = frozenset(),
        timed: Callable[[Callable[[], object]], float] = _seconds,
    ) -> dict[str, list[float]]:
        """Run turns on one thread of each checkpointer, turn by turn, in another order each time."""
        taken: dict[str, list[float]] = {row: [] for row in (FLOOR, *self.opened)}
        floor = _floor(self.bench.folder / f"{name}.floor", self.bench.stack)
        for number in range(count):
            order = [FLOOR, *self.opened]
            self.rng.shuffle(order)
            for row in order:
                with self.guarded(row):
                    work = (
                        partial(floor, number) if row == FLOOR else partial(turn, self.opened[row].graph, name, number)
                    )
                    taken[row].append(timed(work))
            if number + 1 in marks:
                self._weigh(number + 1)
        return {row: seconds for row, seconds in taken.items() if row == FLOOR or row in self.opened}

    def early(self) -> None:
        """Time turns 2 to 8 of some threads; for the floors that is all."""
        for column, timed in ((EARLY_TURNS, _seconds), (EARLY_WORK, processor_seconds)):
            found: dict[str, list[float]] = {}
            for number in range(self.plan.short_threads):
                for row, taken in self.turns(f"{column}-{number}", EARLY.stop - 1, timed=timed).items():
                    found.setdefault(row, []).extend(taken[EARLY.start - 1 :])
            self.report.seconds |= {(row, column): statistics.median(taken) for row, taken in found.items()}
        for row in FLOORS:
            self.opened.pop(row, None)

    def long(self) -> None:
        """Time every turn of the long thread, and count bytes on the way."""
        for row, opened in list(self.opened.items()):
            with self.guarded(row):
                opened.before = opened.size()
        found = self.report.turns = self.turns(LONG, self.plan.turns, marks=frozenset(self.plan.marks))
        self.report.seconds |= {(row, LATE_TURNS): statistics.median(taken[-LATE:]) for row, taken in found.items()}

    def read(self) -> None:
        """Time reading the long thread, interleaved, and look whether all of it is there."""
        dump = SERDE.dumps_typed(_conversation(self.plan.turns))
        cases: dict[Case, Callable[[int], object]] = {(FLOOR, GET): lambda _: SERDE.loads_typed(dump)}
        for row, opened in list(self.opened.items()):
            with self.guarded(row):
                found = opened.graph.get_state(thread(LONG)).values["messages"]
                if len(found) != 2 * self.plan.turns:
                    self.report.lost[row] = 2 * self.plan.turns - len(found)
                list(opened.saver.list(thread(LONG), limit=LIST))
                cases[row, GET] = partial(_get, opened.saver)
                cases[row, LIST_20] = partial(_list, opened.saver)
        self.report.seconds |= interleave(cases, self.plan.reads, cap_s=self.plan.cap_s)

    def delete(self) -> None:
        """Time the removal of the long thread, once."""
        for row, opened in list(self.opened.items()):
            with self.guarded(row):
                began = time.perf_counter()
                opened.saver.delete_thread(LONG)
                self.report.seconds[row, DELETE] = time.perf_counter() - began
                assert opened.saver.get_tuple(thread(LONG)) is None, "deleted, and still there"

    def _weigh(self, turns: int) -> None:
        self.report.once[turns] = once = len(SERDE.dumps_typed(_conversation(turns))[1])
        self.report.bytes[FLOOR, turns] = once
        for row, opened in list(self.opened.items()):
            with self.guarded(row):
                self.report.bytes[row, turns] = opened.size() - opened.before

    def _leave_out(self, row: str, reason: str) -> None:
        self.report.left_out[row] = reason
        self.opened.pop(row, None)


def _floor(path: Path, stack: ExitStack) -> Callable[[int], object]:
    """Return a turn that serialises its two messages and appends them to a table as one row."""
    connection = sqlite3.connect(path, isolation_level=None)
    stack.callback(connection.close)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("CREATE TABLE turns (number INTEGER PRIMARY KEY, data BLOB)")
    said = _conversation(1)

    def append(number: int) -> None:
        connection.execute("INSERT INTO turns VALUES (?, ?)", (number, SERDE.dumps_typed(said)[1]))

    return append


def _conversation(turns: int) -> list[HumanMessage | AIMessage]:
    """Return the messages of a thread, with ids as long as those that they have in the graph."""
    people = [HumanMessage(prepared(number), id=f"{number:036d}") for number in range(0, 2 * turns, 2)]
    model = [AIMessage(prepared(number), id=f"lc_run--{number:036d}-0") for number in range(1, 2 * turns, 2)]
    return [message for pair in zip(people, model, strict=True) for message in pair]


def _get(saver: Saver, _number: int) -> object:
    return saver.get_tuple(thread(LONG))


def _list(saver: Saver, _number: int) -> object:
    return list(saver.list(thread(LONG), limit=LIST))


def measure(plan: Plan, rows: list[str], console: Console) -> Report:
    """Run the turns on one core, then the two writers on all of them."""
    report = Report(plan)
    prepare(plan.turns)
    with console.status("opening …") as status:
        with one_core(), ExitStack() as stack:
            run = Run(plan, Workshop(stack=stack), report)
            for row in rows:
                run.open(row)
            for name, part in (("turns", run.early), ("long thread", run.long), ("reads", run.read)):
                status.update(f"{name} …")
                part()
            run.delete()
        status.update("two writers …")
        with ExitStack() as stack:
            fit = [
                row for row in KINDS_HERE if row in report.turns or row.partition(", on_conflict")[0] in report.turns
            ]
            report.tallies = contest(fit, Workshop(stack=stack), report.left_out)
    return report


# -------------------------------------------------------------------------------------------------------------- print
def shown(report: Report) -> Group:
    """Return the report as tables."""
    title = (
        f"{report.plan.turns} turns of two messages, durability='sync', medians; multiples: of turns, those of "
        "InMemorySaver; of get_tuple, the floor; of list(20), the row's own get_tuple"
    )
    table = Table("", *TIMES, "bytes, of messages once", "bytes, of half the turns", title=title)
    for row in report.rows:
        table.add_row(row, *report.cells(row), style=_style(row))
    for aim, figures in AIMS.items():
        table.add_row(aim, *figures, style="dim")
    columns = ("accepted", "in the latest state", "in any checkpoint", "refused (ConflictError)", "failed otherwise")
    writers = Table("", *columns, title="two processes on one thread, 30 messages each")
    for row, tally in report.tallies.items():
        counts = (len(tally.accepted), tally.in_head, tally.anywhere, tally.refused)
        failed = ", ".join(f"{name} {count}" for name, count in tally.failed.items()) or "0"
        writers.add_row(row, *map(str, counts), failed, style=_style(row))
    lost = [f"{row}: the last state lacks {count} messages" for row, count in report.lost.items()]
    reasons = [f"left out: {row}: {reason}" for row, reason in report.left_out.items()]
    return Group(table, writers, *lost, *reasons)


def _style(row: str) -> str:
    return "bold" if row.startswith("ours") else ""


def main() -> None:
    """Measure and print."""
    pin_threads()
    warnings.simplefilter("ignore")  # of other packages, about themselves
    logging.disable(logging.ERROR)
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="60 turns instead of 500, fewer samples")
    parser.add_argument("--only", nargs="+", metavar="PART", help="only rows whose name contains one of these")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    options = parser.parse_args()
    rows = [row for row in EVERY if row == IN_MEMORY or any(part in row for part in options.only or [""])]
    report = measure(QUICK if options.quick else FULL, rows, Console(stderr=True))
    Console(width=WIDTH).print(shown(report))
    if options.json:
        options.json.write_text(json.dumps(report.as_json(), indent=1))


if __name__ == "__main__":
    main()

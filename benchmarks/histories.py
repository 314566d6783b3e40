"""Chat histories, ours beside other packages, as multiples of one raw SQLite row.

    python benchmarks/histories.py [--quick] [--only PART ...] [--json FILE]

Every store gets the same conversations, of 1 to 10,000 messages of 200 characters. Calls are interleaved in one
process on one core; figures are medians. `README.md` beside this file says what each row does.
"""

from __future__ import annotations

import argparse
import json
import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

from _common import WIDTH, interleave, machine, micros_text, one_core, pin_threads, ratio_text
from _conversation import message, messages
from _histories import FLOOR, STORES, Session, Store
from _kit import UnavailableError, Workshop
from rich.console import Console, Group
from rich.table import Table

SIZES: Final = (1, 10, 100, 1_000, 10_000)
LAST: Final = 20
READ, LAST_OF_1_000, LAST_OF_10_000 = "read 10,000", "last 20 of 1,000", "last 20 of 10,000"
COLUMNS: Final = ("add at 1", "add at 1,000", "add at 10,000", READ, LAST_OF_1_000, LAST_OF_10_000)
AIMS: Final = {
    "aim: SQLite, at most (add: stretch x3)": ("x8", "x8", "x8", "x5", "x3", "x3"),
    "aim: Redis, at most": ("x2.5", "x2.5", "x2.5", "x5", "x4", "x5"),
}
GROWTH: Final = 10  # a conversation that is added to while it is measured grows by at most a tenth

Case: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much is measured: samples of an add, samples of a read, seconds that the reads of one kind may take."""

    adds: int
    reads: int
    cap_s: float


FULL: Final = Plan(adds=200, reads=60, cap_s=5.0)
QUICK: Final = Plan(adds=60, reads=40, cap_s=0.8)


@dataclass(slots=True)
class Report:
    """What was measured, and what was not and why.

    Attributes:
        seconds: By row and column; adds of every size are columns.
        bytes: Of a conversation, by row and its number of messages.
        unseen: How many of the messages a full read does not show, by row.
    """

    seconds: dict[Case, float] = field(default_factory=dict)
    bytes: dict[tuple[str, int], float] = field(default_factory=dict)
    unseen: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> list[str]:
        """Return the rows of the table in order."""
        measured = {row for row, _ in self.seconds}
        return [row for row in STORES if row in measured]

    def cell(self, row: str, column: str) -> str:
        """Return one figure as text."""
        if (row, column) not in self.seconds:
            return "–"
        seconds = self.seconds[row, column]
        if row == FLOOR:
            return micros_text(seconds)
        return f"{ratio_text(seconds, self.seconds[FLOOR, column])} · {micros_text(seconds)}"

    def growth_cell(self, row: str, size: int) -> str:
        """Return what an add takes at a size, and the bytes of a conversation of that size."""
        if (row, _add_at(size)) not in self.seconds or (row, size) not in self.bytes:
            return "–"
        return f"{micros_text(self.seconds[row, _add_at(size)])} · {self.bytes[row, size] / 1_000:,.1f} kB"

    def as_json(self) -> dict[str, Any]:
        """Return the figures as JSON-like values."""
        figures = [
            {
                "row": row,
                "column": column,
                "us": round(seconds * 1e6, 1),
                "ratio": round(seconds / self.seconds[FLOOR, column], 2),
            }
            for (row, column), seconds in self.seconds.items()
        ]
        growth = [
            {
                "row": row,
                "messages": size,
                "us": round(self.seconds[row, _add_at(size)] * 1e6, 1),
                "bytes": round(count),
            }
            for (row, size), count in self.bytes.items()
            if (row, _add_at(size)) in self.seconds
        ]
        rest = {"unseen": self.unseen, "left_out": self.left_out}
        return {"benchmark": "histories", "machine": machine(), "figures": figures, "growth": growth, **rest}


def _add_at(size: int) -> str:
    return f"add at {size:,}"


# ------------------------------------------------------------------------------------------------------------ measure
@dataclass(slots=True)
class Run:
    """One run of the benchmark: the stores that take part, and the report that it fills."""

    plan: Plan
    report: Report
    stores: dict[str, Store] = field(default_factory=dict)
    sessions: dict[str, list[Session]] = field(default_factory=dict)

    @contextmanager
    def guarded(self, row: str) -> Iterator[None]:
        """Turn what fails into a reason in the report; the row takes no further part."""
        try:
            yield
        except UnavailableError as error:
            self._leave_out(row, str(error))
        except Exception as error:  # noqa: BLE001  (whatever ails another package)
            self._leave_out(row, f"{type(error).__name__}: {error}")

    def open(self, row: str, bench: Workshop) -> None:
        """Open a store and use it once, so that tables, indexes and connections are there."""
        with self.guarded(row):
            store = STORES[row](bench)
            session = store.session("warm-up")
            session.fill(messages(0, 2))
            assert len(session.read()) == len(session.last(LAST)) == 2, "what was added is not what is read"
            self.stores[row] = store

    def fill(self, row: str, size: int) -> None:
        """Make the conversations of a size, as many as are needed for none to grow much; note their bytes."""
        copies = -(-(self.plan.adds + 1) // max(1, size // GROWTH))
        with self.guarded(row):
            store = self.stores[row]
            before = store.size()
            self.sessions[row] = [store.session(f"{size}-{copy}") for copy in range(copies)]
            for copy, session in enumerate(self.sessions[row]):
                session.fill(messages(copy * size, size))
            self.report.bytes[row, size] = (store.size() - before) / copies

    def read(self, size: int) -> None:
        """Time the reads of one size, interleaved."""
        cases: dict[Case, Callable[[int], object]] = {}
        for row, [session, *_] in self.sessions.items():
            if size == 1_000:
                cases[row, LAST_OF_1_000] = partial(_last, session)
            if size == 10_000:
                cases |= {(row, LAST_OF_10_000): partial(_last, session), (row, READ): partial(_read, session)}
        if cases:
            self.report.seconds |= interleave(cases, self.plan.reads, cap_s=self.plan.cap_s)

    def add(self, size: int) -> None:
        """Time adds to the conversations of one size, interleaved, each message a new one."""
        cases: dict[Case, Callable[[int], object]] = {}
        for row, sessions in self.sessions.items():
            new = [message(10 * size + number) for number in range(self.plan.adds + 1)]
            cases[row, _add_at(size)] = partial(_add, sessions, new)
        self.report.seconds |= interleave(cases, self.plan.adds)

    def look(self, size: int) -> None:
        """Count what a full read does not show."""
        for row, [session, *_] in list(self.sessions.items()):
            with self.guarded(row):
                unseen = size + self.plan.adds + 1 - len(session.read())
                if unseen:
                    self.report.unseen[row] = unseen

    def _leave_out(self, row: str, reason: str) -> None:
        self.report.left_out[row] = reason
        self.stores.pop(row, None)
        self.sessions.pop(row, None)


def _last(session: Session, _number: int) -> object:
    return session.last(LAST)


def _read(session: Session, _number: int) -> object:
    return session.read()


def _add(sessions: list[Session], new: list[Any], number: int) -> None:
    sessions[number % len(sessions)].add(new[number])


def measure(plan: Plan, rows: list[str], stack: ExitStack, console: Console) -> Report:
    """Fill and measure one size after the other."""
    run, bench = Run(plan, Report()), Workshop(stack=stack)
    with console.status("opening …") as status:
        for row in rows:
            run.open(row, bench)
        for size in SIZES:
            for row in list(run.stores):
                status.update(f"filling {row} with {size:,} …")
                run.fill(row, size)
            status.update(f"measuring at {size:,} …")
            run.read(size)
            run.add(size)
        run.look(SIZES[-1])
    return run.report


# -------------------------------------------------------------------------------------------------------------- print
def shown(report: Report) -> Group:
    """Return the report as tables."""
    table = Table("", *COLUMNS, title="median (times the floor · time)")
    for row in report.rows:
        table.add_row(row, *(report.cell(row, column) for column in COLUMNS), style=_style(row))
    for aim, figures in AIMS.items():
        table.add_row(aim, *figures, style="dim")
    growth = Table(
        "", *(f"{size:,}" for size in SIZES), title="one add, and the bytes of the conversation, by its messages"
    )
    for row in report.rows:
        growth.add_row(row, *(report.growth_cell(row, size) for size in SIZES), style=_style(row))
    unseen = [f"{row}: a full read does not show the newest {count}" for row, count in report.unseen.items()]
    reasons = [f"left out: {row}: {reason}" for row, reason in report.left_out.items()]
    return Group(table, growth, *unseen, *reasons)


def _style(row: str) -> str:
    return "bold" if row.startswith("ours") else ""


def main() -> None:
    """Measure and print."""
    pin_threads()
    warnings.simplefilter("ignore")  # of other packages, about themselves
    logging.disable(logging.ERROR)
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer samples")
    parser.add_argument("--only", nargs="+", metavar="PART", help="only rows whose name contains one of these")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    options = parser.parse_args()
    rows = [row for row in STORES if row == FLOOR or any(part in row for part in options.only or [""])]
    with one_core(), ExitStack() as stack:
        report = measure(QUICK if options.quick else FULL, rows, stack, Console(stderr=True))
    Console(width=WIDTH).print(shown(report))
    if options.json:
        options.json.write_text(json.dumps(report.as_json(), indent=1))


if __name__ == "__main__":
    main()

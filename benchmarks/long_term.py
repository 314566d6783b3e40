"""Long-term search and put, ours beside other packages, as multiples of what numpy alone takes.

    python benchmarks/long_term.py [--quick] [--json]

Every column asks one user's memory: thirty among those of many users, a thousand, ten thousand. Embeddings are
prepared, so no model runs. All calls are interleaved in one process on one BLAS thread; figures are medians.
`README.md` beside this file says what each row does.
"""

from __future__ import annotations

import argparse
import json
import logging
import warnings
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from _common import WIDTH, interleave, machine, micros_text, pin_threads, ratio_text
from _kit import UnavailableError
from _memories import PreparedEmbeddings, Space, one_of_many, one_scope
from _ours import Ours, Stages, measure_stages, rows_of
from _peers import HITS, PEERS, Call, Kit, Peer, floor
from rich.console import Console, Group
from rich.table import Table

FLOOR: Final = "floor: one numpy product, argpartition"
PUT: Final = "one put"
AIMS: Final = {
    "aim: vector part, warm, at most": ("x4", "x2", "x1.5"),
    "aim: vector part, cold, at most": ("x10", "x10", "x40"),
    "aim: whole recall, at most": ("", "", "x15.6"),  # 10 ms beside a floor of 0.64 ms
    "aim: ledger put, at most": ("", "", "", "500 µs where the floor takes 33: x15"),
}
CROWD, THOUSAND, TEN_THOUSAND = "crowd", "thousand", "big"
POSTGRES: Final = "PostgreSQL"
MEM0: Final = "mem0 on local Qdrant"
STORE: Final = "LangGraph PostgresStore, hnsw"

Case: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much is measured: users of the crowd, samples of each call, seconds a call may take altogether.

    Attributes:
        skipped: What takes too long to fill, by row (or the database of ours) and column.
    """

    users: int
    rounds: int
    cap_s: float
    skipped: frozenset[Case]


FULL: Final = Plan(users=1_000, rounds=80, cap_s=3.0, skipped=frozenset({(MEM0, CROWD)}))
QUICK: Final = Plan(
    users=50,
    rounds=25,
    cap_s=0.6,
    skipped=frozenset({(MEM0, CROWD), (MEM0, TEN_THOUSAND), (STORE, TEN_THOUSAND), (POSTGRES, TEN_THOUSAND)}),
)


@dataclass(slots=True)
class Report:
    """What was measured, and what was not and why."""

    columns: dict[str, str]
    seconds: dict[Case, float] = field(default_factory=dict)
    hits: dict[Case, int] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    stages: dict[str, Stages] = field(default_factory=dict)

    @property
    def rows(self) -> list[str]:
        """Return the rows of the table in order."""
        return list(dict.fromkeys(row for row, _ in self.seconds))

    def ratio(self, row: str, column: str) -> float:
        """Return how many times the floor's time a call took."""
        return self.seconds[row, column] / self.seconds[FLOOR, column]

    def cell(self, row: str, column: str) -> str:
        """Return one figure as text; a search that finds fewer than it was asked for says so."""
        if (row, column) not in self.seconds:
            return "–"
        seconds = self.seconds[row, column]
        few = self.hits.get((row, column), HITS)
        note = f" ({few} of {HITS} found)" if few < HITS else ""
        multiple = "" if row == FLOOR else f"{ratio_text(seconds, self.seconds[FLOOR, column])} · "
        return f"{multiple}{micros_text(seconds)}{note}"

    def as_json(self) -> dict[str, Any]:
        """Return the figures as JSON-like values."""
        figures = [
            {
                "row": row,
                "column": self.columns[column],
                "us": round(seconds * 1e6, 1),
                "ratio": round(self.ratio(row, column), 2),
                "hits": self.hits.get((row, column)),
            }
            for (row, column), seconds in self.seconds.items()
        ]
        stages = {call: {name: round(s * 1e6, 1) for name, s in parts.items()} for call, parts in self.stages.items()}
        return {"machine": machine(), "figures": figures, "left_out": self.left_out, "stages_us": stages}


# ------------------------------------------------------------------------------------------------------------ measure
def measure(plan: Plan, stack: ExitStack, console: Console) -> Report:
    """Fill everything, then measure everything in turn."""
    spare = 2 * plan.rounds + 2
    spaces = [
        one_of_many(CROWD, plan.users, spare, spare),
        one_scope(THOUSAND, 1_000, spare, spare),
        one_scope(TEN_THOUSAND, 10_000, spare, spare),
    ]
    kit = Kit(stack=stack, embeddings=PreparedEmbeddings())
    for space in spaces:
        kit.embeddings.learn(space)
    report = Report({space.name: _title(space) for space in spaces} | {PUT: PUT})
    peers: dict[Case, Peer] = {(FLOOR, space.name): floor(space, kit) for space in spaces}
    with console.status("filling …") as status:
        for row in PEERS:
            status.update(f"filling {row} …")
            peers |= _filled(row, spaces, kit, plan, report)
        status.update("filling ours …")
        ours = Ours(f"sqlite:///{kit.folder / 'ours.db'}", kit)
        peers |= _filled_ours(ours, "SQLite", spaces, plan)
        peers |= _filled_ours(Ours(kit.new_database("ours"), kit), POSTGRES, spaces, plan)
        status.update("measuring …")
        _run(peers, plan, report)
        report.stages = measure_stages(ours, (spaces[0], spaces[-1]), plan.rounds)
    return report


def _title(space: Space) -> str:
    users = len(set(space.owners))
    if users == 1:
        return f"{len(space.texts):,} in one scope"
    return f"{len(space.own)} of one user among {len(space.texts):,} of {users:,}"


def _filled(row: str, spaces: list[Space], kit: Kit, plan: Plan, report: Report) -> dict[Case, Peer]:
    """Fill a peer for every column; what fails becomes a reason in the report, not the end of the run."""
    filled: dict[Case, Peer] = {}
    for space in spaces:
        if (row, space.name) in plan.skipped:
            continue
        try:
            filled[row, space.name] = peer = PEERS[row](space, kit)
            report.hits[row, space.name] = peer.hits() or 0
        except UnavailableError as error:
            report.left_out[row] = str(error)
            return {}
        except Exception as error:  # noqa: BLE001  (whatever ails another package)
            report.left_out[row] = f"{type(error).__name__}: {error}"
            return {}
    return filled


def _filled_ours(ours: Ours, backend: str, spaces: list[Space], plan: Plan) -> dict[Case, Peer]:
    filled: dict[Case, Peer] = {}
    for space in spaces:
        if (backend, space.name) not in plan.skipped:
            ours.fill(space)
            filled |= {(row, space.name): peer for row, peer in rows_of(ours, space, backend).items()}
    return filled


def _run(peers: dict[Case, Peer], plan: Plan, report: Report) -> None:
    searches = {case: peer.search for case, peer in peers.items() if peer.search is not None}
    puts: dict[Case, Call] = {}
    for (row, _), peer in peers.items():  # into the first column that a row has: where it can be, the crowd
        if peer.put is not None:
            puts.setdefault((row, PUT), peer.put)
    timed = [interleave(cases, plan.rounds, cap_s=plan.cap_s) for cases in (searches, puts)]
    seconds = timed[0] | timed[1]
    rows = list(dict.fromkeys(row for row, _ in peers))
    report.seconds = dict(sorted(seconds.items(), key=lambda item: rows.index(item[0][0])))


# -------------------------------------------------------------------------------------------------------------- print
def shown(report: Report) -> Group:
    """Return the report as tables."""
    table = Table("", *report.columns.values(), title="query, median (times the floor · time), and one put")
    for row in report.rows:
        table.add_row(row, *(report.cell(row, column) for column in report.columns), style=_style(row))
    for aim, figures in AIMS.items():
        table.add_row(aim, *figures, style="dim")
    stages = Table("call", "stage", "time", "share", title="ours, SQLite: where the time goes")
    for call, parts in report.stages.items():
        whole = sum(parts.values())
        for number, (name, seconds) in enumerate(parts.items()):
            stages.add_row("" if number else call, name, micros_text(seconds), f"{seconds / whole:.0%}")
        stages.add_row("", "together", micros_text(whole), "", end_section=True)
    reasons = [f"left out: {row}: {reason}" for row, reason in report.left_out.items()]
    return Group(table, stages, *reasons)


def _style(row: str) -> str:
    return "bold" if row.startswith("ours") else ""


def main() -> None:
    """Measure and print."""
    pin_threads()
    warnings.simplefilter("ignore")  # of other packages, about themselves
    logging.disable(logging.ERROR)
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer users and rounds, what fills slowly left out")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")
    options = parser.parse_args()
    plan = QUICK if options.quick else FULL
    console = Console(width=WIDTH)
    with ExitStack() as stack:
        report = measure(plan, stack, Console(stderr=True))
        for row, column in sorted(plan.skipped):
            report.left_out.setdefault(f"{row}, {report.columns[column]}", "takes too long to fill for this form")
    if options.json:
        console.print_json(json.dumps(report.as_json()))
    else:
        console.print(shown(report))


if __name__ == "__main__":
    main()

"""LangGraph's stores, ours beside the others, as multiples of one raw SQLite row or one numpy product.

    python benchmarks/stores.py [--quick] [--json]

Every store gets one namespace of a thousand items and one of ten thousand, each in a store of its own. Embeddings are
prepared, so no model runs. All calls are interleaved in one process on one BLAS thread; figures are medians.
`README.md` beside this file says what each row does.
"""

from __future__ import annotations

import argparse
import json
import logging
import sqlite3
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np
from _common import WIDTH, interleave, machine, micros_text, pin_threads, ratio_text
from _kit import UnavailableError, module
from _memories import DIM, PreparedEmbeddings, Space, one_scope
from _peers import HITS, Kit, batches, best
from langgraph.store.base import BaseStore, PutOp
from langgraph.store.memory import InMemoryStore
from rich.console import Console, Group
from rich.table import Table

from langchain_agentmem import SQLStore

FLOOR: Final = "floor: one SQLite row; one numpy product"
OURS: Final = ("ours, SQLite", "ours, PostgreSQL")
SIZES: Final = (1_000, 10_000)
COLUMNS: Final = (
    "put",
    "get",
    "query, 1,000",
    "query, 10,000",
    "query + filter, 10,000",
    "list 10 of 1,000",
    "list 10 of 10,000",
    "filter 10,000",
)
NAMESPACE: Final = ("memories", "alice")
OTHER: Final = ("memories", "bob")
RARE: Final = 100  # a filter lets one item of so many through

Case: TypeAlias = tuple[str, str]
Call: TypeAlias = Callable[[int], Any]
Open: TypeAlias = Callable[[Kit, str], BaseStore]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much is measured: samples of each call, seconds a call may take altogether, rows left out at 10,000."""

    rounds: int
    cap_s: float
    skipped: frozenset[str] = frozenset()


FULL: Final = Plan(rounds=80, cap_s=3.0)
QUICK: Final = Plan(rounds=25, cap_s=0.6, skipped=frozenset({"LangGraph PostgresStore, hnsw"}))


@dataclass(slots=True)
class Report:
    """What was measured, and what was not and why."""

    seconds: dict[Case, float] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> list[str]:
        """Return the rows of the table in order."""
        measured = {row for row, _ in self.seconds}
        return [row for row in (FLOOR, *STORES) if row in measured]

    def cell(self, row: str, column: str) -> str:
        """Return one figure as text."""
        if (row, column) not in self.seconds:
            return "–"
        seconds, floor = self.seconds[row, column], self.seconds.get((FLOOR, column))
        multiple = "" if row == FLOOR or floor is None else f"{ratio_text(seconds, floor)} · "
        return f"{multiple}{micros_text(seconds)}"

    def as_json(self) -> dict[str, Any]:
        """Return the figures as JSON-like values."""
        figures = [
            {"row": row, "column": column, "us": round(seconds * 1e6, 1)}
            for (row, column), seconds in self.seconds.items()
        ]
        return {"machine": machine(), "figures": figures, "left_out": self.left_out}


# ------------------------------------------------------------------------------------------------------------- stores
def in_memory(kit: Kit, _name: str) -> BaseStore:
    """LangGraph's `InMemoryStore`."""
    return InMemoryStore(index={"dims": DIM, "embed": kit.embeddings, "fields": ["text"]})


def sqlite_store(kit: Kit, name: str) -> BaseStore:
    """LangGraph's `SqliteStore`; without vectors where this Python cannot load sqlite-vec."""
    package = module("langgraph.store.sqlite")
    can_load = hasattr(sqlite3.Connection, "enable_load_extension")
    index = {"dims": DIM, "embed": kit.embeddings, "fields": ["text"]} if can_load else None
    store: BaseStore = kit.stack.enter_context(
        package.SqliteStore.from_conn_string(str(kit.folder / f"peer-{name}.db"), index=index)
    )
    store.setup()  # type: ignore[attr-defined]  # a peer's own
    return store


def postgres_store(kit: Kit, name: str) -> BaseStore:
    """LangGraph's `PostgresStore` with an HNSW index."""
    package = module("langgraph.store.postgres")
    index = {
        "dims": DIM,
        "embed": kit.embeddings,
        "fields": ["text"],
        "distance_type": "cosine",
        "ann_index_config": {"kind": "hnsw"},
    }
    url = kit.new_database(f"peer-{name}")
    store: BaseStore = kit.stack.enter_context(package.PostgresStore.from_conn_string(url, index=index))
    store.setup()  # type: ignore[attr-defined]  # a peer's own
    return store


def redis_store(kit: Kit, name: str) -> BaseStore:
    """LangGraph's `RedisStore`."""
    package = module("langgraph.store.redis")
    index = {"dims": DIM, "embed": kit.embeddings, "fields": ["text"], "distance_type": "cosine"}
    names = {"store_prefix": f"s-{name}", "vector_prefix": f"v-{name}"}
    store: BaseStore = kit.stack.enter_context(package.RedisStore.from_conn_string(kit.redis_url, index=index, **names))
    store.setup()  # type: ignore[attr-defined]  # a peer's own
    return store


def ours(url_of: Callable[[Kit, str], str]) -> Open:
    """Return how to open our store on a database."""

    def opened(kit: Kit, name: str) -> BaseStore:
        index: Any = {"dims": DIM, "embed": kit.embeddings, "fields": ["text"]}
        return kit.stack.enter_context(SQLStore.from_url(url_of(kit, name), index=index))

    return opened


STORES: Final[dict[str, Open]] = {
    "LangGraph InMemoryStore": in_memory,
    "LangGraph SqliteStore": sqlite_store,
    "LangGraph PostgresStore, hnsw": postgres_store,
    "LangGraph RedisStore": redis_store,
    OURS[0]: ours(lambda kit, name: f"sqlite:///{kit.folder / f'ours-{name}.db'}"),
    OURS[1]: ours(lambda kit, name: kit.new_database(f"ours-{name}")),
}


def value(space: Space, place: int) -> dict[str, Any]:
    """Return an item of a space."""
    return {"text": space.texts[place], "group": place % RARE, "kind": "fact"}


def calls_of(store: BaseStore, space: Space, *, has_vectors: bool) -> dict[str, Call]:
    """Fill a store with a space, and return its calls by column."""
    for places in batches(range(len(space.texts))):
        store.batch([PutOp(NAMESPACE, str(place), value(space, place)) for place in places])
    size = f"{len(space.texts):,}"
    found: dict[str, Call] = {f"list 10 of {size}": lambda _: store.search(NAMESPACE, limit=10)}
    if has_vectors:
        found[f"query, {size}"] = lambda number: store.search(NAMESPACE, query=space.questions[number], limit=HITS)
    if len(space.texts) == SIZES[0]:
        found["put"] = lambda number: store.put(OTHER, f"new-{number}", {"text": space.spare[number]})
        found["get"] = lambda number: store.get(NAMESPACE, str(number))
        return found
    wanted = {"group": 7}
    found["filter 10,000"] = lambda _: store.search(NAMESPACE, filter=wanted, limit=10)
    if has_vectors:
        found["query + filter, 10,000"] = lambda number: store.search(
            NAMESPACE, query=space.questions[number], filter=wanted, limit=HITS
        )
    return found


def floor(space: Space, kit: Kit) -> dict[str, Call]:
    """Return one raw row of SQLite for puts, gets and lists, and one numpy product for queries."""
    connection = sqlite3.connect(kit.folder / f"floor-{len(space.texts)}.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("CREATE TABLE items (ns TEXT, key TEXT, at INTEGER, value TEXT, PRIMARY KEY (ns, key))")
    connection.execute("CREATE INDEX latest ON items (ns, at)")
    rows = (("alice", str(place), place, json.dumps(value(space, place))) for place in range(len(space.texts)))
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO items VALUES (?, ?, ?, ?)", rows)
    connection.execute("COMMIT")
    matrix = np.ascontiguousarray(space.vectors[: len(space.texts)])
    ask, size = kit.embeddings.embed_query, f"{len(space.texts):,}"
    read = "SELECT value FROM items WHERE ns = 'alice'"

    def values(statement: str, *given: object) -> list[Any]:
        return [json.loads(row[0]) for row in connection.execute(statement, given).fetchall()]

    found: dict[str, Call] = {
        f"query, {size}": lambda number: best(matrix, ask(space.questions[number])),
        f"list 10 of {size}": lambda _: values(f"{read} ORDER BY at DESC LIMIT 10"),
    }
    if len(space.texts) == SIZES[0]:
        put = "INSERT INTO items VALUES ('bob', ?, ?, ?)"
        found["put"] = lambda number: connection.execute(put, (str(number), number, json.dumps(value(space, number))))
        found["get"] = lambda number: values(f"{read} AND key = ?", str(number))
    return found


# ------------------------------------------------------------------------------------------------------------ measure
def measure(plan: Plan, stack: ExitStack, console: Console) -> Report:
    """Fill every store, then measure all of them in turn."""
    spare = 2 * plan.rounds + 2
    spaces = [one_scope(f"store-{size}", size, spare, spare) for size in SIZES]
    kit = Kit(stack=stack, embeddings=PreparedEmbeddings())
    for space in spaces:
        kit.embeddings.learn(space)
    report = Report()
    calls: dict[Case, Call] = {}
    with console.status("filling …") as status:
        for space in spaces:
            calls |= {(FLOOR, column): call for column, call in floor(space, kit).items()}
        for row in STORES:
            status.update(f"filling {row} …")
            calls |= _filled(row, spaces, kit, plan, report)
        status.update("measuring …")
        report.seconds = interleave(calls, plan.rounds, cap_s=plan.cap_s)
    return report


def _filled(row: str, spaces: list[Space], kit: Kit, plan: Plan, report: Report) -> dict[Case, Call]:
    """Fill a store of each size; what fails becomes a reason in the report, not the end of the run."""
    calls: dict[Case, Call] = {}
    for space in spaces:
        if len(space.texts) > SIZES[0] and row in plan.skipped:
            report.left_out[f"{row}, 10,000"] = "takes too long to fill for this form"
            continue
        try:
            store = STORES[row](kit, f"{space.name}")
            has_vectors = getattr(store, "index_config", True) is not None
            calls |= {(row, column): call for column, call in calls_of(store, space, has_vectors=has_vectors).items()}
            if not has_vectors:
                report.left_out[f"{row}, queries"] = "this Python's sqlite3 loads no extensions, which sqlite-vec is"
            _check(row, calls, report)
        except UnavailableError as error:
            report.left_out[row] = str(error)
        except Exception as error:  # noqa: BLE001  (whatever ails another package)
            report.left_out[row] = f"{type(error).__name__}: {error}"
    return calls


def _check(row: str, calls: dict[Case, Call], report: Report) -> None:
    """Take out what finds fewer items than it was asked for: a fast search that finds nothing is no search."""
    for case in [case for case in calls if case[1] not in {"put", "get"}]:
        found = len(calls[case](0))
        if found < HITS:
            del calls[case]
            report.left_out[f"{row}, {case[1]}"] = f"finds {found} items"


# -------------------------------------------------------------------------------------------------------------- print
def shown(report: Report) -> Group:
    """Return the report as a table."""
    table = Table("", *COLUMNS, title="LangGraph stores, median (times the floor · time)")
    for row in report.rows:
        table.add_row(row, *(report.cell(row, column) for column in COLUMNS), style="bold" if row in OURS else "")
    return Group(table, *(f"left out: {row}: {reason}" for row, reason in report.left_out.items()))


def main() -> None:
    """Measure and print."""
    pin_threads()
    warnings.simplefilter("ignore")  # of other packages, about themselves
    logging.disable(logging.ERROR)
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds, what fills slowly left out")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    options = parser.parse_args()
    console = Console(width=WIDTH)
    with ExitStack() as stack:
        report = measure(QUICK if options.quick else FULL, stack, Console(stderr=True))
    if options.json:
        console.print_json(json.dumps(report.as_json()))
    else:
        console.print(shown(report))


if __name__ == "__main__":
    main()

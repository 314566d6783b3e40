"""A change of a thread in one statement, on PostgreSQL: built on what the thread was last seen as, done if it still is.

Every change and every removal writes the thread's row anew. While that row is of the version that was seen (`xmin`, the
transaction that wrote it), the thread has the numbers, the owner and the heads that were seen with it. What is large or
rare, or meets another thread than was expected, is changed under a lock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Final, NamedTuple

from sqlalchemy import Table, text
from sqlalchemy.dialects import postgresql

from langchain_agentmem.checkpoints.base import Change, Draft
from langchain_agentmem.checkpoints.sql.changing import namespaces_of, rows_of
from langchain_agentmem.checkpoints.sql.ids import pack
from langchain_agentmem.checkpoints.sql.thread import OpenThread
from langchain_agentmem.sql.prepared import Prepared, Transaction
from langchain_agentmem.sql.schema import CHECKPOINTS, ITEMS, THREAD_LABELS, WRITES

MAX_ROWS: Final = 8
"""Rows added in one statement: PostgreSQL plans each combination anew, so there must not be many."""

_CONFLICTS: Final[Mapping[Table, str]] = {
    ITEMS: "",
    CHECKPOINTS: (
        "ON CONFLICT (ns_ref, checkpoint_id) DO UPDATE SET parent_id = excluded.parent_id, sealed = excluded.sealed"
    ),
    WRITES: "ON CONFLICT DO NOTHING",
    THREAD_LABELS: "ON CONFLICT DO NOTHING",
}
_HELD: Final = """held AS (
    UPDATE agentmem_threads
    SET next_no = CAST(:next_no AS BIGINT), last_used_at = greatest(last_used_at, CAST(:at AS BIGINT)){expiry}
    WHERE thread_ref = CAST(:ref AS BIGINT) AND xmin = CAST(:seen AS XID)
    RETURNING CAST(xmin AS TEXT) AS version)"""
_MOVED: Final = """moved AS (
    UPDATE agentmem_namespaces SET head = CAST(:head AS BYTEA) FROM held WHERE ns_ref = CAST(:moved AS BIGINT))"""
_DIALECT: Final = postgresql.dialect()  # type: ignore[no-untyped-call]  # SQLAlchemy's


class Shape(NamedTuple):
    """How many rows of each kind a change adds, and what else it does."""

    items: int
    checkpoints: int
    writes: int
    labels: int
    moves_head: bool
    expires: bool


def draft_on(seen: OpenThread, draft: Draft, at: int) -> Change | None:
    """Return the change for what a thread was last seen as; `None`: it cannot be made, or not at once."""
    names = draft.namespaces()
    if seen.is_expired(at) or not seen.refs.keys() >= set(names):
        return None
    state = seen.state()._replace(heads={ns: seen.heads[ns] for ns in names if ns in seen.heads})
    if draft.since(state) < state.next_no:
        return None
    try:
        change = draft.build(state, ())
    except Exception:  # noqa: BLE001  (what it says counts once it is built on what the thread really is)
        return None
    return change if _is_small(seen, change) else None


def _is_small(seen: OpenThread, change: Change) -> bool:
    count = len(change.items) + len(change.checkpoints) + len(change.writes) + len(change.labels)
    return (
        count <= MAX_ROWS
        and max(len(change.checkpoints), len(change.heads)) <= 1
        and not change.replaces
        and (change.owner is None or seen.owner is not None)
        and namespaces_of(change) <= seen.refs.keys()
    )


def apply(
    connection: Transaction, seen: OpenThread, change: Change, at: int, expires_at: int | None
) -> OpenThread | None:
    """Change the thread if it is what was seen, and return what it is now; `None`: nothing was changed."""
    heads = [(seen.refs[ns], pack(head)) for ns, head in change.heads.items()]
    shape = Shape(
        len(change.items),
        len(change.checkpoints),
        len(change.writes),
        len(change.labels),
        bool(heads),
        expires_at != seen.expires_at,
    )
    next_no = seen.next_no + len(change.items)
    values: dict[str, Any] = {"ref": seen.ref, "seen": seen.version, "next_no": next_no, "at": at}
    values |= {"expires": expires_at} if shape.expires else {}
    for ns_ref, head in heads:
        values |= {"moved": ns_ref, "head": head}
    for table, added in rows_of(seen, change):
        for names, row in zip(_names(table), added, strict=False):
            values.update(zip(names, row.values(), strict=True))
    found = _statement(shape).rows(connection, values)
    if not found:
        return None
    moved = {**seen.heads, **change.heads} if heads else seen.heads
    return replace(seen, next_no=next_no, expires_at=expires_at, heads=moved, version=found[0][0])


@cache
def _statement(shape: Shape) -> Prepared:
    expiry = ", expires_at = CAST(:expires AS BIGINT)" if shape.expires else ""
    parts = [_HELD.format(expiry=expiry)]
    counts = {ITEMS: shape.items, CHECKPOINTS: shape.checkpoints, WRITES: shape.writes, THREAD_LABELS: shape.labels}
    parts += [_insert(table, count) for table, count in counts.items() if count]
    parts += [_MOVED] if shape.moves_head else []
    return Prepared({"postgresql": text(f"WITH {', '.join(parts)} SELECT version FROM held")})  # noqa: S608  (ours)


@cache
def _names(table: Table) -> list[list[str]]:
    """Return the names of parameters for each row of a table, in the order of its columns."""
    return [[f"{table.name}{place}_{column.name}" for column in table.c] for place in range(MAX_ROWS)]


def _insert(table: Table, count: int) -> str:
    """Return a part that inserts rows if the thread is held."""
    types = [column.type.compile(_DIALECT) for column in table.c]
    values = ", ".join(
        f"({', '.join(f'CAST(:{name} AS {kind})' for name, kind in zip(names, types, strict=True))})"
        for names in _names(table)[:count]
    )
    names = ", ".join(column.name for column in table.c)
    return (
        f"{table.name}_ AS (INSERT INTO {table.name} ({names}) "  # noqa: S608  (names of our own schema)
        f"SELECT added.* FROM held, (VALUES {values}) AS added {_CONFLICTS[table]})"
    )

"""Reading a thread in SQL, inside the caller's transaction."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from langchain_agentmem.checkpoints.base import (
    CheckpointRow,
    Inventory,
    Page,
    Plan,
    Query,
    Reader,
    ThreadState,
    WriteRow,
)
from langchain_agentmem.checkpoints.sql import rows
from langchain_agentmem.checkpoints.sql.ids import pack, unpack, unpack_optional
from langchain_agentmem.checkpoints.sql.thread import OpenThread, find
from langchain_agentmem.sql.prepared import Transaction

_Row: TypeAlias = tuple[Any, ...]


def load(  # noqa: PLR0917  (the parameters of the port's method)
    connection: Transaction, thread_id: str, query: Query, reader: Reader, at: int, expires_at: int | None
) -> None:
    """Give a reader the rows of a query, and the items it wants; a new expiry also locks the thread."""
    refresh = {"thread": thread_id, "at": at, "expires": expires_at}
    is_there = expires_at is None or rows.REFRESH.change(connection, [refresh])
    thread = find(connection, thread_id, None if query.ns is None else [query.ns], at) if is_there else None
    if thread is None:
        reader.take_page(Page(state=ThreadState()))
        return
    reader.take_page(_page(connection, thread, query))
    give_items(connection, thread.ref, reader)


def inventory(connection: Transaction, thread: OpenThread) -> Inventory:
    """Return everything of a thread but the content of its items."""
    values, names = {"ref": thread.ref}, _names(thread)
    return Inventory(
        state=thread.state(),
        checkpoints=[_checkpoint(names, row) for row in rows.ALL_CHECKPOINTS.rows(connection, values)],
        writes=[_write(names, row) for row in rows.ALL_WRITES.rows(connection, values)],
        numbers=[no for (no,) in rows.ALL_NUMBERS.rows(connection, values)],
    )


def give_items(connection: Transaction, ref: int, taker: Reader | Plan) -> None:
    """Give items until no more are wanted."""
    while wanted := taker.wants():
        taker.take_items(_items(connection, ref, wanted))


def _items(connection: Transaction, ref: int, wanted: Sequence[range]) -> list[_Row]:
    bounds = [(numbers.start, numbers.stop - 1) for numbers in wanted]
    if len(bounds) == 1:
        return rows.ITEMS_BETWEEN.rows(connection, {"ref": ref, "low": bounds[0][0], "high": bounds[0][1]})
    values: dict[str, Any] = {"lows": [low for low, _ in bounds], "highs": [high for _, high in bounds]}
    if connection.dialect.name == "sqlite":
        values = {"ranges": json.dumps(bounds)}
    return sorted(rows.ITEMS_OF_RANGES.rows(connection, {"ref": ref, **values}))


# -------------------------------------------------------------------------------------------------------------- a page
def _page(connection: Transaction, thread: OpenThread, query: Query) -> Page:
    found = rows.page(query).rows(connection, {"ref": thread.ref, **_parameters(query)})
    names = _names(thread)
    writes: dict[tuple[int, bytes], list[WriteRow]] = defaultdict(list)
    for row in _writes_beside(connection, found):
        writes[row[:2]].append(_write(names, row))
    return Page(state=thread.state(), rows=[(_checkpoint(names, row), writes.get(row[:2], ())) for row in found])


def _parameters(query: Query) -> dict[str, Any]:
    values: dict[str, Any] = {"ns": query.ns, "limit": query.limit}
    values |= {} if query.id is None else {"id": pack(query.id)}
    values |= {} if query.before is None else {"before": pack(query.before)}
    if query.after_key is not None:
        values |= {"after_ns": query.after_key[0], "after_id": pack(query.after_key[1])}
    return values


def _writes_beside(connection: Transaction, checkpoints: Sequence[_Row]) -> list[_Row]:
    """Return the writes of checkpoints that come newest first, and so are one stretch of each namespace."""
    spans: dict[int, tuple[bytes, bytes]] = {}
    for ref, checkpoint_id, *_ in checkpoints:
        spans[ref] = (checkpoint_id, spans[ref][1] if ref in spans else checkpoint_id)
    if len(spans) > 1 and connection.dialect.name == "postgresql":
        firsts, lasts = zip(*spans.values(), strict=True)
        values = {"ns_refs": list(spans), "firsts": list(firsts), "lasts": list(lasts)}
        return rows.WRITES_OF_SPANS.rows(connection, values)
    each = ({"ns_ref": ref, "first": first, "last": last} for ref, (first, last) in spans.items())
    return [row for values in each for row in rows.WRITES_BETWEEN.rows(connection, values)]


# ---------------------------------------------------------------------------------------------------------------- rows
def _names(thread: OpenThread) -> dict[int, str]:
    return {ref: ns for ns, ref in thread.refs.items()}


def _checkpoint(names: Mapping[int, str], row: _Row) -> CheckpointRow:
    ns_ref, checkpoint_id, parent_id, sealed = row
    return CheckpointRow(names[ns_ref], unpack(checkpoint_id), unpack_optional(parent_id), sealed)


def _write(names: Mapping[int, str], row: _Row) -> WriteRow:
    ns_ref, checkpoint_id, task_id, *rest = row
    return WriteRow(names[ns_ref], unpack(checkpoint_id), unpack(task_id), *rest)

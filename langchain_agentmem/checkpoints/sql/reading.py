"""Reading a thread in SQL, inside the caller's transaction."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

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
from langchain_agentmem.checkpoints.shorthand import longhand
from langchain_agentmem.checkpoints.sql import rows
from langchain_agentmem.checkpoints.sql.ids import pack, unpack, unpack_optional
from langchain_agentmem.checkpoints.sql.thread import OPENED, OpenThread, find, thread_of
from langchain_agentmem.sql.prepared import Transaction

_Row: TypeAlias = tuple[Any, ...]

_WRITES_FROM: Final = OPENED + 3
"""Where the columns of a write begin behind those of a thread and of a checkpoint."""


def load(  # noqa: PLR0917  (the parameters of the port's method)
    connection: Transaction, thread_id: str, query: Query, reader: Reader, at: int, expires_at: int | None
) -> OpenThread | None:
    """Give a reader the rows of a query, and the items it wants; a new expiry also locks the thread."""
    refresh = {"thread": thread_id, "at": at, "expires": expires_at}
    if expires_at is not None and not rows.REFRESH.change(connection, [refresh]):
        reader.take_page(Page(state=ThreadState()))
        return None
    find_rows = _one if is_of_one(query) else _several
    thread, page = find_rows(connection, thread_id, query, at)
    reader.take_page(page)
    if thread is not None:
        give_items(connection, thread.ref, reader)
    return thread


def load_singly(
    connection: Transaction, thread_id: str, query: Query, reader: Reader, at: int
) -> tuple[OpenThread | None, bool]:
    """Read one checkpoint where each statement sees a moment of its own.

    A number is never given to another item. So what was read is of one state of the thread, that of the first
    statement, if no item is missing; whether that is so is returned too.
    """
    thread, page = _one(connection, thread_id, query, at)
    reader.take_page(page)
    return thread, thread is None or give_items(connection, thread.ref, reader)


def is_of_one(query: Query) -> bool:
    """Whether a query is of one checkpoint at most."""
    is_cut = query.before is not None or query.after_key is not None or query.limit is not None
    return query.ns is not None and not is_cut and query.is_latest is (query.id is None)


def inventory(connection: Transaction, thread: OpenThread) -> Inventory:
    """Return everything of a thread but the content of its items."""
    values, names = {"ref": thread.ref}, _names(thread)
    return Inventory(
        state=thread.state(),
        checkpoints=[_checkpoint(names, row) for row in rows.ALL_CHECKPOINTS.rows(connection, values)],
        writes=[_write(names, row) for row in rows.ALL_WRITES.rows(connection, values)],
        numbers=[no for (no,) in rows.ALL_NUMBERS.rows(connection, values)],
    )


def give_items(connection: Transaction, ref: int, taker: Reader | Plan) -> bool:
    """Give items until no more are wanted; return whether all of them were there."""
    is_whole = True
    while wanted := taker.wants():
        items = _items(connection, ref, wanted)
        is_whole = is_whole and len(items) == sum(map(len, wanted))
        taker.take_items(items)
    return is_whole


def _items(connection: Transaction, ref: int, wanted: Sequence[range]) -> list[_Row]:
    bounds = [(numbers.start, numbers.stop - 1) for numbers in wanted]
    if len(bounds) == 1:
        return rows.ITEMS_BETWEEN.rows(connection, {"ref": ref, "low": bounds[0][0], "high": bounds[0][1]})
    values: dict[str, Any] = {"lows": [low for low, _ in bounds], "highs": [high for _, high in bounds]}
    if connection.dialect.name == "sqlite":
        values = {"ranges": json.dumps(bounds)}
    return sorted(rows.ITEMS_OF_RANGES.rows(connection, {"ref": ref, **values}))


# -------------------------------------------------------------------------------------------------------------- a page
def _one(connection: Transaction, thread_id: str, query: Query, at: int) -> tuple[OpenThread | None, Page]:
    """Read a thread and one checkpoint of it in one statement."""
    values = {"thread": thread_id, "ns": query.ns, **({} if query.id is None else {"id": pack(query.id)})}
    found = (rows.LATEST if query.id is None else rows.ONE).rows(connection, values)
    thread = thread_of(found) if found else None
    if thread is None or thread.is_expired(at):
        return None, Page(state=ThreadState())
    checkpoint_id, parent_id, header = found[0][OPENED:_WRITES_FROM]
    if checkpoint_id is None:
        return thread, Page(state=thread.state())
    ns, id_ = query.ns or "", unpack(checkpoint_id)
    writes = [_write_of(ns, id_, *rest) for _, *rest in (row[_WRITES_FROM:] for row in found) if rest[0] is not None]
    return thread, Page(thread.state(), [(CheckpointRow(ns, id_, unpack_optional(parent_id), header), writes)])


def _several(connection: Transaction, thread_id: str, query: Query, at: int) -> tuple[OpenThread | None, Page]:
    thread = find(connection, thread_id, None if query.ns is None else [query.ns], at)
    return thread, Page(state=ThreadState()) if thread is None else _page(connection, thread, query)


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
    ns_ref, checkpoint_id, *rest = row
    return _write_of(names[ns_ref], unpack(checkpoint_id), *rest)


def _write_of(ns: str, id_: str, *row: Any) -> WriteRow:
    task_id, idx, task_path, channel, sealed = row
    return WriteRow(ns, id_, unpack(task_id), idx, longhand(task_path), longhand(channel), sealed)

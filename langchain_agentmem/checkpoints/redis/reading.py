"""Reading a thread in Redis: rows in one step, items after it, and again from the start if their numbers changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoints.base import CheckpointRow, Inventory, Page, Plan, Query, Reader, WriteRow
from langchain_agentmem.checkpoints.redis.registry import Registered, horizon_of
from langchain_agentmem.checkpoints.redis.relaxing import relax
from langchain_agentmem.checkpoints.redis.rows import Known, known, unpack_checkpoint, unpack_write
from langchain_agentmem.checkpoints.redis.scripts import INVENTORY, PAGE
from langchain_agentmem.checkpoints.redis.thread import Backend
from langchain_agentmem.errors import StorageError
from langchain_agentmem.redis.database import milliseconds
from langchain_agentmem.redis.replies import number
from langchain_agentmem.redis.wire import Argument

MAX_STARTS: Final = 20
"""How often a read begins again because items were removed meanwhile; removing is rare."""
ITEMS_AT_ONCE: Final = 4_096
"""Items per round trip: some megabytes of messages, and no long pause for others on the server."""

_Row: TypeAlias = tuple[CheckpointRow, Sequence[WriteRow]]


def load(backend: Backend, thread_id: str, query: Query, reader: Reader, expires_at: int | None) -> Flow[None]:
    """Give a reader the rows of a query, and the items it wants.

    Raises:
        StorageError: Items were removed again and again meanwhile (retryable), or Redis failed.
    """
    for _ in range(MAX_STARTS):
        seen, found = yield from _page(backend, thread_id, query, expires_at)
        if seen.generation:
            _remember(backend, thread_id, seen)
        reader.take_page(Page(state=seen.state(), rows=found))
        if (yield from give_items(backend, thread_id, seen.generation, reader)):
            yield from relax(backend, thread_id, seen.horizon, expires_at)
            return
    raise changed_too_often(thread_id)


def changed_too_often(thread_id: str) -> StorageError:
    """Return the error of who was overtaken by others again and again."""
    msg = f"thread {thread_id!r} was changed by others {MAX_STARTS} times while it was read; repeat the call"
    return StorageError(msg, is_retryable=True)


def read_inventory(backend: Backend, thread_id: str) -> Flow[tuple[Known, Inventory]]:
    """Return everything of a thread but the content of its items."""
    reply = yield from backend.call(thread_id, INVENTORY, [backend.now()])
    seen = known(thread_id, reply[0], None)
    inventory = Inventory(
        state=seen.state(),
        checkpoints=[unpack_checkpoint(it) for it in reply[1]],
        writes=[unpack_write(it) for it in reply[2]],
        numbers=sorted(number(it, f"an item of thread {thread_id!r}") for it in reply[3]),
    )
    return seen, inventory


def give_items(backend: Backend, thread_id: str, generation: int, taker: Reader | Plan) -> Flow[bool]:
    """Give items until no more are wanted; return whether the numbers meant the same items all the time."""
    while wanted := taker.wants():
        numbers = [no for numbers in wanted for no in numbers]
        found: list[tuple[int, bytes]] = []
        for start in range(0, len(numbers), ITEMS_AT_ONCE):
            some = numbers[start : start + ITEMS_AT_ONCE]
            meta, items, *_ = backend.keys(thread_id)
            now, sealed = yield from backend.database.read(("HGET", meta, "g"), ("HMGET", items, *some))
            if number(now or 0, f"the generation of thread {thread_id!r}") != generation:
                return False
            found += [(no, it) for no, it in zip(some, sealed, strict=True) if it is not None]
        taker.take_items(found)
    return True


# -------------------------------------------------------------------------------------------------------------- a page
def _page(backend: Backend, thread_id: str, query: Query, expires_at: int | None) -> Flow[tuple[Known, list[_Row]]]:
    registered = Registered()
    for _ in range(MAX_STARTS):
        at = backend.now()
        arguments = _arguments(query, at, expires_at, registered)
        reply = yield from backend.call(thread_id, PAGE, arguments)
        seen = known(thread_id, reply[1], None)
        if reply[0] == 0:
            return seen, _rows(query, reply[2])
        labels, horizon = reply[3], horizon_of(expires_at, at, reply[2].decode())
        indexes = backend.registry.of_thread(seen.owner, labels)
        register = backend.registry.register
        registered = yield from register(thread_id, indexes, horizon, labels=len(labels), has_begun=True)
    raise changed_too_often(thread_id)


def _arguments(query: Query, at: int, expires_at: int | None, registered: Registered) -> list[Argument]:
    ends = ("", "") if expires_at is None else (expires_at, milliseconds(expires_at))
    limit = "" if query.limit is None else query.limit
    return [at, *ends, registered.horizon, registered.labels, limit, *_kind(query)]


def _kind(query: Query) -> list[Argument]:
    if query.is_latest:
        return ["heads"] if query.ns is None else ["one", query.ns]
    first = b"" if query.id is None else query.id.encode() + b"\x00"
    after_ns = query.after_key[0] if query.after_key else ""
    if query.ns is not None:
        return ["range", query.ns, first, _last(query, is_after_ns=query.ns > after_ns)]
    return ["all", first, _last(query, is_after_ns=False), after_ns, _last(query, is_after_ns=True)]


def _last(query: Query, *, is_after_ns: bool) -> bytes:
    """Return before which id and terminator a namespace is read; empty: to its end."""
    bounds = []
    if query.id is not None:
        bounds.append(query.id.encode() + b"\x01")
    if query.before is not None:
        bounds.append(query.before.encode() + b"\x00")
    if query.after_key is not None:
        bounds.append(query.after_key[1].encode() + (b"\x01" if is_after_ns else b"\x00"))
    return min(bounds, default=b"")


def _rows(query: Query, found: Sequence[Sequence[Any]]) -> list[_Row]:
    """Return rows in the order of a listing: newest id first, then namespace."""
    pairs: list[_Row] = [(unpack_checkpoint(it), [unpack_write(one) for one in writes]) for it, writes in found]
    if query.is_latest:
        pairs = [it for it in pairs if _is_meant(query, it[0])]
    pairs.sort(key=lambda it: it[0].ns)
    pairs.sort(key=lambda it: it[0].id, reverse=True)
    return pairs if query.limit is None else pairs[: query.limit]


def _is_meant(query: Query, row: CheckpointRow) -> bool:
    """Whether a head, which was fetched by its name alone, is also within the other bounds of a query."""
    is_named = query.id is None or row.id == query.id
    is_before = query.before is None or row.id < query.before
    if query.after_key is None:
        return is_named and is_before
    ns, after = query.after_key
    return is_named and is_before and (row.id < after or (row.id == after and row.ns > ns))


def _remember(backend: Backend, thread_id: str, seen: Known) -> None:
    """Keep what was seen, so that the change that follows needs no look; labels are still those known before."""
    before = backend.known.get(thread_id)
    if before is not None and before.generation == seen.generation:
        heads = {**before.heads, **seen.heads} if before.next_no == seen.next_no else seen.heads
        seen = replace(seen, labels=before.labels, heads=heads)
    backend.known.put(thread_id, seen)

"""Listing threads in Redis: the registry names candidates, each thread says itself whether it is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoints.base import ThreadRow
from langchain_agentmem.checkpoints.redis.registry import Entry, Index
from langchain_agentmem.checkpoints.redis.rows import number_if_any, owner_if_any
from langchain_agentmem.checkpoints.redis.thread import Backend
from langchain_agentmem.redis.wire import Command
from langchain_agentmem.types.scope import Owner

MIN_BATCH: Final = 64
MAX_BATCH: Final = 1_024
"""Candidates per round trip; the others of a batch are asked again by the next page."""
_FIELDS: Final = ("g", "o", "c", "u", "x")


class _Found(NamedTuple):
    entry: Entry
    row: ThreadRow | None  # None: there is no such thread (any more)
    labels: int


class Wanted(NamedTuple):
    """Which threads are listed: of an owner, with all of some labels, changed at some time or later."""

    owner: Owner | None
    labels: Sequence[bytes] = ()
    used_since: int = 0

    def includes(self, found: _Found, at: int) -> bool:
        """Return whether a candidate is one of them."""
        row = found.row
        return (
            row is not None
            and not _is_over(row, at)
            and found.labels == len(self.labels)
            and self.owner in {None, row.owner}
            and row.last_used_at >= self.used_since
        )


def threads(backend: Backend, wanted: Wanted, after: str | None, limit: int) -> Flow[list[ThreadRow]]:
    """Return threads in the order of their ids."""
    index = _index(backend, wanted.owner, wanted.labels)
    rows: list[ThreadRow] = []
    batch = min(max(limit, MIN_BATCH), MAX_BATCH)
    while len(rows) < limit:
        found = yield from _candidates(backend, index, after, batch, wanted)
        yield from backend.registry.forget([(index, it.entry) for it in found if it.row is None])
        at = backend.now()
        rows += [it.row for it in found if it.row is not None and wanted.includes(it, at)]
        if len(found) < batch:
            break
        after = found[-1].entry.thread_id
    return rows[:limit]


def last_use(backend: Backend, owner: Owner) -> Flow[int | None]:
    """Return when one of an owner's threads was last written to."""
    used: list[int] = []
    wanted, after = Wanted(owner), None
    while page := (yield from threads(backend, wanted, after, MAX_BATCH)):
        used.append(max(row.last_used_at for row in page))
        after = page[-1].thread_id
        if len(page) < MAX_BATCH:
            break
    return max(used, default=None)


def expired(backend: Backend, at: int, limit: int) -> Flow[list[str]]:
    """Return threads that have expired by a time and are still there; entries of those that are not are forgotten."""
    index, after, ids = backend.registry.everything, None, list[str]()
    while len(ids) < limit:
        found = yield from _candidates(backend, index, after, MAX_BATCH, Wanted(None))
        yield from backend.registry.forget([(index, it.entry) for it in found if it.row is None])
        ids += [it.row.thread_id for it in found if it.row is not None and _is_over(it.row, at)]
        if len(found) < MAX_BATCH:
            break
        after = found[-1].entry.thread_id
    return ids[:limit]


def _index(backend: Backend, owner: Owner | None, labels: Sequence[bytes]) -> Index:
    if owner is not None:
        return backend.registry.of_owner(owner)
    return backend.registry.of_label(labels[0]) if labels else backend.registry.everything


def _candidates(backend: Backend, index: Index, after: str | None, limit: int, wanted: Wanted) -> Flow[list[_Found]]:
    entries = yield from backend.registry.page(index, after, limit)
    fields: Command = (*_FIELDS, *(b"l:" + label for label in wanted.labels))
    commands: list[Command] = [("HMGET", backend.keys(entry.thread_id)[0], *fields) for entry in entries]
    replies = yield from backend.database.spread(commands)
    found = [_found(entry, reply) for entry, reply in zip(entries, replies, strict=True)]
    left = yield from _left(backend, [it.entry for it in found if it.row is None])
    return [it._replace(row=_row_of(it.entry, wanted)) if it.entry in left else it for it in found]


def _left(backend: Backend, entries: Sequence[Entry]) -> Flow[set[Entry]]:
    """Return those of which other keys are left: they were evicted in part, and are not gone."""
    counts = yield from backend.database.spread([("EXISTS", *backend.keys(it.thread_id)[1:]) for it in entries])
    return {it for it, count in zip(entries, counts, strict=True) if count}


def _row_of(entry: Entry, wanted: Wanted) -> ThreadRow:
    """Return what the index tells of such a thread: whoever goes on to it is told what is wrong with it."""
    return ThreadRow(entry.thread_id, wanted.owner, 0, 0, None)


def _found(entry: Entry, reply: Sequence[Any]) -> _Found:
    generation, owner, created, used, expires, *labels = reply
    if generation is None:
        return _Found(entry, None, 0)
    begun, last = number_if_any(created) or 0, number_if_any(used) or 0
    row = ThreadRow(entry.thread_id, owner_if_any(owner), begun, last, number_if_any(expires))
    return _Found(entry, row, sum(it is not None for it in labels))


def _is_over(row: ThreadRow, at: int) -> bool:
    return row.expires_at is not None and row.expires_at <= at

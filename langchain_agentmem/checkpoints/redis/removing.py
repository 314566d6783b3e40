"""Removing from a thread in Redis, and removing threads."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoints.base import Inventory, Plan, Removal
from langchain_agentmem.checkpoints.redis.reading import MAX_STARTS, changed_too_often, give_items, read_inventory
from langchain_agentmem.checkpoints.redis.registry import Entry
from langchain_agentmem.checkpoints.redis.rows import (
    Known,
    checkpoint_key,
    checkpoint_rest,
    owner_if_any,
    pack_digests,
    pack_optional,
    write_key,
    write_rest,
)
from langchain_agentmem.checkpoints.redis.scripts import DELETE, REMOVE
from langchain_agentmem.checkpoints.redis.thread import Backend
from langchain_agentmem.errors import StorageError
from langchain_agentmem.redis.replies import pairs
from langchain_agentmem.redis.wire import Argument

_GENERATION_BITS: Final = 62


def remove(backend: Backend, thread_id: str, plan: Plan) -> Flow[Removal | None]:
    """Ask a plan what to remove, and remove it if nothing has changed since; others of this process wait meanwhile.

    Raises:
        StorageError: Others kept changing the thread (retryable), or Redis failed.
    """
    has_turn = yield from backend.turns.wait(thread_id)
    try:
        return (yield from _remove(backend, thread_id, plan))
    finally:
        if has_turn:
            backend.turns.end(thread_id)


def _remove(backend: Backend, thread_id: str, plan: Plan) -> Flow[Removal | None]:
    for _ in range(MAX_STARTS):
        seen, inventory = yield from read_inventory(backend, thread_id)
        if not seen.generation:
            return None
        plan.take_inventory(inventory)
        if not (yield from give_items(backend, thread_id, seen.generation, plan)):
            continue
        removal = plan.removal()
        if removal is None:
            return None
        arguments = _arguments(backend.now(), seen, inventory, removal)
        backend.known.drop(thread_id)
        if (yield from backend.call(thread_id, REMOVE, arguments, is_repeatable=False)):
            return removal
    raise changed_too_often(thread_id)


def delete(backend: Backend, thread_id: str, expired_by: int | None, *, with_lease: bool = False) -> Flow[bool]:
    """Remove every key of a thread, and its entries in the registry; return whether it was there.

    A lease ends by itself: its key has an expiry of its own.

    Raises:
        StorageError: A key is still there, or Redis failed; repeating it is safe.
    """
    keys = backend.keys(thread_id)
    backend.known.drop(thread_id)
    for _ in range(MAX_STARTS):
        meta = pairs((yield from backend.database.read(("HGETALL", keys[0])))[0])
        labels = [field[2:] for field in meta if field.startswith(b"l:")]
        indexes = backend.registry.of_thread(owner_if_any(meta.get(b"o")), labels)
        marks = yield from backend.registry.marks(thread_id, indexes)
        taken_for: list[Argument] = [meta.get(b"o", b""), meta.get(b"lc", b"0")]
        arguments: list[Argument] = [backend.now(), "" if expired_by is None else expired_by, *taken_for]
        gone = [*keys, backend.lease_key(thread_id)] if with_lease else keys
        reply = yield from backend.database.call(DELETE, [*gone], arguments, is_repeatable=True)
        if reply[0] < 0:
            continue
        if expired_by is None or reply[0]:
            entries = [(index, Entry(thread_id, mark)) for index, mark in zip(indexes, marks, strict=True)]
            yield from backend.registry.forget(entries, grace_ms=0)
        return _verified(thread_id, was_there=bool(reply[1]), left=reply[2])
    raise changed_too_often(thread_id)


def _verified(thread_id: str, *, was_there: bool, left: int) -> bool:
    if left:
        msg = f"{left} keys of thread {thread_id!r} are still there after it was deleted; repeat the call"
        raise StorageError(msg, is_retryable=True)
    return was_there


def _arguments(at: int, seen: Known, inventory: Inventory, removal: Removal) -> list[Argument]:
    checkpoints = list(_checkpoints_to_remove(inventory, removal))
    writes = list(_writes_to_remove(inventory, removal))
    items = [no for no in inventory.numbers if any(no in numbers for numbers in removal.items)]
    added = list(_checkpoints_to_add(inventory, removal))
    moved = {ns: pack_optional(head) for ns, head in removal.heads.items() if head is not None}
    gone = [ns for ns, head in removal.heads.items() if head is None]
    generation = secrets.randbits(_GENERATION_BITS) + 1 if removal.is_anew else seen.generation
    put = [write_key(row) + write_rest(row) for row in removal.reworded_writes]
    counts = (len(checkpoints), len(writes), len(items), len(added), len(moved), len(gone), len(put))
    heads: list[Argument] = [part for head in moved.items() for part in head]
    reworded: list[Argument] = [part for it in removal.reworded for part in (it.no, it.sealed, pack_digests([it]))]
    fixed: list[Argument] = [at, seen.generation, seen.revision, generation]
    return [
        *fixed,
        *counts,
        len(removal.reworded),
        *checkpoints,
        *writes,
        *items,
        *added,
        *heads,
        *gone,
        *put,
        *reworded,
    ]


def _checkpoints_to_remove(inventory: Inventory, removal: Removal) -> Iterator[bytes]:
    """Return the members of checkpoints that go, or that others replace."""
    for row in inventory.checkpoints:
        if _goes(removal, row.ns, row.id) or (row.ns, row.id) in removal.replaced:
            yield checkpoint_key(row.ns, row.id) + checkpoint_rest(row)


def _checkpoints_to_add(inventory: Inventory, removal: Removal) -> Iterator[bytes]:
    for row in inventory.checkpoints:
        if (row.ns, row.id) in removal.replaced and not _goes(removal, row.ns, row.id):
            yield checkpoint_key(row.ns, row.id) + checkpoint_rest(removal.replaced[row.ns, row.id])


def _writes_to_remove(inventory: Inventory, removal: Removal) -> Iterator[bytes]:
    """Return the members of writes that go, or that others replace."""
    gone = removal.writes | {(it.ns, it.checkpoint_id, it.task_id, it.idx) for it in removal.reworded_writes}
    for row in inventory.writes:
        place = (row.ns, row.checkpoint_id, row.task_id, row.idx)
        is_orphan = (row.ns, row.checkpoint_id) in removal.orphans
        if is_orphan or place in gone or _goes(removal, row.ns, row.checkpoint_id):
            yield write_key(row) + write_rest(row)


def _goes(removal: Removal, ns: str, checkpoint_id: str) -> bool:
    """Whether a checkpoint goes by itself, or with its namespace."""
    is_namespace_gone = ns in removal.heads and removal.heads[ns] is None
    return is_namespace_gone or (ns, checkpoint_id) in removal.checkpoints

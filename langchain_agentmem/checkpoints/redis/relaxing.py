"""A thread in Redis that had no end and has one now: the registry need not keep it for ever any more.

First the thread itself says until when it is kept, then its entries do. Whoever wants it for longer from then on has to
register it again, which renews the marks of the entries, and a mark that was renewed is left alone.
"""

from __future__ import annotations

from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoints.redis.registry import GRACE_MS, NEVER, horizon_of, registered_at
from langchain_agentmem.checkpoints.redis.rows import unpack_owner
from langchain_agentmem.checkpoints.redis.scripts import RELAX
from langchain_agentmem.checkpoints.redis.thread import Backend
from langchain_agentmem.errors import StorageError
from langchain_agentmem.redis.replies import number, pairs
from langchain_agentmem.redis.wire import Argument


def relax(backend: Backend, thread_id: str, known_horizon: str, expires_at: int | None) -> Flow[None]:
    """Let the registry keep a thread as long as it needs, where it kept it for ever and the thread was given an end.

    Entries that were just renewed stay as they are: somebody may be about to prolong it. The next use tries again.
    """
    if known_horizon != NEVER or expires_at is None:
        return
    try:
        yield from _relax(backend, thread_id)
    except StorageError:
        return  # what the caller came for is done; an entry that is kept too long does no harm


def _relax(backend: Backend, thread_id: str) -> Flow[None]:
    keys = backend.keys(thread_id)
    meta = pairs((yield from backend.database.read(("HGETALL", keys[0])))[0])
    if meta.get(b"z") != NEVER.encode() or not meta.get(b"x"):
        return
    labels = [field[2:] for field in meta if field.startswith(b"l:")]
    indexes = backend.registry.of_thread(unpack_owner(meta.get(b"o"), thread_id), labels)
    marks = yield from backend.registry.marks(thread_id, indexes)
    expires_at = number(meta[b"x"], f"the expiry of thread {thread_id!r}")
    horizon = horizon_of(expires_at, backend.now(), "")
    settled: list[Argument] = [registered_at(marks) + GRACE_MS, meta.get(b"o", b""), meta.get(b"lc", b"0")]
    arguments: list[Argument] = [backend.now(), horizon, *settled]
    backend.known.drop(thread_id)
    if (yield from backend.call(thread_id, RELAX, arguments, is_repeatable=False)):
        yield from backend.registry.relax(thread_id, list(zip(indexes, marks, strict=True)), horizon)

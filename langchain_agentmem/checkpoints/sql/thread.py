"""One thread's row in SQL: opened, locked, begun and erased inside the caller's transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from langchain_agentmem.checkpoints.base import Owner, ThreadState
from langchain_agentmem.checkpoints.sql import rows
from langchain_agentmem.checkpoints.sql.ids import unpack
from langchain_agentmem.errors import StorageError
from langchain_agentmem.sql.prepared import Transaction

GENERATIONS_PER_REF: Final = 2**32
"""A row's number, which is never used twice, counts in steps of this; removals of items count in between."""

_BEGIN_TRIES: Final = 20
"""How often a thread that is about to begin may be begun and deleted by others in between."""


@dataclass(slots=True, kw_only=True)
class OpenThread:
    """A thread's row, and those of its namespaces that were asked for."""

    ref: int
    generation: int
    next_no: int
    owner: Owner | None = None
    expires_at: int | None = None
    refs: dict[str, int] = field(default_factory=dict)
    heads: dict[str, str] = field(default_factory=dict)

    def is_expired(self, at: int) -> bool:
        """Whether it is no thread any more."""
        return self.expires_at is not None and self.expires_at <= at

    def state(self) -> ThreadState:
        """Return what drafts, readers and plans see of it."""
        return ThreadState(generation=self.generation, next_no=self.next_no, owner=self.owner, heads=self.heads)


def find(
    connection: Transaction, thread_id: str, namespaces: Sequence[str] | None, at: int | None
) -> OpenThread | None:
    """Return a thread, with some of its namespaces or (`None`) all; `at`: only if it has not expired by then."""
    thread = _open(connection, thread_id, namespaces)
    return None if thread is None or (at is not None and thread.is_expired(at)) else thread


def begin(connection: Transaction, thread_id: str, namespaces: Sequence[str], at: int) -> OpenThread:
    """Return a thread, locked, and begun if there is none.

    Raises:
        StorageError: Others began and deleted it all the time (retryable).
    """
    for _ in range(_BEGIN_TRIES):
        thread = _open(connection, thread_id, namespaces) if lock(connection, thread_id) else None
        if thread is not None and not thread.is_expired(at):
            return thread
        if thread is not None:
            erase(connection, thread.ref)
        begun = rows.BEGIN.rows(connection, {"thread": thread_id, "at": at})
        if begun:
            return OpenThread(ref=begun[0][0], generation=begun[0][0] * GENERATIONS_PER_REF, next_no=1)
    msg = f"thread {thread_id!r} is begun and deleted by others all the time; retry"
    raise StorageError(msg, is_retryable=True)


def lock(connection: Transaction, thread_id: str) -> bool:
    """Wait for a thread and hold it until the transaction ends; return whether it can be there.

    What is read afterwards is what the holder before left. In SQLite the transaction holds all threads already.
    """
    return connection.dialect.name == "sqlite" or bool(rows.LOCK.rows(connection, {"thread": thread_id}))


def complete(connection: Transaction, thread_id: str, thread: OpenThread) -> None:
    """Read all namespaces of a thread that was opened with some."""
    whole = _open(connection, thread_id, None)
    if whole is not None:
        thread.refs = whole.refs


def erase(connection: Transaction, ref: int) -> None:
    """Delete a thread and everything of it but its lease."""
    for statement in rows.DELETE_THREAD:
        statement.change(connection, [{"ref": ref}])


def _open(connection: Transaction, thread_id: str, namespaces: Sequence[str] | None) -> OpenThread | None:
    if namespaces is not None and len(namespaces) == 1:
        found = rows.OPEN_ONE.rows(connection, {"thread": thread_id, "ns": namespaces[0]})
    else:
        found = rows.OPEN_ALL.rows(connection, {"thread": thread_id})
    return _thread(found) if found else None


def _thread(found: Sequence[tuple[Any, ...]]) -> OpenThread:
    ref, removals, next_no, tenant_id, user_id, expires_at, *_ = found[0]
    return OpenThread(
        ref=ref,
        generation=ref * GENERATIONS_PER_REF + removals,
        next_no=next_no,
        owner=None if user_id is None else Owner(tenant_id, user_id),
        expires_at=expires_at,
        refs={ns: ns_ref for *_, ns_ref, ns, _ in found if ns_ref is not None},
        heads={ns: unpack(head) for *_, ns, head in found if head is not None},
    )

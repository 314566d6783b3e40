"""One thread's row in SQL: opened, locked, begun and erased inside the caller's transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from langchain_agentmem.checkpoints.base import ThreadState
from langchain_agentmem.checkpoints.sql import rows
from langchain_agentmem.checkpoints.sql.ids import unpack
from langchain_agentmem.errors import IntegrityError, StorageError
from langchain_agentmem.sql.prepared import Transaction
from langchain_agentmem.types.scope import Owner

GENERATIONS_PER_REF: Final = 2**32
"""A row's number, which is never used twice, counts in steps of this; removals of items count in between."""

_NS_REF, _NS, _HEAD = 7, 8, 9
OPENED: Final = 10
"""How many columns open a thread; the last are those of a namespace."""
_EXPIRES: Final = (int, type(None))

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
    is_new: bool = False
    version: str | None = None

    def is_expired(self, at: int) -> bool:
        """Whether it is no thread any more."""
        return self.expires_at is not None and self.expires_at <= at

    def state(self) -> ThreadState:
        """Return what drafts, readers and plans see of it."""
        return ThreadState(self.generation, self.next_no, self.owner, self.heads, self.is_new)


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
            return OpenThread(ref=begun[0][0], generation=begun[0][0] * GENERATIONS_PER_REF, next_no=1, is_new=True)
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
        thread.refs, thread.heads = whole.refs, whole.heads


def erase(connection: Transaction, ref: int) -> None:
    """Delete a thread and everything of it but its lease."""
    for statement in rows.DELETE_THREAD:
        statement.change(connection, [{"ref": ref}])


def _open(connection: Transaction, thread_id: str, namespaces: Sequence[str] | None) -> OpenThread | None:
    if namespaces is not None and len(namespaces) == 1:
        found = rows.OPEN_ONE.rows(connection, {"thread": thread_id, "ns": namespaces[0]})
    else:
        found = rows.OPEN_ALL.rows(connection, {"thread": thread_id})
    return thread_of(found) if found else None


def thread_of(found: Sequence[tuple[Any, ...]]) -> OpenThread:
    """Return the thread that rows begin with.

    Raises:
        IntegrityError: It holds text where a number should be: SQLite lets anything stand in a column.
    """
    ref, removals, next_no, tenant_id, user_id, expires_at, version, *_ = found[0]
    if type(removals) is not int or type(next_no) is not int or type(expires_at) not in _EXPIRES:
        msg = f"row {ref} of agentmem_threads holds text where a number should be; restore the database from a backup"
        raise IntegrityError(msg)
    return OpenThread(
        ref=ref,
        generation=ref * GENERATIONS_PER_REF + removals,
        next_no=next_no,
        owner=None if user_id is None else Owner(tenant_id, user_id),
        expires_at=expires_at,
        refs={row[_NS]: row[_NS_REF] for row in found if row[_NS_REF] is not None},
        heads={row[_NS]: unpack(row[_HEAD]) for row in found if row[_HEAD] is not None},
        version=version,
    )

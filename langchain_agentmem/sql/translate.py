"""Errors of SQLAlchemy and its drivers, in our words."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import AgentMemError, IntegrityError, StorageError
from langchain_agentmem.sql.readers import ONLY_READ_SQLSTATE

_RETRYABLE_SQLITE: Final = {"SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_BUSY_SNAPSHOT", "SQLITE_BUSY_RECOVERY"}
_BUSY: Final = (
    "another writer holds the SQLite file ({name}); nothing of this call was written, repeat it, or give the Database "
    "a longer busy_timeout_s; for many writers at once use PostgreSQL"
)
_DAMAGED_SQLITE: Final = {"SQLITE_CORRUPT", "SQLITE_NOTADB"}
_RETRYABLE_SQLSTATES: Final = ("08", "40", "53", "57", "55P03")
"""Connection lost, transaction rolled back, resources, operator intervention, lock not available (PostgreSQL)."""

_ONLY_READ: Final = (
    "this PostgreSQL is only read: a standby, or default_transaction_read_only is set (25006); nothing was written: "
    "connect to its primary (several hosts and target_session_attrs=read-write in the URL find it), or wait for the "
    "end of the failover"
)
"""What the old primary says after a failover, too: so it may be tried again."""

_FULL_SQLSTATE: Final = "53100"
_FULL: Final = "the disk is full; nothing of this call was written, free space and repeat it"

_UNWRITTEN_SQLITE: Final = {"SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_TRUNCATE"}
_UNWRITTEN: Final = (
    "the SQLite file or its log could not be written ({name}); nothing of this call was written: free space on its "
    "disk, or raise the limit of how large a file may be, and repeat it"
)
"""Where SQLite cannot tell that the disk is full: a limit of a process or user, or no room for the index of the log."""

_CROWDED_SIGNS: Final = ("too many connections", "too many clients", "remaining connection slots")
_CROWDED: Final = (
    "; the server takes no more connections: repeat the call, let fewer processes run, raise max_connections (or the "
    "CONNECTION LIMIT of the role or database), or put a pooler in between"
)
_UNREACHED_SIGNS: Final = (
    "connection failed",
    "connection timeout",
    "connection is bad",
    "failed to resolve",
    "[Errno",
)
_UNREACHED: Final = "; see that it runs and is reached under the host and port of the URL, and repeat the call"
_CUT: Final = (
    "; the connection ended, and a write that was on its way may be stored or not: see that the server runs, and "
    "repeat the call, which stores no memory and no message with an id twice"
)
_REMEDIES: Final = {
    "57P": _CUT,
    "08": _CUT,
    "57014": "; the server ended a statement: raise its statement_timeout (ALTER ROLE … SET statement_timeout), and "
    "repeat the call",
    "55P03": "; another transaction holds the lock: repeat the call, or raise lock_timeout",
    "40": "; nothing of this call was written: repeat it",
}
"""By how a number begins."""

_MAX_CAUSE_CHARS: Final = 300
"""What a driver says of a connection that failed; it names host and database, never a password or a row."""


_DRIVER_ERRORS: Final = (SQLAlchemyError, sqlite3.Error, UnicodeDecodeError)
"""The last: of a damaged file not even what SQLite says of it can be read."""

_NO_TEXT: Final = "the database is damaged: what it gives as text is none (UnicodeDecodeError); restore a backup of it"


def translate(error: SQLAlchemyError | sqlite3.Error | UnicodeDecodeError) -> StorageError:
    """Return the error of ours that says what happened and whether a retry may help; it never holds a parameter."""
    if isinstance(error, UnicodeDecodeError):
        return IntegrityError(_NO_TEXT)
    original = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(original, sqlite3.Error):
        return _of_sqlite(original)
    if isinstance(error, PoolTimeout):
        return StorageError("every connection of the pool is in use; retry, or use fewer threads", is_retryable=True)
    sqlstate = str(getattr(original, "sqlstate", None) or "")
    is_lost = isinstance(error, (OperationalError, InterfaceError)) and not sqlstate
    if sqlstate == ONLY_READ_SQLSTATE:
        return StorageError(_ONLY_READ, is_retryable=True, is_read_only=True)
    if sqlstate == _FULL_SQLSTATE:
        return StorageError(_FULL, is_retryable=True, is_read_only=True)
    text = f"the database failed: {type(original or error).__name__} {sqlstate}".rstrip()
    said = " ".join(str(original or error).split())
    if is_lost:
        text = f"{text}: {said[:_MAX_CAUSE_CHARS]}"
    text += _remedy(sqlstate, said if is_lost else "")
    return StorageError(text, is_retryable=is_lost or sqlstate.startswith(_RETRYABLE_SQLSTATES))


def _remedy(sqlstate: str, said: str) -> str:
    """Return what to do about an error of PostgreSQL's, where that is known; a refusal at the door has no number."""
    if sqlstate == "53300" or any(sign in said for sign in _CROWDED_SIGNS):
        return _CROWDED
    if said:
        return _UNREACHED if said.startswith(_UNREACHED_SIGNS) else _CUT
    return next((remedy for start, remedy in _REMEDIES.items() if sqlstate.startswith(start)), "")


@contextmanager
def translated() -> Iterator[None]:
    """Turn errors of SQLAlchemy and of the drivers into ours, here and nowhere else."""
    try:
        yield
    except AgentMemError:
        raise
    except _DRIVER_ERRORS as error:
        raise translate(error) from error


def _of_sqlite(error: sqlite3.Error) -> StorageError:
    name = getattr(error, "sqlite_errorname", type(error).__name__)
    if name in _DAMAGED_SQLITE:
        return IntegrityError(f"the SQLite file is damaged or no database ({name}); restore it from a backup")
    if name == "SQLITE_FULL":
        return StorageError(_FULL, is_retryable=True, is_read_only=True)
    if name in _UNWRITTEN_SQLITE:
        return StorageError(_UNWRITTEN.format(name=name), is_retryable=True, is_read_only=True)
    if name.startswith("SQLITE_READONLY"):
        return StorageError(
            f"the SQLite file cannot be written ({name}); check its permissions and its folder's", is_read_only=True
        )
    if name in _RETRYABLE_SQLITE:
        return StorageError(_BUSY.format(name=name), is_retryable=True)
    return StorageError(f"SQLite failed: {name}")


def is_written(flow: Flow[object]) -> Flow[bool]:
    """Write where anything can be written, and return whether it was: `False` where the database is only read."""
    try:
        yield from flow
    except StorageError as error:
        if not error.is_read_only:
            raise
        return False
    return True

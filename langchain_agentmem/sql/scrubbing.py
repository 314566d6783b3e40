"""What takes erased rows out of a SQLite file and its write-ahead log.

SQLite overwrites what it deletes (`secure_delete`). But it copies rows as it moves them from page to page, and what it
leaves behind in the free part of a page is overwritten by nobody: only a file that is written anew holds no copy. That
takes as long as the file is large, so a file says of itself what is left to do, by its `user_version` (SQLite keeps
that number for applications): 0 where nothing is, else a number drawn anew with each erasure, in its transaction. It is
odd while the log may hold what was erased, then the even one below it while the file may.
"""

from __future__ import annotations

import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

SCRUB_WAIT_MS: Final = 250
"""How long somebody who reads or writes is waited for, once; it is tried again later."""

_EMPTY_WITHIN_S: Final = 1.0
_PAUSE_S: Final = 0.02
"""How long, and how often, the log is asked to be emptied: for a checkpoint of somebody else SQLite does not wait at
all."""

REWRITTEN_AT_ONCE: Final = 4 << 20
"""Bytes in use up to which a file is written anew with each erasure: some 7 ms for each million of them."""

_HALF: Final = 1 << 30  # a `user_version` has 31 bits
_PRIMARY_CODE: Final = 0xFF  # the extended code says which kind of it (sqlite.org/rescode.html)
_NOT_NOW: Final = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL}


def mark(connection: sqlite3.Connection) -> int:
    """Note in a transaction that it erases something, and return the mark."""
    drawn = 2 * secrets.randbelow(_HALF - 1) + 3
    connection.execute(f"PRAGMA user_version = {drawn}")
    return drawn


def marked(connection: sqlite3.Connection) -> int:
    """Return the mark of the last erasure; 0 where nothing is left to do."""
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    return int(found)


def is_in_log(mark: int) -> bool:
    """Whether the log may hold what was erased."""
    return mark % 2 == 1


def scrub(connection: sqlite3.Connection, up_to: float) -> int:
    """Take what was erased out of the log, and out of a file that is no larger; return what is left to do.

    Args:
        connection: In no transaction; how long it waits for others is changed.
        up_to: Bytes in use. What is not written anew, also for want of room or because others write, stays marked.
    """
    connection.execute(f"PRAGMA busy_timeout = {SCRUB_WAIT_MS}")
    found = marked(connection)
    if not is_in_log(found):
        with _writing(connection):
            found = mark(connection)
    is_rewritten = _bytes_in_use(connection) <= up_to and _is_rewritten(connection)
    if not _is_emptied(connection):
        return found
    left = 0 if is_rewritten else found - 1
    _unmark(connection, found, left)
    return left


def _is_rewritten(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("VACUUM")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & _PRIMARY_CODE not in _NOT_NOW:
            raise
        return False
    return True


def _is_emptied(connection: sqlite3.Connection) -> bool:
    """Empty the log, and return whether that could be done."""
    until = time.monotonic() + _EMPTY_WITHIN_S
    while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
        if time.monotonic() >= until:
            return False
        time.sleep(_PAUSE_S)
    return True


def _unmark(connection: sqlite3.Connection, done: int, left: int) -> None:
    """Say what is left to do, unless somebody has erased something meanwhile; another time if somebody is writing."""
    with suppress(sqlite3.OperationalError), _writing(connection):
        if marked(connection) == done:
            connection.execute(f"PRAGMA user_version = {left}")


def _bytes_in_use(connection: sqlite3.Connection) -> int:
    sizes = [connection.execute(f"PRAGMA {it}").fetchone()[0] for it in ("page_count", "freelist_count", "page_size")]
    pages, free, size = map(int, sizes)
    return (pages - free) * size


@contextmanager
def _writing(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise

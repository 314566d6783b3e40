"""Transactions on the SQLite driver's own connections, for bodies that use prepared statements alone.

What SQLAlchemy does around a transaction (checking a connection out, objects for it and for its beginning) costs as
much as a small transaction itself. Where each call is one such transaction, the driver is used directly.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Literal, TypeVar

from sqlalchemy import Dialect
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

from langchain_agentmem.sql import sqlite

T = TypeVar("T")
MAX_IDLE: Final = 8
"""Connections kept open between transactions, as many as a pool of SQLAlchemy's holds; more are closed after use."""

_BEGIN: Final = {"read": "BEGIN", "write": "BEGIN IMMEDIATE"}


class DriverConnection:
    """A connection in a transaction, as `Prepared` wants it.

    Attributes:
        connection: The driver's connection.
        dialect: How statements are compiled for it.
    """

    __slots__ = ("connection",)
    dialect: Final[Dialect] = SQLiteDialect_pysqlite(dbapi=sqlite3)

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection


class DriverConnections:
    """Connections to one SQLite file, each used by one thread at a time.

    Args:
        path: The file.
        options: Settings of each connection.
    """

    def __init__(self, path: str, options: sqlite.Options) -> None:
        """Nothing is opened yet."""
        self._path = path
        self._options = options
        self._idle: list[DriverConnection] = []
        self._lock = threading.Lock()
        self._generation = 0

    def run(self, body: Callable[[DriverConnection], T], mode: Literal["read", "write"]) -> T:
        """Run `body` in a transaction; it is committed at the end, and rolled back at an error."""
        generation = self._generation
        taken = self._take()
        execute = taken.connection.execute
        try:
            execute(_BEGIN[mode])
            result = body(taken)
            execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                if taken.connection.in_transaction:
                    execute("ROLLBACK")
            raise
        else:
            return result
        finally:
            self._give_back(taken, generation)

    def close(self) -> None:
        """Close every connection; one that is in use is closed when its transaction ends."""
        with self._lock:
            self._generation += 1
            idle, self._idle = self._idle, []
        for each in idle:
            each.connection.close()

    def forget(self) -> None:
        """Let go of every connection without closing it: they are a parent process's."""
        self._lock = threading.Lock()  # the parent may have held it
        self._generation += 1
        _left_behind.extend(self._idle)
        self._idle = []

    def _take(self) -> DriverConnection:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        connection = sqlite3.connect(self._path, **self._options.connect_args())
        self._options.prepare(connection, None)
        return DriverConnection(connection)

    def _give_back(self, taken: DriverConnection, generation: int) -> None:
        with self._lock:
            is_current = generation == self._generation and not taken.connection.in_transaction
            is_kept = is_current and len(self._idle) < MAX_IDLE
            if is_kept:
                self._idle.append(taken)
        if not is_kept:
            taken.connection.close()


_left_behind: Final[list[DriverConnection]] = []
"""Connections of a parent process; collected as garbage, they would be closed, and SQLite's locks with them."""

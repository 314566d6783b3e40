"""Transactions on the SQLite driver's own connections.

What SQLAlchemy does around a transaction (checking a connection out, objects for it and for its beginning) costs as
much as a small transaction itself. So the driver begins and commits. Bodies that use more than prepared statements get
the same connection as SQLAlchemy's: it is opened once, and believes to be in one transaction for ever.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, Literal, TypeAlias, TypeVar

from sqlalchemy import URL, Connection, CursorResult, Dialect, Engine, create_engine, event
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from langchain_agentmem.errors import AgentMemError, StorageError
from langchain_agentmem.sql import scrubbing, sqlite
from langchain_agentmem.sql.mistyped import UNREADABLE, find_mistyped
from langchain_agentmem.sql.translate import translate

T = TypeVar("T")
MAX_IDLE: Final = 8
"""Connections kept open between transactions, as many as a pool of SQLAlchemy's holds; more are closed after use."""

Mode: TypeAlias = Literal["read", "write", "erase"]
_BEGIN: Final[dict[Mode, str]] = {"read": "BEGIN", "write": "BEGIN IMMEDIATE", "erase": "BEGIN IMMEDIATE"}


class DriverConnection:
    """A connection in a transaction, as `Prepared` wants it; any other statement SQLAlchemy executes.

    Attributes:
        connection: The driver's connection. `alchemy`: the same as SQLAlchemy's. `execute`: that one's.
        dialect: How statements are compiled for it.
        waits: Whether it waits for the lock, as a new one does. `refers`: whether references are checked, likewise.
    """

    __slots__ = ("alchemy", "connection", "dialect", "execute", "refers", "waits")
    alchemy: Connection
    connection: sqlite3.Connection
    dialect: Dialect
    execute: Callable[..., CursorResult[Any]]
    refers: bool
    waits: bool

    def __init__(self, alchemy: Connection) -> None:
        alchemy.begin()  # else what runs in it, a migration for one, would begin and commit by itself
        connection = alchemy.connection.dbapi_connection
        assert isinstance(connection, sqlite3.Connection)  # noqa: S101  (tells mypy what the driver is)
        self.alchemy = alchemy
        self.connection = connection
        self.dialect = alchemy.dialect
        self.execute = alchemy.execute
        self.refers = True
        self.waits = True

    @property
    def only_reads(self) -> bool:
        """Whether the file could not be written when it was opened."""
        return isinstance(self.connection, sqlite.OnlyReading)

    @property
    def is_at_rest(self) -> bool:
        """Whether it can be used for another transaction."""
        return not self.alchemy.invalidated and not self.connection.in_transaction


class DriverConnections:
    """Connections to one SQLite file, each used by one thread at a time.

    Args:
        url: The file's.
        options: Settings of each connection.
    """

    def __init__(self, url: URL, options: sqlite.Options) -> None:
        """Nothing is opened yet."""
        self._url = url
        self._path = str(url.database)
        self._options = options
        self._engine: Engine | None = None
        self._idle: list[DriverConnection] = []
        self._lock = threading.Lock()
        self._generation = 0

    def run(self, body: Callable[[DriverConnection], T], mode: Mode, *, waits: bool = True) -> T:
        """Run `body` in a transaction; it is committed at the end, and rolled back at an error.

        `waits`: for another writer; else it fails where there is one. Who erases leaves no reference to what goes: to
        look for any takes longer than the deleting.

        Raises:
            IntegrityError: The file is damaged, or what the body could not read is of a type that is never written.
            StorageError: SQLite failed.
        """
        try:
            return self._run(body, mode, waits=waits)
        except AgentMemError:
            raise
        except (SQLAlchemyError, sqlite3.Error) as error:
            raise translate(error) from error
        except UNREADABLE as error:
            damage = self._damage(error)
            if damage is None:
                raise
            raise damage from error

    def _damage(self, error: Exception) -> StorageError | None:
        """Return what is damaged, where that is why a body failed."""
        found = None
        with suppress(SQLAlchemyError, sqlite3.Error, UnicodeDecodeError):
            found = self._run(lambda taken: find_mistyped(taken.connection), "read", waits=False)
        return translate(error) if found is None and isinstance(error, UnicodeDecodeError) else found

    def _run(self, body: Callable[[DriverConnection], T], mode: Mode, *, waits: bool) -> T:
        generation = self._generation
        taken = self._take()
        execute = taken.connection.execute
        try:
            if taken.waits != waits and mode != "read":
                self._options.wait(taken.connection, waits=waits)
                taken.waits = waits
            if taken.refers is (mode == "erase"):
                execute(f"PRAGMA foreign_keys={'OFF' if taken.refers else 'ON'}")
                taken.refers = not taken.refers
            execute(_BEGIN[mode])
            changes = taken.connection.total_changes
            result = body(taken)
            if mode == "erase" and taken.connection.total_changes > changes:
                scrubbing.mark(taken.connection)
            execute("COMMIT")
            if isinstance(taken.connection, sqlite.OnlyReading):
                taken.connection.check_unchanged(self._path)
        except BaseException:
            with suppress(sqlite3.Error):
                if not taken.is_at_rest:
                    execute("ROLLBACK")
            raise
        else:
            return result
        finally:
            self._give_back(taken, generation)

    def mark(self) -> int:
        """Return what is left to do of erasures; see `scrubbing`."""
        return self.run(lambda taken: scrubbing.marked(taken.connection), "read")

    def scrub(self, up_to: float) -> int:
        """Take what was erased out of the log, and of a file that is no larger; return what is left to do."""
        generation = self._generation
        taken = self._take()
        try:
            return scrubbing.scrub(taken.connection, up_to)
        finally:
            self._options.wait(taken.connection, waits=taken.waits)
            self._give_back(taken, generation)

    def close(self) -> None:
        """Close every connection; one that is in use is closed when its transaction ends."""
        with self._lock:
            self._generation += 1
            idle, self._idle = self._idle, []
        for each in idle:
            each.alchemy.close()

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
            if self._engine is None:
                self._engine = self._create()
        return DriverConnection(self._engine.connect())

    def _create(self) -> Engine:
        """Return what opens connections; it keeps none and begins no transactions."""
        engine = create_engine(
            self._url, poolclass=NullPool, connect_args=self._options.connect_args(), hide_parameters=True
        )
        event.listen(engine, "do_connect", self._only_reading)
        event.listen(engine, "connect", self._options.prepare)
        return engine

    def _only_reading(self, *_: object) -> sqlite3.Connection | None:
        """Connect where the file can only be read; else SQLAlchemy does."""
        return sqlite.only_reading(self._path, **self._options.connect_args())

    def _give_back(self, taken: DriverConnection, generation: int) -> None:
        with self._lock:
            is_current = generation == self._generation and taken.is_at_rest
            is_kept = is_current and len(self._idle) < MAX_IDLE and not taken.only_reads
            if is_kept:
                self._idle.append(taken)
        if not is_kept:
            taken.alchemy.close()


_left_behind: Final[list[DriverConnection]] = []
"""Connections of a parent process; collected as garbage, they would be closed, and SQLite's locks with them."""

"""What SQLite needs to be a safe store for several threads and processes."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from langchain_agentmem._checks import check_text
from langchain_agentmem.errors import ConfigurationError, StorageError
from langchain_agentmem.sql.translate import translate

if TYPE_CHECKING:
    from sqlalchemy import Connection

APPLICATION_ID: Final = 0x61676D65
"""Marks a file as ours in its header ("agme"), as SQLite's file format provides for."""

VERSION_TABLE: Final = "agentmem_schema"
_WAL_TRIES: Final = 50
_WAL_PAUSE_S: Final = 0.1
_HEADER_BYTES: Final = 100
"""Every SQLite file has them (sqlite.org/fileformat2.html)."""

_UNLOCKED: Final = "immutable=1"
_PRIMARY_CODE: Final = 0xFF  # the extended code says which kind of busy (sqlite.org/rescode.html)


Stamp: TypeAlias = tuple[int, int, int, bool]
"""What changes where a file is written: of itself, and whether it has a log."""


class OnlyReading(sqlite3.Connection):
    """A connection to a file that this process may not write; nothing is made beside that either.

    Attributes:
        stamp: Of the file, where no lock keeps others from writing it meanwhile; `None`: SQLite sees to it.
    """

    stamp: Stamp | None = None

    def check_unchanged(self, path: str) -> None:
        """See that what was read is of one moment.

        Raises:
            StorageError: Somebody has written the file; reading it again may help.
        """
        if self.stamp is not None and self.stamp != _stamp_of(Path(path)):
            msg = f"{path!r} was written by another process while it was read here without permission to lock it; retry"
            raise StorageError(msg, is_retryable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Settings of each connection."""

    durable: bool
    busy_timeout_s: float

    def connect_args(self) -> dict[str, Any]:
        """Return the arguments of `sqlite3.connect`."""
        return {"timeout": self.busy_timeout_s, "check_same_thread": False}

    def wait(self, connection: Any, *, waits: bool) -> None:  # noqa: ANN401  (SQLAlchemy does not say whose it is)
        """Let a connection wait for the lock from now on, or only try to take it; to be called before a transaction."""
        connection.execute(f"PRAGMA busy_timeout={round(self.busy_timeout_s * 1_000) if waits else 0}")

    def prepare(self, connection: sqlite3.Connection, _record: object) -> None:
        """Set up a new connection: our own BEGIN, WAL, and deleted text overwritten with zeros."""
        connection.isolation_level = None
        if isinstance(connection, OnlyReading):
            return
        cursor = connection.cursor()
        _enter_wal(cursor)
        cursor.execute(f"PRAGMA synchronous={'FULL' if self.durable else 'NORMAL'}")
        cursor.execute("PRAGMA secure_delete=ON")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()


def only_reading(path: str, **settings: Any) -> OnlyReading | None:
    """Connect to a file that this process may not write, as `sqlite3.connect` does; `None`: it may.

    Raises:
        StorageError: It cannot be read either before somebody has written it.
    """
    file = Path(path)
    if not file.exists() or _may_write(file):
        return None
    stamp, uri = _stamp_of(file), _uri(file)
    found = sqlite3.connect(uri, uri=True, factory=OnlyReading, **settings)
    found.stamp = stamp if _UNLOCKED in uri else None
    return found


def begin(connection: Connection) -> None:
    """Begin a transaction; a writer takes the write lock at once, so that it can never be refused half-way."""
    mode = connection.get_execution_options().get("agentmem_mode", "read")
    connection.exec_driver_sql("BEGIN" if mode == "read" else "BEGIN IMMEDIATE")


def check_file(path: str) -> None:
    """Refuse a path that cannot hold our database, before anything is created or changed.

    Raises:
        ConfigurationError: The folder is missing, the file is not there or empty and cannot be written, it is no
            SQLite database, or that of another application.
    """
    check_text("path", path)
    try:
        _check_path(Path(path), path)
    except OSError as error:
        msg = f"{path!r} cannot be opened ({error.strerror}); choose another path or change its permissions"
        raise ConfigurationError(msg) from error


def _check_path(file: Path, path: str) -> None:
    if file.is_dir():
        msg = f"{path!r} is a folder; name a file in it, for example {str(file / 'agent.db')!r}"
        raise ConfigurationError(msg)
    if not file.parent.is_dir():
        home = "; '~' is no home folder here: write it out, as Path.home() does" if "~" in file.parts else ""
        msg = f"the folder of {path!r} does not exist; create {str(file.parent)!r} first{home}"
        raise ConfigurationError(msg)
    if not file.exists():
        _check_writable(file.parent, path)
        return
    if not file.is_file():
        msg = f"{path!r} is no regular file; choose another path"
        raise ConfigurationError(msg)
    if not file.stat().st_size:
        _check_writable(file, path)
    _check_header(file)


def _check_writable(target: Path, path: str) -> None:
    if not os.access(target, os.W_OK):
        msg = f"{path!r} cannot be written by this process; choose another path or change its permissions"
        raise ConfigurationError(msg)


def _check_header(file: Path) -> None:
    """Ask SQLite itself what the file is.

    Opened and closed by anyone else, a file loses every lock that this process has on it (POSIX): another process would
    then take itself for the last one, and remove the write-ahead log that is still in use here.
    """
    if not os.access(file, os.R_OK):
        msg = f"{str(file)!r} cannot be read by this process; choose another path or change its permissions"
        raise ConfigurationError(msg)
    size = file.stat().st_size
    if 0 < size < _HEADER_BYTES:
        msg = f"{str(file)!r} is not a SQLite database; choose another path"
        raise ConfigurationError(msg)
    if size and not _is_ours(file):
        msg = f"{str(file)!r} is the SQLite database of another application; give this package a file of its own"
        raise ConfigurationError(msg)


def _is_ours(file: Path) -> bool:
    """Whether the file is marked as ours, or empty of tables; a foreign one stays untouched."""
    try:
        with closing(sqlite3.connect(_uri(file), uri=True)) as connection:
            application_id = connection.execute("PRAGMA application_id").fetchone()[0]
            if application_id == APPLICATION_ID:
                return True
            tables = connection.execute("SELECT count(*) FROM sqlite_master WHERE type = 'table'").fetchone()[0]
    except UnicodeDecodeError as error:
        raise translate(error) from error
    except sqlite3.DatabaseError as error:
        msg = f"{str(file)!r} is not a SQLite database, or cannot be read as one ({error}); choose another path"
        raise ConfigurationError(msg) from error
    return bool(application_id == 0 and tables == 0)


def _uri(file: Path) -> str:
    """Return by what a file is read; where it has no log also `immutable`, so that none appears beside it.

    Where it may not be written, the index of a log is not made or changed either: the file's owner could not use it.

    Raises:
        StorageError: There is a log without an index, which takes permission to write.
    """
    mode = _UNLOCKED
    if _has_log(file):
        mode = "" if _may_write(file) else "readonly_shm=1"
        if mode and not _beside(file, "-shm").exists():
            msg = (
                f"{str(file)!r} cannot be written by this process, and what stands in its -wal has to be written into "
                "it before it can be read; open it once where it can be written, or copy it by SQLite's backup"
            )
            raise StorageError(msg, is_read_only=True)
    return f"{file.absolute().as_uri()}?mode=ro&{mode}"


def _may_write(file: Path) -> bool:
    """Whether this process may write a file, and the log and its index beside it."""
    has_index = _beside(file, "-shm").exists()
    return os.access(file, os.W_OK) and (has_index or os.access(file.absolute().parent, os.W_OK))


def _has_log(file: Path) -> bool:
    try:
        return _beside(file, "-wal").stat().st_size > 0 or _beside(file, "-shm").exists()
    except FileNotFoundError:
        return False


def _stamp_of(file: Path) -> Stamp:
    found = file.stat()
    return found.st_ino, found.st_mtime_ns, found.st_size, _has_log(file)


def _beside(file: Path, ending: str) -> Path:
    return file.with_name(file.name + ending)


def _enter_wal(cursor: sqlite3.Cursor) -> None:
    """Switch to write-ahead logging; the busy timeout does not cover this, so a race of first openers is retried."""
    for attempt in range(_WAL_TRIES):
        try:
            if cursor.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                cursor.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if attempt == _WAL_TRIES - 1 or error.sqlite_errorcode & _PRIMARY_CODE != sqlite3.SQLITE_BUSY:
                raise
            time.sleep(_WAL_PAUSE_S)
        else:
            return

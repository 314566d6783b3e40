"""Databases that have our tables before they are opened: Alembic makes them once, and what a test opens is a copy.

A copy is for what is new: a file that is there already, or a database that nobody has emptied, is opened as ever. What
opening does itself is tested on such, and wherever a test has changed what upgrades a schema.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from uuid import uuid4

import pytest
from sqlalchemy import URL

from langchain_agentmem._flow import Flow
from langchain_agentmem.sql import schema_version
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.url import parse_url

LEGACY: Final = b"\x01\x01"
"""In place of the two bytes at 18 that say that a file has a write-ahead log (sqlite.org/fileformat2.html)."""

_emptied: Final[set[URL]] = set()
_lock: Final = threading.Lock()


@contextlib.contextmanager
def copying() -> Iterator[None]:
    """Open what is new as a copy, for as long as nobody changes what upgrades a schema."""
    open_as_ever, upgrade = Database.open, schema_version._upgrade

    def open_copy(database: Database) -> Flow[None]:
        with database._lock:
            if not (database._is_open or database.is_closed) and schema_version._upgrade is upgrade:
                database._is_open = _has_tables(database)
        yield from open_as_ever(database)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "open", open_copy)
        yield


@contextlib.contextmanager
def emptied(url: str) -> Iterator[str]:
    """Say of a PostgreSQL database that it has our tables, as long as it lasts."""
    _emptied.add(parse_url(url))
    yield url
    _emptied.discard(parse_url(url))


def _has_tables(database: Database) -> bool:
    """Whether a database has our tables, if need be by giving it a copy."""
    if not database.is_sqlite:
        return database.url in _emptied
    if database.is_memory:
        connection = database._engine().raw_connection()
        with contextlib.closing(connection), _lock:
            _memory().backup(connection.driver_connection)  # type: ignore[arg-type]  # SQLite's own
        return True
    return _copied_to(Path(str(database.url.database)))


def _copied_to(path: Path) -> bool:
    """Whether a file could be made: all of it at once, as somebody else may look for it at the same time."""
    part = path.with_name(f".{uuid4().hex}")
    try:
        part.write_bytes(_file())
        os.link(part, path)
    except OSError:  # it is there, or its folder is missing: opening tells
        return False
    finally:
        part.unlink(missing_ok=True)
    return True


@functools.cache
def _file() -> bytes:
    """Return a file as it is after it was opened and closed for the first time."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "agent.db")
        database = Database(f"sqlite:///{path}")
        database._migrate_blocking()
        database.close()
        return path.read_bytes()


@functools.cache
def _memory() -> sqlite3.Connection:
    """Return a database in memory with the same tables."""
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.deserialize(_file()[:18] + LEGACY + _file()[20:])
    return connection

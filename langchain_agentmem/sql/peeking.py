"""A look at a database before it is opened: nothing is created, migrated or changed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

from sqlalchemy import URL, create_engine, inspect, text
from sqlalchemy.pool import NullPool

from langchain_agentmem._flow import Flow, work
from langchain_agentmem._marks import KEYS
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import MARKS, SUBJECTS
from langchain_agentmem.sql.sqlite import VERSION_TABLE, OnlyReading, only_reading
from langchain_agentmem.sql.translate import translated

_REVISION: Final = f"SELECT version_num FROM {VERSION_TABLE}"  # noqa: S608  (a constant)
_SEALED: Final = f"SELECT count(*) FROM {MARKS.name} WHERE part <> '{KEYS}'"  # noqa: S608  (constants)
_SIGNED: Final = f"SELECT count(*) FROM (SELECT 1 FROM {SUBJECTS.name} WHERE head_mac IS NOT NULL LIMIT 1) AS one"  # noqa: S608
_FEATURES: Final = """
SELECT pg_database_size(current_database()), (SELECT count(*) FROM pg_stat_activity),
  current_setting('max_connections'), (SELECT default_version FROM pg_available_extensions WHERE name = 'vector'),
  pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on'
"""
_MB: Final = 1_000_000


class Peeked(NamedTuple):
    """What a database is.

    Attributes:
        server: Its name and version.
        revision: Of its schema; `None`: it has none of our tables.
        features: What else is worth knowing of it.
        is_read_only: The server is a replica, or lets this user write nothing; or this process may not write the file.
        is_sealed: Whether a part of it says that it is sealed, or is being sealed: what it holds opens with keys alone.
        is_signed: Whether the head of some user's log carries a code: it was written with an `audit_key`.
    """

    server: str
    revision: str | None
    features: tuple[str, ...] = ()
    is_read_only: bool = False
    is_sealed: bool = False
    is_signed: bool = False


def peek(database: Database) -> Flow[Peeked]:
    """Return what a database is, and which schema it has.

    Raises:
        StorageError: It cannot be reached.
    """
    looking = _peek_sqlite if database.is_sqlite else _peek_server
    return (yield from work(looking, database.url))


def _peek_sqlite(url: URL) -> Peeked:
    server = f"SQLite {sqlite3.sqlite_version}"
    path = Path(url.database or "")
    if not path.is_file() or not path.stat().st_size:
        return Peeked(server, None)
    with translated(), closing(_connected(path)) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        found = connection.execute(_REVISION).fetchone() if VERSION_TABLE in tables else None
        is_sealed = MARKS.name in tables and connection.execute(_SEALED).fetchone()[0] > 0
        is_signed = SUBJECTS.name in tables and connection.execute(_SIGNED).fetchone()[0] > 0
        journal = connection.execute("PRAGMA journal_mode").fetchone()[0]
        is_read_only = isinstance(connection, OnlyReading)
        if isinstance(connection, OnlyReading):
            connection.check_unchanged(str(path))
    features = (f"{path.stat().st_size / _MB:,.1f} MB", f"journal {journal}")
    stored = {"is_sealed": is_sealed, "is_signed": is_signed}
    return Peeked(server, found[0] if found else None, features, is_read_only=is_read_only, **stored)


def _connected(path: Path) -> sqlite3.Connection:
    """Connect to a file without writing it; where it may not be written, nothing is made beside it either."""
    return only_reading(str(path)) or sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)


def _peek_server(url: URL) -> Peeked:
    engine = create_engine(url, poolclass=NullPool)
    try:
        with translated(), engine.connect() as connection:
            version = str(connection.execute(text("SHOW server_version")).scalar())
            look = inspect(connection)
            revision = connection.execute(text(_REVISION)).scalar() if look.has_table(VERSION_TABLE) else None
            is_sealed = look.has_table(MARKS.name) and bool(connection.execute(text(_SEALED)).scalar())
            is_signed = look.has_table(SUBJECTS.name) and bool(connection.execute(text(_SIGNED)).scalar())
            size, used, most, vector, is_read_only = connection.execute(text(_FEATURES)).one()
    finally:
        engine.dispose()
    features = (f"{size / _MB:,.1f} MB", f"{used} of {most} connections", f"pgvector {vector or 'not installed'}")
    server = f"PostgreSQL {version.partition(' ')[0]}"
    stored = {"is_sealed": is_sealed, "is_signed": is_signed}
    return Peeked(server, revision, features, is_read_only=is_read_only, **stored)

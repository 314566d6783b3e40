"""What the tests of the ledger are made of: memories, a clock, a drive of either colour, a look at the raw tables."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final, TypeAlias

from sqlalchemy import Connection, Table, text

from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.ledger.base import ModelState
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import METADATA
from langchain_agentmem.testing.events import (
    ALICE,
    BOB,
    MODEL,
    START,
    change,
    erase,
    every_event,
    fetch,
    keep,
    length_of,
    listed,
    memory,
    note,
    put,
    remembered,
    use,
)
from langchain_agentmem.testing.events import fill as history
from tests.conftest import Colour

__all__ = [
    "ALICE",
    "BOB",
    "KEY",
    "MODEL",
    "START",
    "Clock",
    "Drive",
    "change",
    "drive_of",
    "dump",
    "erase",
    "every_event",
    "fetch",
    "history",
    "keep",
    "length_of",
    "listed",
    "memory",
    "note",
    "put",
    "put_vector",
    "queue_job",
    "raw",
    "remembered",
    "sql",
    "use",
]

Drive: TypeAlias = Callable[[Flow[Any]], Awaitable[Any]]

KEY: Final = b"a key that is kept elsewhere"


class Clock:
    """A clock that goes on by a second whenever it is read."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


async def _drive_blocking(flow: Flow[Any]) -> Any:  # noqa: ANN401
    return run(flow)


def drive_of(colour: Colour) -> Drive:
    """Return what runs a flow in a colour."""
    return _drive_blocking if colour == "sync" else arun


def raw(path: Path) -> bytes:
    """Return every byte that a SQLite database's files hold."""
    return b"".join(file.read_bytes() for file in path.parent.glob(f"{path.name}*"))


def queue_job(ledger: SQLLedger, kind: str, payload: dict[str, Any], at: datetime | None = START) -> Flow[int]:
    """Queue a job of alice."""
    return ledger.append(ALICE, lambda writer: writer.enqueue(kind, payload, at))


def put_vector(ledger: SQLLedger, memory_id: str, model: ModelState, vector: bytes) -> Flow[None]:
    """Store a vector of one of alice's memories."""
    return ledger.append(ALICE, lambda writer: writer.put_vector(memory_id, model, vector))


def dump(database: Database, *tables: Table) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of some tables, or of all, as the database holds them."""

    def read(connection: Connection) -> dict[str, list[tuple[Any, ...]]]:
        found = {}
        for table in tables or tuple(METADATA.sorted_tables):
            rows = connection.execute(table.select().order_by(*table.primary_key.columns))
            found[table.name] = [tuple(row) for row in rows]
        return found

    return run(database.read(read))


def unchecked(database: Database, statement: str) -> None:
    """Change the tables as someone does who first takes away what the database itself checks: its references."""

    def execute(connection: Connection) -> None:
        if not database.is_sqlite:
            connection.execute(text("SET LOCAL session_replication_role = 'replica'"))
        connection.execute(text(statement))

    if database.is_memory:  # elsewhere on SQLite an erasure looks for no reference
        with database._engine().connect() as connection:
            connection.connection.execute("PRAGMA foreign_keys=OFF")
    run(database.erase(execute))


def sql(database: Database, statement: str, **values: Any) -> int:
    """Change the tables as someone with write access does; return how many rows it hit."""

    def execute(connection: Connection) -> int:
        return connection.execute(text(statement), values).rowcount

    return run(database.write(execute))

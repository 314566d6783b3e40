"""The marks of a SQL database, which say what parts of it are sealed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from sqlalchemy import Connection, Table, exists, select, text

from langchain_agentmem._marks import PARTS, SEALED, Marks, Part
from langchain_agentmem.sql.schema import EPISODES, MARKS, PAYLOADS, SESSIONS, STATES, STORE_ITEMS, THREADS

_ROWS: Final[Mapping[Part, tuple[Table, ...]]] = {
    "ledger": (PAYLOADS, EPISODES),
    "conversations": (SESSIONS,),
    "working": (STATES,),
    "threads": (THREADS,),
    "store": (STORE_ITEMS,),
}
_PUT: Final = text(
    "INSERT INTO agentmem_marks (part, state) VALUES (:part, :state) ON CONFLICT (part) DO UPDATE SET state = :state"
)


def unmarked(connection: Connection, marks: Marks) -> list[Part]:
    """Return the parts that are to be marked as sealed.

    Raises:
        ConfigurationError: The database says something else than its user expects.
    """
    found = read_marks(connection)
    filled = frozenset(part for part in marks.sealed if part not in found and _is_filled(connection, part))
    return marks.check(found, filled)


def mark(connection: Connection, parts: Iterable[Part], state: str) -> None:
    """Say of parts whether they are sealed."""
    for part in parts:
        connection.execute(_PUT, {"part": part, "state": state})


def mark_if_empty(connection: Connection, marks: Marks) -> None:
    """Say of parts that are still empty that they are sealed; what was written meanwhile is found by the same look."""
    mark(connection, unmarked(connection, marks), SEALED)


def mark_rest(connection: Connection, state: str) -> None:
    """Say it of every part that is not marked as sealed, or that was left half-way."""
    found = read_marks(connection)
    mark(connection, (part for part in PARTS if found.get(part) != SEALED), state)


def read_marks(connection: Connection) -> dict[str, str]:
    """Return the mark of each part that has one."""
    return {row.part: row.state for row in connection.execute(select(MARKS.c.part, MARKS.c.state))}


def holds_sealed(connection: Connection, marks: Marks) -> bool:
    """Return whether a part that is sealed, or was to be, holds anything.

    Raises:
        ConfigurationError: The database says something else than its user expects.
    """
    if not marks.is_waived:
        unmarked(connection, marks)
    found = read_marks(connection)
    return any(_is_filled(connection, part) for part in PARTS if part in found)


def _is_filled(connection: Connection, part: Part) -> bool:
    return any(connection.execute(select(exists().select_from(table))).scalar() for table in _ROWS[part])

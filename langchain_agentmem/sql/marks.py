"""The marks of a SQL database, which say what parts of it are sealed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from sqlalchemy import Connection, Table, exists, select, text

from langchain_agentmem._marks import KEYS, PARTS, SEALED, Marks, Part, check_keys, sealed_by_others
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


def unmarked(connection: Connection, marks: Marks, keys: str) -> dict[str, str]:
    """Return what is to be marked, where keys of a name are used.

    Raises:
        ConfigurationError: The database says something else than its user expects.
    """
    found = read_marks(connection)
    return marks.check(found, _filled(connection, marks.in_question(found, keys)), keys)


def mark_if_empty(connection: Connection, marks: Marks, keys: str) -> None:
    """Say of parts that are still empty that they are sealed; what was written meanwhile is found by the same look."""
    _mark(connection, unmarked(connection, marks, keys))


def mark_rest(connection: Connection, state: str, keys: str) -> None:
    """Say it of every part that is not marked as sealed, or that was left half-way; and by which keys."""
    found = read_marks(connection)
    _mark(connection, {**{part: state for part in PARTS if found.get(part) != SEALED}, KEYS: keys})


def check_sealed(connection: Connection, keys: str) -> None:
    """Let no other keys in than those that sealed the database.

    Raises:
        ConfigurationError: Others did.
    """
    found = read_marks(connection)
    check_keys(found, _filled(connection, sealed_by_others(found, keys)), keys)


def read_marks(connection: Connection) -> dict[str, str]:
    """Return the mark of each part that has one, and the name of the keys."""
    return {row.part: row.state for row in connection.execute(select(MARKS.c.part, MARKS.c.state))}


def holds_sealed(connection: Connection, marks: Marks) -> bool:
    """Return whether a part that is sealed, or was to be, holds anything.

    Raises:
        ConfigurationError: The database says something else than its user expects.
    """
    if not marks.is_waived:
        unmarked(connection, marks, "")
    return bool(_filled(connection, sealed_by_others(read_marks(connection), None)))


def _mark(connection: Connection, states: Mapping[str, str]) -> None:
    for part, state in states.items():
        connection.execute(_PUT, {"part": part, "state": state})


def _filled(connection: Connection, parts: Iterable[Part]) -> frozenset[Part]:
    """Return the parts that hold anything."""
    return frozenset(
        part
        for part in parts
        if any(connection.execute(select(exists().select_from(table))).scalar() for table in _ROWS[part])
    )

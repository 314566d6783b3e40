"""Values of a type that their column never has: SQLite keeps one of any type in any column.

Nobody looks for them before something went wrong: only then is every row looked at, up to the first that holds one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Column, Float, Integer, LargeBinary, Table

from langchain_agentmem._checks import shown
from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.sql.columns import METADATA

UNREADABLE: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What is raised where such a value is read."""

_REBUILT: Final = "agentmem_memories"
_TYPES: Final[Mapping[type[Any], str]] = {Integer: "integer", Float: "real", LargeBinary: "blob"}
"""What SQLite calls them; all else is text."""


def find_mistyped(connection: sqlite3.Connection) -> IntegrityError | None:
    """Return the error of the first row that holds such a value, `None` where none does."""
    for table in METADATA.sorted_tables:
        found = connection.execute(_statement(table)).fetchone()
        if found is not None:
            return _error(table, *found)
    return None


def _statement(table: Table) -> str:
    """Return what finds a row: the column, what is in it, and the row's key."""
    wrong = {it.name: f"typeof({it.name}) NOT IN ({_allowed(it)})" for it in table.c}
    column = " ".join(f"WHEN {is_wrong} THEN '{name}'" for name, is_wrong in wrong.items())
    held = " ".join(f"WHEN {is_wrong} THEN typeof({name})" for name, is_wrong in wrong.items())
    key = ", ".join(it.name for it in table.primary_key)
    where = " OR ".join(wrong.values())
    return f"SELECT CASE {column} END, CASE {held} END, {key} FROM {table.name} WHERE {where} LIMIT 1"  # noqa: S608  (names of our own)


def _allowed(column: Column[Any]) -> str:
    known = next((name for type_, name in _TYPES.items() if isinstance(column.type, type_)), "text")
    return f"'{known}', 'null'" if column.nullable else f"'{known}'"


def _error(table: Table, column: str, held: str, *key: object) -> IntegrityError:
    row = ", ".join(f"{it.name}={shown(value)}" for it, value in zip(table.primary_key, key, strict=True))
    remedy = "; replay() makes it anew from the log, or" if table.name == _REBUILT else ", and"
    return IntegrityError(
        f"the row ({row}) of {table.name} holds {held} in {column!r}, where nothing of ours writes that; run verify()"
        f"{remedy} restore the database from a backup"
    )

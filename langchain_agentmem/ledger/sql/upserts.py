"""Inserts that meet a row that is there already, in the words of each database; each is built once."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from sqlalchemy import Insert, Table
from sqlalchemy.dialects import postgresql, sqlite

from langchain_agentmem.sql.prepared import Prepared
from langchain_agentmem.sql.schema import ACCESS, MEMORIES, MODELS, RECEIPTS, SNAPSHOTS, VECTORS

_INSERTS: Final = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


@cache
def insert_or_ignore(dialect: str, table: Table) -> Insert:
    """Return an insert that leaves a row of the same key as it is."""
    statement: Insert = _insert(dialect, table).on_conflict_do_nothing()
    return statement


def _put_vector(dialect: str) -> Insert:
    """Return an insert that replaces a memory's or an episode's vector of the same model."""
    return _replacing(dialect, VECTORS, "vector")


def _put_receipt(dialect: str) -> Insert:
    """Return an insert that replaces a receipt's content."""
    return _replacing(dialect, RECEIPTS, "sealed")


def _put_snapshot(dialect: str) -> Insert:
    """Return an insert that replaces the snapshot of a user's view."""
    return _replacing(dialect, SNAPSHOTS, "sealed")


def _count_use(dialect: str) -> Insert:
    """Return an insert of a first use that counts one more where there were others."""
    statement = _insert(dialect, ACCESS)
    counted: Insert = statement.on_conflict_do_update(
        index_elements=["subject_id", "memory_id"],
        set_={"uses": ACCESS.c.uses + 1, "last_used_at": statement.excluded.last_used_at},
    )
    return counted


def _replacing(dialect: str, table: Table, *columns: str) -> Insert:
    statement = _insert(dialect, table)
    keys = [key.name for key in table.primary_key]
    replacing: Insert = statement.on_conflict_do_update(
        index_elements=keys, set_={name: getattr(statement.excluded, name) for name in columns}
    )
    return replacing


def _insert(dialect: str, table: Table) -> Any:  # noqa: ANN401  (the dialect decides)
    return _INSERTS[dialect](table)


ADD_MEMORY: Final = Prepared({dialect: insert_or_ignore(dialect, MEMORIES) for dialect in _INSERTS})
ADD_MODEL: Final = Prepared({dialect: insert_or_ignore(dialect, MODELS) for dialect in _INSERTS})
PUT_VECTOR: Final = Prepared({dialect: _put_vector(dialect) for dialect in _INSERTS})
PUT_RECEIPT: Final = Prepared({dialect: _put_receipt(dialect) for dialect in _INSERTS})
PUT_SNAPSHOT: Final = Prepared({dialect: _put_snapshot(dialect) for dialect in _INSERTS})
COUNT_USE: Final = Prepared({dialect: _count_use(dialect) for dialect in _INSERTS})

"""Whom a legal hold stands on, for whatever deletes rows by their age."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Table, exists

from langchain_agentmem.sql.schema import SUBJECTS


def is_unheld(table: Table) -> ColumnElement[bool]:
    """Return whether no legal hold stands on the user of a row: what it keeps has no age."""
    return ~exists().where(SUBJECTS.c.subject_id == table.c.subject_id, SUBJECTS.c.is_held == 1)

"""Whose memories there are: every user and agent, some at a time."""

from __future__ import annotations

from typing import Final

from sqlalchemy import and_, bindparam, exists, select

from langchain_agentmem._flow import Flow
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import MEMORIES, SUBJECTS
from langchain_agentmem.types import Scope

_HAS_ANY: Final = exists().where(MEMORIES.c.subject_id == SUBJECTS.c.subject_id, MEMORIES.c.status != "erased")
_NEXT: Final = (
    select(SUBJECTS.c.subject_id)
    .where(SUBJECTS.c.subject_id > bindparam("after"), _HAS_ANY)
    .order_by(SUBJECTS.c.subject_id)
    .limit(bindparam("limit"))
)
_OWNERS: Final = (
    select(SUBJECTS.c.subject_id, SUBJECTS.c.tenant_id, SUBJECTS.c.user_id, MEMORIES.c.agent_id)
    .join(MEMORIES, and_(MEMORIES.c.subject_id == SUBJECTS.c.subject_id, MEMORIES.c.status != "erased"))
    .where(SUBJECTS.c.subject_id.in_(_NEXT.scalar_subquery()))
    .distinct()
    .order_by(SUBJECTS.c.subject_id, MEMORIES.c.agent_id)
)


class SQLOwners:
    """Lists owners of memories; nothing here reads a memory's text."""

    def __init__(self, database: Database) -> None:
        """Nothing is opened yet."""
        self._database = database

    def after(self, place: int, users: int) -> Flow[tuple[int, list[Scope]]]:
        """Return the scopes of the next so many users, of each agent one, and the place behind them; none: the end.

        Args:
            place: Behind which to look; 0: the beginning.
            users: How many at most.
        """
        values = {"after": place, "limit": users}
        found = yield from self._database.read(lambda connection: connection.execute(_OWNERS, values).all())
        scopes = [Scope(row.user_id, tenant_id=row.tenant_id, agent_id=row.agent_id) for row in found]
        return (found[-1].subject_id if found else place), scopes

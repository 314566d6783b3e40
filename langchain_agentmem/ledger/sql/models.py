"""Embedding models and their vectors, over all subjects of a database: what re-indexing and rebuilding need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, Final

from sqlalchemy import Connection, Delete, Select, and_, bindparam, delete, exists, insert, select, text, tuple_, update

from langchain_agentmem._flow import Flow
from langchain_agentmem.ledger.base import ModelState
from langchain_agentmem.ledger.codec import dump_own
from langchain_agentmem.ledger.sql.due import at_once
from langchain_agentmem.ledger.sql.rows import micros
from langchain_agentmem.sql.emptied import HERE
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import EPISODES, JOBS, MEMORIES, MODELS, SNAPSHOTS, SUBJECTS, VECTORS
from langchain_agentmem.types import Scope

CHUNK: Final = 500
"""Ids in one job of a rebuild."""

_CURRENT: Final = select(MODELS).where(MODELS.c.is_current == 1)
_ALL: Final = (
    select(SUBJECTS.c.tenant_id, SUBJECTS.c.user_id, MEMORIES.c.subject_id, MEMORIES.c.memory_id)
    .join(SUBJECTS, SUBJECTS.c.subject_id == MEMORIES.c.subject_id)
    .order_by(MEMORIES.c.subject_id, MEMORIES.c.memory_id)
)
_EMBEDDED: Final = (
    select(SUBJECTS.c.subject_id, SUBJECTS.c.tenant_id, SUBJECTS.c.user_id)
    .where(
        SUBJECTS.c.subject_id > bindparam("after"),
        exists().where(VECTORS.c.subject_id == SUBJECTS.c.subject_id, VECTORS.c.model == bindparam("model")),
    )
    .order_by(SUBJECTS.c.subject_id)
    .limit(bindparam("limit"))
)
_OWNERS: Final = (
    select(SUBJECTS.c.tenant_id, SUBJECTS.c.user_id)
    .join(EPISODES, EPISODES.c.subject_id == SUBJECTS.c.subject_id)
    .distinct()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Memories of one agent (or shared ones) of one user that have no vector of a model."""

    scope: Scope
    memory_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """Memories of one user, by id; `last` is where the next look goes on."""

    scope: Scope
    subject_id: int
    memory_ids: tuple[str, ...]

    @property
    def last(self) -> tuple[int, str]:
        """Return the place of the last of them among those of all users."""
        return self.subject_id, self.memory_ids[-1]


START: Final = (0, "")
"""The place before all memories."""


class SQLModels:
    """Maintenance over all subjects; nothing here reads a memory's text."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        """Nothing is opened yet."""
        self._database = database
        self._clock = clock

    def current(self) -> Flow[ModelState | None]:
        """Return the model whose vectors are complete, or `None` where there are no vectors."""
        row = yield from self._database.read(lambda connection: connection.execute(_CURRENT).first())
        if row is None:
            return None
        return ModelState(name=row.model, dimension=row.dimension, is_current=True)

    def announce(self, name: str, dimension: int) -> Flow[None]:
        """Make a model known whose vectors are about to be written beside the current one's."""
        row = {"model": name, "dimension": dimension, "is_current": 0, "created_at": micros(self._clock())}

        def announce(connection: Connection) -> None:
            if connection.execute(select(MODELS).where(MODELS.c.model == name)).first() is None:
                connection.execute(insert(MODELS), row)

        yield from self._database.write(announce)

    def missing(self, name: str, limit: int, of: Scope | None = None) -> Flow[list[Missing]]:
        """Return some memories that have no vector of a model, by user and agent; `of`: of this user only."""
        statement = _missing(name).limit(limit)
        if of is not None:
            statement = statement.where(SUBJECTS.c.tenant_id == of.tenant_id, SUBJECTS.c.user_id == of.user_id)
        found = yield from self._database.read(lambda connection: connection.execute(statement).all())
        groups: dict[Scope, list[str]] = {}
        for row in found:
            scope = Scope(row.user_id, tenant_id=row.tenant_id, agent_id=row.agent_id)
            groups.setdefault(scope, []).append(row.memory_id)
        return [Missing(scope=scope, memory_ids=tuple(ids)) for scope, ids in groups.items()]

    def owners_without_vector(self, name: str, limit: int) -> Flow[list[Scope]]:
        """Return some users who have an episode without a vector of a model."""
        return (yield from self._owners(_owners_without_vector(name), limit))

    def owners_with_vector(self, name: str, after: int, limit: int) -> Flow[tuple[int, list[Scope]]]:
        """Return the next users who have a vector of a model, and the place behind them; none: the end."""
        values = {"model": name, "after": after, "limit": limit}
        found = yield from self._database.read(lambda connection: connection.execute(_EMBEDDED, values).all())
        scopes = [Scope(row.user_id, tenant_id=row.tenant_id) for row in found]
        return (found[-1].subject_id if found else after), scopes

    def owners_of_expired(self, now: int, limit: int) -> Flow[list[Scope]]:
        """Return some users who have an episode whose time has come, and no legal hold."""
        return (yield from self._owners(_OWNERS.where(EPISODES.c.expires_at <= now, SUBJECTS.c.is_held == 0), limit))

    def _owners(self, statement: Select[Any], limit: int) -> Flow[list[Scope]]:
        found = yield from self._database.read(lambda connection: connection.execute(statement.limit(limit)).all())
        return [Scope(row.user_id, tenant_id=row.tenant_id) for row in found]

    def stored(self, after: tuple[int, str], limit: int) -> Flow[list[Stored]]:
        """Return the next memories of all users, by user, and the ids of those that are erased."""
        statement = _ALL.where(tuple_(MEMORIES.c.subject_id, MEMORIES.c.memory_id) > after).limit(limit)
        found = yield from self._database.read(lambda connection: connection.execute(statement).all())
        groups = groupby(found, key=lambda row: (row.subject_id, Scope(row.user_id, tenant_id=row.tenant_id)))
        return [
            Stored(scope=scope, subject_id=subject_id, memory_ids=tuple(row.memory_id for row in rows))
            for (subject_id, scope), rows in groups
        ]

    def adopt(self, name: str, rebuild: str | None) -> Flow[bool]:
        """Make a model the current one and drop all other vectors, in one transaction; `False` where rows are missing.

        Args:
            name: The model.
            rebuild: Kind of the job that rebuilds an external index afterwards, if there is one.
        """
        return (yield from self._database.write(lambda connection: self._adopt(connection, name, rebuild)))

    def queue(self, kind: str) -> Flow[None]:
        """Queue a job that concerns all subjects."""
        yield from self._database.write(lambda connection: self._queue(connection, kind, None, {}))

    def queue_for(self, scope: Scope, kind: str, payload: dict[str, Any]) -> Flow[None]:
        """Queue a job of one user, in place of such that carry the same and wait or were given up."""

        def queue(connection: Connection) -> None:
            subject_id = connection.execute(_subject(scope)).scalar_one()
            connection.execute(_same(kind, payload).where(JOBS.c.subject_id == subject_id))
            self._queue(connection, kind, subject_id, payload)

        yield from self._database.write(queue)

    def unqueue(self, kind: str, payload: dict[str, Any]) -> Flow[None]:
        """Drop the jobs of all users that carry this and wait or were given up."""
        yield from self._database.write(lambda connection: connection.execute(_same(kind, payload)).rowcount)

    def queue_all(self, kind: str) -> Flow[None]:
        """Queue jobs that name every memory of every subject, some hundred at a time; what was given up is covered."""
        yield from self._database.write(lambda connection: self._queue_all(connection, kind))

    def _adopt(self, connection: Connection, name: str, rebuild: str | None) -> bool:
        if connection.dialect.name == "postgresql":  # writers of the old model end first, or see the new one
            connection.execute(text(f"LOCK TABLE {MEMORIES.name}, {EPISODES.name} IN SHARE MODE"))
        missing = (_missing(name), _owners_without_vector(name))
        if any(connection.execute(statement.limit(1)).first() is not None for statement in missing):
            return False
        connection.execute(update(MODELS).where(MODELS.c.model != name).values(is_current=0))
        connection.execute(update(MODELS).where(MODELS.c.model == name).values(is_current=1))
        for table in (VECTORS, SNAPSHOTS):
            connection.execute(delete(table).where(table.c.model != name))
        connection.execute(delete(MODELS).where(MODELS.c.model != name))
        if rebuild is not None:
            self._queue(connection, rebuild, None, {})
        return True

    def _queue_all(self, connection: Connection, kind: str) -> None:
        connection.execute(delete(JOBS).where(JOBS.c.kind == kind, JOBS.c.status == "failed"))
        statement = select(MEMORIES.c.subject_id, MEMORIES.c.memory_id).where(MEMORIES.c.status != "erased")
        ids: dict[int, list[str]] = {}
        for subject, memory_id in connection.execute(statement):
            ids.setdefault(subject, []).append(memory_id)
        for subject, memory_ids in ids.items():
            for start in range(0, len(memory_ids), CHUNK):
                self._queue(connection, kind, subject, {"ids": memory_ids[start : start + CHUNK]})

    def _queue(self, connection: Connection, kind: str, subject: int | None, payload: dict[str, Any]) -> None:
        now = self._clock()
        times = {"run_at": at_once(now), "created_at": micros(now)}
        row = {"kind": kind, "subject_id": subject, "payload": dump_own(payload).decode(), "status": "queued"}
        connection.execute(insert(JOBS), {**row, "attempts": 0, **times})


def _subject(scope: Scope) -> Select[Any]:
    return select(SUBJECTS.c.subject_id).where(
        SUBJECTS.c.tenant_id == scope.tenant_id, SUBJECTS.c.user_id == scope.user_id
    )


def _same(kind: str, payload: dict[str, Any]) -> Delete:
    """Return what drops jobs that carry this, but for one that a worker is at: it may have been read already."""
    is_same = and_(JOBS.c.kind == kind, JOBS.c.payload == dump_own(payload).decode())
    return delete(JOBS).where(is_same, JOBS.c.status.in_(["queued", "failed"]))


def _owners_without_vector(name: str) -> Select[Any]:
    has_vector = exists().where(
        and_(
            VECTORS.c.subject_id == EPISODES.c.subject_id,
            VECTORS.c.memory_id == EPISODES.c.episode_id,
            VECTORS.c.model == name,
        )
    )
    return _OWNERS.where(EPISODES.c.is_gone == HERE, ~has_vector)


def _missing(name: str) -> Select[Any]:
    has_vector = exists().where(
        and_(
            VECTORS.c.subject_id == MEMORIES.c.subject_id,
            VECTORS.c.memory_id == MEMORIES.c.memory_id,
            VECTORS.c.model == name,
        )
    )
    return (
        select(SUBJECTS.c.tenant_id, SUBJECTS.c.user_id, MEMORIES.c.agent_id, MEMORIES.c.memory_id)
        .join(SUBJECTS, SUBJECTS.c.subject_id == MEMORIES.c.subject_id)
        .where(MEMORIES.c.status != "erased", ~has_vector)
        .order_by(MEMORIES.c.subject_id, MEMORIES.c.memory_id)
    )

"""How much is stored, layer by layer: rows, and bytes of what is in them; nothing is opened to find out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    LargeBinary,
    Select,
    Table,
    and_,
    bindparam,
    func,
    literal,
    select,
)

from langchain_agentmem._flow import Flow
from langchain_agentmem.ledger.sql.job_states import DONE
from langchain_agentmem.sql.emptied import HERE
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import (
    CHECKPOINTS,
    EPISODES,
    EVENTS,
    ITEMS,
    JOBS,
    MEMORIES,
    MESSAGES,
    NAMESPACES,
    PAYLOADS,
    RECEIPTS,
    REQUESTS,
    RUN_STEPS,
    SESSIONS,
    SNAPSHOTS,
    STATES,
    STORE_ITEMS,
    STORE_NAMESPACES,
    SUBJECTS,
    THREADS,
    VECTORS,
    WRITES,
)
from langchain_agentmem.types import Scope
from langchain_agentmem.types.watching import LayerSize, Usage


def _owned(table: Table, key: str) -> Select[Any]:
    """Return the keys of a user's rows in a table that names users."""
    return select(table.c[key]).where(table.c.tenant_id == bindparam("tenant"), table.c.user_id == bindparam("user"))


_SUBJECT: Final = _owned(SUBJECTS, "subject_id")
_THREAD: Final = _owned(THREADS, "thread_ref")
_NAMESPACE: Final = select(NAMESPACES.c.ns_ref).where(NAMESPACES.c.thread_ref.in_(_THREAD))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A table that belongs to a layer.

    Attributes:
        key: The column that leads to the owner; `owned`: its values that are a user's.
        where: Which rows are there; what was erased leaves a row that holds nothing.
        are_rows: Whether its rows are the layer's; else only its bytes are.
        texts: Columns of text that hold something, beside all that hold bytes.
    """

    table: Table
    key: Column[Any]
    owned: Select[Any]
    where: ColumnElement[bool] | None = None
    are_rows: bool = True
    texts: tuple[Column[Any], ...] = ()

    def statement(self, *, of_user: bool) -> Select[int, int]:
        """Return the statement that measures it."""
        held = [*(it for it in self.table.c if isinstance(it.type, LargeBinary)), *self.texts]
        lengths = [func.coalesce(func.length(it), 0) for it in held]
        size: ColumnElement[int] = func.coalesce(func.sum(sum(lengths, literal(0))), 0)
        conditions = [] if self.where is None else [self.where]
        conditions += [self.key.in_(self.owned)] if of_user else []
        return select(func.count(), size).select_from(self.table).where(*conditions)


def _of_subject(table: Table, where: ColumnElement[bool] | None = None, *, are_rows: bool = True) -> _Part:
    return _Part(table=table, key=table.c.subject_id, owned=_SUBJECT, where=where, are_rows=are_rows)


_OF_JOB: Final = (JOBS.c.payload, JOBS.c.error)
_IS_TO_DO: Final = and_(JOBS.c.job_id > 0, JOBS.c.status != DONE)

_LAYERS: Final[Mapping[str, tuple[_Part, ...]]] = {
    "conversations": (
        _Part(table=MESSAGES, key=MESSAGES.c.session_ref, owned=_owned(SESSIONS, "session_ref")),
        _Part(table=SESSIONS, key=SESSIONS.c.session_ref, owned=_owned(SESSIONS, "session_ref"), are_rows=False),
    ),
    "threads": (
        _Part(table=CHECKPOINTS, key=CHECKPOINTS.c.ns_ref, owned=_NAMESPACE),
        _Part(table=WRITES, key=WRITES.c.ns_ref, owned=_NAMESPACE, are_rows=False),
        _Part(table=ITEMS, key=ITEMS.c.thread_ref, owned=_THREAD, are_rows=False),
        _Part(table=NAMESPACES, key=NAMESPACES.c.thread_ref, owned=_THREAD, are_rows=False),
    ),
    "working": (_Part(table=STATES, key=STATES.c.state_ref, owned=_owned(STATES, "state_ref")),),
    "memories": (_of_subject(MEMORIES, MEMORIES.c.status != "erased"),),
    "episodes": (_of_subject(EPISODES, EPISODES.c.is_gone == HERE),),
    "vectors": (_of_subject(VECTORS), _of_subject(SNAPSHOTS, are_rows=False)),
    "log": (_of_subject(EVENTS), _of_subject(PAYLOADS, are_rows=False), _of_subject(REQUESTS, are_rows=False)),
    "receipts": (_of_subject(RECEIPTS),),
    "runs": (_of_subject(RUN_STEPS),),
    "jobs": (_Part(table=JOBS, key=JOBS.c.subject_id, owned=_SUBJECT, where=_IS_TO_DO, texts=_OF_JOB),),
    "store": (_Part(table=STORE_ITEMS, key=STORE_ITEMS.c.ns_ref, owned=_owned(STORE_NAMESPACES, "ns_ref")),),
}
_STATEMENTS: Final = {
    of_user: {name: [(it.statement(of_user=of_user), it.are_rows) for it in parts] for name, parts in _LAYERS.items()}
    for of_user in (False, True)
}


class SQLUsage:
    """Measures one database."""

    def __init__(self, database: Database) -> None:
        """Nothing is opened yet."""
        self._database = database

    def of(self, scope: Scope | None, at: datetime) -> Flow[Usage]:
        """Return what is stored of the scope's user; `None`: of all, which looks at every row."""
        values = {} if scope is None else {"tenant": scope.tenant_id, "user": scope.user_id}
        return (yield from self._database.read(lambda connection: _measured(connection, values, at)))


def _measured(connection: Connection, values: dict[str, str], at: datetime) -> Usage:
    layers: dict[str, LayerSize] = {}
    for name, statements in _STATEMENTS[bool(values)].items():
        rows = size = 0
        for statement, are_rows in statements:
            count, length = connection.execute(statement, values).one()
            rows += count if are_rows else 0
            size += int(length)
        layers[name] = LayerSize(rows, size)
    users = _SUBJECT if values else select(SUBJECTS.c.subject_id)
    count = connection.execute(select(func.count()).select_from(users.subquery()), values).scalar_one()
    return Usage(at=at, layers=layers, users=count)

"""Conversations and working states of a user: what is told of them wherever they are, and those in the SQL database."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, Protocol

from langchain_core.messages import BaseMessage
from sqlalchemy import ColumnElement, Connection, Table, bindparam, delete, func, select

from langchain_agentmem._flow import Flow
from langchain_agentmem.ledger.sql.ending import owner_of
from langchain_agentmem.privacy.layers import Layer, Record, Restored, Take
from langchain_agentmem.sessions.base import KeptSummary, Sessions
from langchain_agentmem.sessions.messages import decode, encode
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import MESSAGES as MESSAGE_ROWS
from langchain_agentmem.sql.schema import SESSIONS, STATES
from langchain_agentmem.transfer.working import each_state, put_states
from langchain_agentmem.types import Scope
from langchain_agentmem.types.paging import LastUsed
from langchain_agentmem.types.working import WorkingState
from langchain_agentmem.working.flows import WorkingFlows

_AT_ONCE: Final = 100
"""Rows looked for in one statement."""

MESSAGES: Final = 50
"""Messages in one record."""


def _owned(table: Table) -> list[ColumnElement[bool]]:
    return [table.c.tenant_id == bindparam("tenant"), table.c.user_id == bindparam("user")]


def _named(scope: Scope) -> dict[str, str]:
    return {"tenant": scope.tenant_id, "user": scope.user_id}


class Rows(Protocol):
    """Whatever a user has of a kind."""

    def count(self, scope: Scope) -> Flow[int]:
        """Return how many there are."""
        ...

    def delete(self, scope: Scope) -> Flow[None]:
        """Delete all of them; doing it again does no harm."""
        ...


class SQLRows:
    """Rows of a table that name tenant and user, expired ones too.

    Args:
        database: Where they are.
        table: Has an index that begins with `tenant_id` and `user_id`.
        within: Deleted with each of them, by the column that both have.
    """

    def __init__(self, database: Database, table: Table, within: tuple[Table, str] | None = None) -> None:
        """Nothing is opened yet."""
        self._database = database
        self._table = table
        self._within = within

    def count(self, scope: Scope) -> Flow[int]:
        """Count them by the index."""
        chosen = select(func.count()).select_from(self._table).where(*_owned(self._table))
        return (yield from self._database.read(lambda it: int(it.execute(chosen, _named(scope)).scalar_one())))

    def delete(self, scope: Scope) -> Flow[None]:
        """Delete them one by one, each with all that is within it."""
        key = next(iter(self._table.primary_key.columns))
        some = select(key).where(*_owned(self._table)).limit(_AT_ONCE)
        while found := (yield from self._database.read(lambda it: it.execute(some, _named(scope)).scalars().all())):
            for ref in found:
                yield from self._database.erase(lambda it, ref=ref: self._delete(it, ref))  # type: ignore[misc]  # a default of its own

    def _delete(self, connection: Connection, ref: int) -> None:
        if self._within is not None:
            table, column = self._within
            connection.execute(delete(table).where(table.c[column] == ref))
        key = next(iter(self._table.primary_key.columns))
        connection.execute(delete(self._table).where(key == ref))


class RowsLayer(Layer):
    """A layer whose rows or keys are counted and deleted by themselves.

    Args:
        name: Of the layer.
        rows: Counts and deletes them.
        claims: The layer's `tables`, `families` and `remains`.
    """

    def __init__(self, name: str, rows: Rows, **claims: Any) -> None:
        """Nothing is opened yet."""
        super().__init__(name, **claims)
        self._rows = rows

    def count(self, scope: Scope) -> Flow[int]:
        """Count them."""
        return self._rows.count(owner_of(scope))

    def erase(self, scope: Scope) -> Flow[None]:
        """Delete each whole."""
        return self._rows.delete(owner_of(scope))


class ConversationLayer(RowsLayer):
    """Conversations with their messages, titles and summaries.

    Args:
        name: Of the layer.
        sessions: Reads and writes them.
        rows: Counts and deletes them.
        claims: The layer's `tables`, `families` and `remains`.
    """

    def __init__(self, name: str, sessions: Sessions, rows: Rows, **claims: Any) -> None:
        """Nothing is opened yet."""
        super().__init__(name, rows, **claims)
        self._sessions = sessions

    def export(self, scope: Scope, take: Take) -> Flow[None]:
        """Give conversation after conversation, each in parts."""
        owner = owner_of(scope)
        last: LastUsed | None = None
        while page := (yield from self._sessions.conversations(owner, before=last)):
            for it in page:
                used = {"created_at": it.created_at, "last_used_at": it.last_used_at}
                yield from self._export(replace(owner, session_id=it.session_id), used, take)
            last = LastUsed.of(page[-1])

    def _export(self, scope: Scope, used: Mapping[str, datetime], take: Take) -> Flow[None]:
        said: dict[str, Any] = {name: at.isoformat() for name, at in used.items()}
        after: int | None = 0
        part = 0
        while after is not None:
            page = yield from self._sessions.page(scope, after=after, limit=MESSAGES)
            messages, after = [message_data(it) for it in page.messages], page.next_after
            summary = (yield from self._sessions.summary(scope)) if after is None else None
            kept = {} if summary is None else {"summary": b64encode(summary).decode()}
            yield from take([Record(scope.session_id or "", {"part": part, **said, "messages": messages, **kept})])
            said, part = {}, part + 1

    def check(self, scope: Scope, record: Record) -> None:
        """Read its messages."""
        replace(scope, session_id=record.id)
        _messages(record.data)
        _summary(record.data)

    def put(self, scope: Scope, batch: Sequence[Record], export_id: str) -> Flow[Restored]:
        """Add messages under their ids: those that are there stay as they are."""
        added = 0
        for record in batch:
            session = replace(owner_of(scope), session_id=record.id)
            added += yield from self._put(session, _messages(record.data), _summary(record.data))
        return Restored(added=added, present=len(batch) - added)

    def _put(self, scope: Scope, messages: Sequence[BaseMessage], summary: bytes | None) -> Flow[bool]:
        is_new = bool(messages) and (yield from self._sessions.append(scope, messages)) > 0
        if summary is not None and (is_new or not messages):
            last = messages or (yield from self._sessions.read(scope, last=1))
            if last:
                kept = KeptSummary(data=summary, version=1, about=last[-1].id or "")
                yield from self._sessions.keep_summary(scope, kept)
        return is_new


class WorkingLayer(RowsLayer):
    """Working states.

    Args:
        name: Of the layer.
        working: Reads and writes them.
        rows: Counts and deletes them.
        claims: The layer's `tables`, `families` and `remains`.
    """

    def __init__(self, name: str, working: WorkingFlows, rows: Rows, **claims: Any) -> None:
        """Nothing is opened yet."""
        super().__init__(name, rows, **claims)
        self._working = working

    def export(self, scope: Scope, take: Take) -> Flow[None]:
        """Give state after state; nothing is prolonged."""

        def taken(name: str, state: WorkingState) -> Flow[None]:
            yield from take([Record(name, state.to_dict())])

        yield from each_state(self._working, owner_of(scope), taken)

    def check(self, scope: Scope, record: Record) -> None:
        """Read it as a state."""
        replace(scope, session_id=record.id)
        WorkingState.from_dict(record.data)

    def put(self, scope: Scope, batch: Sequence[Record], export_id: str) -> Flow[Restored]:
        """Begin those that are not there."""
        states = {it.id: WorkingState.from_dict(it.data) for it in batch}
        done = yield from put_states(self._working, owner_of(scope), states, dry_run=False)
        return Restored(added=done.added, present=done.found - done.added)


def sql_conversations(database: Database, sessions: Sessions) -> ConversationLayer:
    """Return the layer of conversations in the SQL database."""
    rows = SQLRows(database, SESSIONS, (MESSAGE_ROWS, "session_ref"))
    return ConversationLayer("conversations", sessions, rows, tables=(SESSIONS.name, MESSAGE_ROWS.name))


def sql_working(database: Database, working: WorkingFlows) -> WorkingLayer:
    """Return the layer of working states in the SQL database."""
    return WorkingLayer("working", working, SQLRows(database, STATES), tables=(STATES.name,))


def message_data(message: BaseMessage) -> dict[str, Any]:
    """Return a message as JSON knows it."""
    type_, _, fields = encode(message).partition(b"\n")
    return {"type": type_.decode(), "data": json.loads(fields.decode("utf-8", "surrogatepass"))}


def _messages(data: Mapping[str, Any]) -> list[BaseMessage]:
    return [_message(it) for it in data["messages"]]


def _message(data: Mapping[str, Any]) -> BaseMessage:
    fields = json.dumps(data["data"], ensure_ascii=False)
    return decode(f"{data['type']}\n{fields}".encode("utf-8", "surrogatepass"))


def _summary(data: Mapping[str, Any]) -> bytes | None:
    told = data.get("summary")
    return None if told is None else b64decode(told, validate=True)

"""Sessions on SQLite and PostgreSQL."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from langchain_core.messages import BaseMessage
from sqlalchemy import Connection, Row

from langchain_agentmem._checks import check_instance
from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.ledger.codec import EPOCH, from_micros, to_micros
from langchain_agentmem.sessions import sql_rows as rows
from langchain_agentmem.sessions.base import (
    DEFAULT_PAGE,
    Conversation,
    MessagePage,
    Sessions,
    check_number,
    check_owner,
    check_session,
)
from langchain_agentmem.sessions.messages import check_message, decode, encode, title_of
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.prepared import Prepared
from langchain_agentmem.types import Scope
from langchain_agentmem.vault.base import Cipher, NullVault, Vault


def utc_now() -> datetime:
    """Return the time, aware and in UTC."""
    return datetime.now(UTC)


def new_uuid() -> str:
    """Return a fresh id for a message."""
    return str(uuid.uuid4())


class SQLSessions(Sessions):
    """Conversations in one SQL database: a row per message, numbered in the transaction that writes it.

    Args:
        database: Where the tables are.
        vault: Seals messages and titles; by default nothing is encrypted.
        clock: Gives the time, aware UTC.
        new_id: Gives the id of a message that has none.
    """

    def __init__(
        self,
        database: Database,
        *,
        vault: Vault | None = None,
        clock: Callable[[], datetime] = utc_now,
        new_id: Callable[[], str] = new_uuid,
    ) -> None:
        """Nothing is opened yet."""
        self.database = database
        self._vault = vault or NullVault()
        self._clock = clock
        self._new_id = new_id

    def append(self, scope: Scope, messages: Sequence[BaseMessage]) -> Flow[int]:
        """Add messages in one write transaction."""
        check_session(scope)
        batch = self._batch(messages)
        if not batch.entries:
            return 0
        cipher = yield from self._vault.cipher(scope)
        return (yield from self.database.write(lambda connection: _append(connection, scope, cipher, batch)))

    def read(self, scope: Scope, *, last: int | None = None) -> Flow[list[BaseMessage]]:
        """Read all by the index, or the end backwards."""
        values = _identity(scope)
        if last is None:
            statement = rows.SELECT_ALL
        else:
            statement, values["limit"] = rows.SELECT_LAST, check_number("last", last)
        _, messages = yield from self._messages(scope, statement, values)
        return messages if last is None else messages[::-1]

    def page(self, scope: Scope, *, after: int = 0, limit: int = DEFAULT_PAGE) -> Flow[MessagePage]:
        """Seek by number; one row more than asked for tells whether there is a next page."""
        values = {**_identity(scope), "after": check_number("after", after, least=0)}
        values["limit"] = check_number("limit", limit) + 1
        places, messages = yield from self._messages(scope, rows.SELECT_PAGE, values)
        next_after = places[limit - 1] if len(places) > limit else None
        return MessagePage(messages=tuple(messages[:limit]), next_after=next_after)

    def clear(self, scope: Scope) -> Flow[int]:
        """Delete in one transaction, then empty the write-ahead log of SQLite, so that no file holds the text."""
        values = _identity(scope)
        count = yield from self.database.write(lambda connection: _clear(connection, values))
        if count:
            yield from self.database.scrub()
        return count

    def count(self, scope: Scope) -> Flow[int]:
        """Count the rows of the session."""
        values = _identity(scope)
        counted = yield from self.database.read(lambda connection: connection.execute(rows.COUNT, values).scalar_one())
        return int(counted)

    def conversations(
        self, scope: Scope, *, limit: int = DEFAULT_PAGE, before: Conversation | None = None
    ) -> Flow[list[Conversation]]:
        """List one page of the user's sessions."""
        check_owner(scope)
        values = {**_names(scope), "limit": check_number("limit", limit)}
        if before is not None:
            check_instance("before", before, Conversation)
            values |= {"at": to_micros(before.last_used_at), "last": before.session_id}
        statement = rows.conversations(is_anonymous=scope.is_anonymous, is_continued=before is not None)
        cipher = yield from self._vault.cipher(scope)
        found = yield from self.database.read(lambda connection: connection.execute(statement, values).all())
        return [_conversation(row, cipher) for row in found]

    def _batch(self, messages: Iterable[BaseMessage]) -> _Batch:
        if isinstance(messages, (str, BaseMessage)) or not isinstance(messages, Iterable):
            msg = f"messages must be a sequence of messages, got {type(messages).__name__}; put it in a list"
            raise ConfigurationError(msg)
        checked = [check_message(message) for message in messages]
        for message in checked:
            message.id = message.id or self._new_id()
        entries = tuple((str(message.id), encode(message)) for message in checked)
        title = next((title for title in map(title_of, checked) if title), None)
        return _Batch(entries=entries, title=title, at=to_micros(self._clock()) or 0)

    def _messages(
        self, scope: Scope, statement: Prepared, values: dict[str, Any]
    ) -> Flow[tuple[list[int], list[BaseMessage]]]:
        cipher = yield from self._vault.cipher(scope)
        found = yield from self.database.read(lambda connection: statement.rows(connection, values))
        messages = [decode(cipher.open(sealed, f"message/{ref}/{seq}")) for ref, seq, sealed in found]
        return [seq for _, seq, _ in found], messages


@dataclass(frozen=True, slots=True, kw_only=True)
class _Batch:
    """What one call adds: ids and encoded messages, and the title they would give a session without one."""

    entries: tuple[tuple[str, bytes], ...]
    title: str | None
    at: int


def _append(connection: Connection, scope: Scope, cipher: Cipher, batch: _Batch) -> int:
    values = {**_names(scope), "places": len(batch.entries), "at": batch.at}
    [(ref, next_seq, title)] = rows.TAKE_PLACES.rows(connection, values)
    first = next_seq - len(batch.entries)
    if title is None and batch.title:
        sealed = cipher.seal(batch.title.encode("utf-8", "surrogatepass"), f"title/{ref}")
        connection.execute(rows.SET_TITLE, {"ref": ref, "sealed_title": sealed})
    added = [
        {
            "session_ref": ref,
            "seq": seq,
            "message_id": message_id,
            "at": batch.at,
            "sealed": cipher.seal(plain, f"message/{ref}/{seq}"),
        }
        for seq, (message_id, plain) in enumerate(batch.entries, first)
    ]
    return rows.INSERT_MESSAGES.change(connection, added)


def _clear(connection: Connection, values: dict[str, Any]) -> int:
    ref = connection.execute(rows.LOCK_SESSION, values).scalar()
    if ref is None:
        return 0
    count = connection.execute(rows.DELETE_MESSAGES, {"ref": ref}).rowcount
    connection.execute(rows.DELETE_SESSION, {"ref": ref})
    return count


def _conversation(row: Row[*tuple[Any, ...]], cipher: Cipher) -> Conversation:
    title = None if row.title is None else cipher.open(row.title, f"title/{row.session_ref}")
    return Conversation(
        session_id=row.session_id,
        title=None if title is None else title.decode("utf-8", "surrogatepass"),
        created_at=from_micros(row.created_at) or EPOCH,
        last_used_at=from_micros(row.last_used_at) or EPOCH,
        message_count=row.message_count,
    )


def _identity(scope: Scope) -> dict[str, Any]:
    check_session(scope)
    return _names(scope)


def _names(scope: Scope) -> dict[str, Any]:
    return {"tenant": scope.tenant_id, "user": scope.user_id, "session": scope.session_id}

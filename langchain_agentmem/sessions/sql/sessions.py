"""Sessions on SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, Unpack

from langchain_core.messages import BaseMessage
from sqlalchemy import Connection, Row

from langchain_agentmem._checks import check_instance
from langchain_agentmem._flow import Flow
from langchain_agentmem.ledger.codec import EPOCH, from_micros, to_micros
from langchain_agentmem.sessions.base import (
    DEFAULT_PAGE,
    MAX_NUMBER,
    SEARCH_PAGE,
    Conversation,
    KeptSummary,
    MessagePage,
    RewritableSessions,
    check_number,
    check_owner,
    check_session,
    check_words,
)
from langchain_agentmem.sessions.batch import Batch, now, prepare
from langchain_agentmem.sessions.messages import answer_of, calls_of, decode_title, has_words
from langchain_agentmem.sessions.options import SessionOptions, SessionSettings, read_settings
from langchain_agentmem.sessions.sql import rows
from langchain_agentmem.sessions.sql.episodes import end_episodes, end_episodes_of
from langchain_agentmem.sessions.sql.room import lost_calls, make_room, name_again
from langchain_agentmem.sessions.sql.sealing import SealedSession
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.prepared import Prepared, Transaction
from langchain_agentmem.types import Scope
from langchain_agentmem.types.paging import LastUsed
from langchain_agentmem.vault.base import Cipher, Vault, use_database, vault_of

DEFAULT_OPTIONS: Final = SessionOptions()
_AS_THEY_ARE: Final = SessionOptions()

IDS_AT_ONCE: Final = 500
"""Ids named in one statement; SQLite takes at least 999 parameters."""


class SQLSessions(RewritableSessions):
    """Conversations in one SQL database: a row per message, numbered in the transaction that writes it.

    Args:
        database: Where the tables are.
        vault: Seals messages, titles and summaries; by default nothing is encrypted.
        options: What the settings change; by default a session is kept until it is cleared.
        settings: Fields of `SessionOptions`.
    """

    def __init__(
        self,
        database: Database,
        *,
        vault: Vault | None = None,
        options: SessionOptions = DEFAULT_OPTIONS,
        **settings: Unpack[SessionSettings],
    ) -> None:
        """Nothing is opened yet."""
        self.database = database
        self._vault = vault_of(vault)
        use_database(database, "conversations", self._vault)
        self._options = read_settings(settings, options)

    def append(self, scope: Scope, messages: Sequence[BaseMessage]) -> Flow[int]:
        """Add messages in one write transaction."""
        check_session(scope)
        batch = prepare(messages, self._options)
        if not batch.entries:
            return 0
        cipher = yield from self._vault.cipher(scope)
        addition = _Addition(
            scope=scope,
            batch=batch,
            cipher=cipher,
            expires_at=self._options.expiry(batch.at),
            max_messages=self._options.max_messages,
        )
        return (yield from self.database.write_prepared(addition.run))

    def read(self, scope: Scope, *, last: int | None = None) -> Flow[list[BaseMessage]]:
        """Read all by the index, or the end backwards."""
        values = self._identity(scope)
        if last is None:
            statement = rows.SELECT_ALL
        else:
            statement, values["limit"] = rows.SELECT_LAST, check_number("last", last)
        _, messages = yield from self._messages(scope, statement, values)
        return messages if last is None else messages[::-1]

    def page(self, scope: Scope, *, after: int = 0, limit: int = DEFAULT_PAGE) -> Flow[MessagePage]:
        """Seek by number; one row more than asked for tells whether there is a next page."""
        values = {**self._identity(scope), "after": check_number("after", after, least=0)}
        values["limit"] = check_number("limit", limit) + 1
        places, messages = yield from self._messages(scope, rows.SELECT_PAGE, values)
        next_after = places[limit - 1] if len(places) > limit else None
        return MessagePage(messages=tuple(messages[:limit]), next_after=next_after)

    def pick(self, scope: Scope, message_ids: Iterable[str]) -> Flow[dict[str, BaseMessage]]:
        """Look each up by the index of ids, some hundred at a time."""
        values = self._identity(scope)
        wanted = list(dict.fromkeys(message_ids))
        cipher = yield from self._vault.cipher(scope)
        found: list[Row[*tuple[Any, ...]]] = []
        for start in range(0, len(wanted), IDS_AT_ONCE):
            chosen = {**values, "ids": wanted[start : start + IDS_AT_ONCE]}
            found += yield from self.database.read(partial(_pick, values=chosen))
        named = check_session(scope)
        return {
            it.message_id: SealedSession(it.session_ref, named, cipher).message(it.seq, it.message_id, it.sealed)
            for it in found
        }

    def search(self, scope: Scope, text: str, *, limit: int = DEFAULT_PAGE) -> Flow[list[BaseMessage]]:
        """Read backwards, a transaction per page."""
        values = {**self._identity(scope), "before": MAX_NUMBER, "limit": SEARCH_PAGE}
        words, limit = check_words(text), check_number("limit", limit)
        found: list[BaseMessage] = []
        while len(found) < limit:
            places, messages = yield from self._messages(scope, rows.SELECT_BEFORE, values)
            found += [message for message in messages if has_words(message, words)]
            if len(places) < SEARCH_PAGE:
                break
            values["before"] = places[-1]
        return found[:limit]

    def summary(self, scope: Scope) -> Flow[bytes | None]:
        """Read it from the session's row."""
        values = self._identity(scope)
        cipher = yield from self._vault.cipher(scope)
        found = yield from self.database.read_prepared(lambda connection: rows.SELECT_SUMMARY.rows(connection, values))
        for ref, sealed, version in found:
            session = SealedSession(ref, values["session"], cipher)
            return None if sealed is None else session.summary(version, sealed)
        return None

    def keep_summary(self, scope: Scope, kept: KeptSummary | None) -> Flow[bool]:
        """Compare and set in one transaction; one that is deleted is in no file of SQLite's afterwards."""
        values = self._identity(scope)
        if kept is None:
            yield from self.database.erase(lambda connection: _drop_summary(connection, values))
            yield from self.database.scrub_erased()
            return False
        check_instance("kept", kept, KeptSummary)
        cipher = yield from self._vault.cipher(scope)
        return (yield from self.database.write(lambda connection: _keep_summary(connection, values, kept, cipher)))

    def rewrite(self, scope: Scope, messages: Sequence[BaseMessage], title: str | None = None) -> Flow[int]:
        """Seal each anew in its place, in one transaction, then empty the write-ahead log of SQLite."""
        values = self._identity(scope)
        anew = {entry.id: entry.plain for entry in prepare(messages, _AS_THEY_ARE).entries}
        cipher = yield from self._vault.cipher(scope)
        rewriting = _Rewriting(values, anew, title, cipher)
        count = yield from self.database.erase(rewriting.run)
        yield from self.database.scrub_erased()
        return count

    def clear(self, scope: Scope) -> Flow[int]:
        """Delete in one transaction, then empty the write-ahead log of SQLite, so that no file holds the text."""
        values = self._identity(scope)
        count = yield from self.database.erase(lambda connection: _clear(connection, values))
        yield from self.database.scrub_erased()
        return count

    def count(self, scope: Scope) -> Flow[int]:
        """Count the rows of the session."""
        values = self._identity(scope)
        counted = yield from self.database.read(lambda connection: connection.execute(rows.COUNT, values).scalar_one())
        return int(counted)

    def conversations(
        self, scope: Scope, *, limit: int = DEFAULT_PAGE, before: LastUsed | None = None
    ) -> Flow[list[Conversation]]:
        """List one page of the user's sessions."""
        check_owner(scope)
        values = {**_names(scope), "now": now(self._options), "limit": check_number("limit", limit)}
        if before is not None:
            values |= {"at": to_micros(before.at), "last": before.session_id}
        statement = rows.conversations(is_anonymous=scope.is_anonymous, is_continued=before is not None)
        cipher = yield from self._vault.cipher(scope)
        found = yield from self.database.read(lambda connection: connection.execute(statement, values).all())
        return [_conversation(row, cipher) for row in found]

    def sweep(self) -> Flow[int]:
        """Delete a hundred sessions per transaction, then empty the write-ahead log of SQLite."""
        values = {"now": now(self._options)}
        swept = batch = yield from self.database.erase(lambda connection: _sweep(connection, values))
        while batch == rows.SWEEP_BATCH:
            batch = yield from self.database.erase(lambda connection: _sweep(connection, values))
            swept += batch
        yield from self.database.scrub_erased()
        return swept

    def _messages(
        self, scope: Scope, statement: Prepared, values: dict[str, Any]
    ) -> Flow[tuple[list[int], list[BaseMessage]]]:
        cipher = yield from self._vault.cipher(scope)
        if self._options.refresh_on_read and self._options.ttl is not None:
            refreshed = {**values, "new_expiry": self._options.expiry(values["now"])}
            found = yield from self.database.write_prepared(
                lambda connection: _refresh(connection, statement, refreshed)
            )
        else:
            found = yield from self.database.read_prepared(lambda connection: statement.rows(connection, values))
        sessions = {ref: SealedSession(ref, values["session"], cipher) for ref in {row[0] for row in found}}
        messages = [sessions[ref].message(seq, named, sealed) for ref, seq, named, sealed in found]
        return [seq for _, seq, _, _ in found], messages

    def _identity(self, scope: Scope) -> dict[str, Any]:
        check_session(scope)
        return {**_names(scope), "now": now(self._options)}


class _Addition(NamedTuple):
    """One transaction that adds messages."""

    scope: Scope
    batch: Batch
    cipher: Cipher
    expires_at: int | None
    max_messages: int | None

    def run(self, connection: Transaction) -> int:
        ref, first, is_untitled = self._take_places(connection)
        title, at = self.batch.title, self.batch.at
        session = SealedSession(ref, check_session(self.scope), self.cipher)
        if is_untitled and title is not None:
            rows.SET_TITLE.change(connection, [{"ref": ref, "sealed_title": session.seal_title(title)}])
        added = [
            {
                "session_ref": ref,
                "seq": seq,
                "message_id": entry.id,
                "at": at,
                "sealed": session.seal_message(seq, entry.id, entry.plain),
            }
            for seq, entry in enumerate(self.batch.entries, first)
        ]
        if self.max_messages is None:
            return rows.INSERT_MESSAGES.change(connection, added)
        self._leave_out(connection, session, added)
        count = rows.INSERT_MESSAGES.change(connection, added)
        if count < len(added):
            name_again(connection, added)
        make_room(connection, session, max_messages=self.max_messages, at=at)
        return count

    def _leave_out(self, connection: Transaction, session: SealedSession, added: list[dict[str, Any]]) -> None:
        """Of results whose calls went before, add the ids only."""
        messages = [entry.message for entry in self.batch.entries]
        answers = {answer for message in messages if (answer := answer_of(message))}
        if not answers:
            return
        lost = lost_calls(connection, session, answers)
        for row, message in zip(added, messages, strict=True):
            again = lost & calls_of(message)
            if again and not rows.IS_KNOWN.rows(connection, {"ref": session.ref, "about": row["message_id"]}):
                lost -= again
            if answer_of(message) in lost:
                row |= {"seq": -row["seq"], "sealed": b""}

    def _take_places(self, connection: Transaction) -> tuple[int, int, bool]:
        """Return the session, the first of the places taken, and whether there is no title; an expired one goes."""
        batch = self.batch
        values = {
            **_names(self.scope),
            "places": len(batch.entries),
            "at": batch.at,
            "expires_at": self.expires_at,
        }
        [(ref, next_seq, title, expires_at)] = rows.TAKE_PLACES.rows(connection, values)
        if expires_at is not None and expires_at <= batch.at:
            _delete(connection, ref)
            [(ref, next_seq, title, _)] = rows.TAKE_PLACES.rows(connection, values)
        return ref, next_seq - len(batch.entries), title is None


class _Rewriting(NamedTuple):
    """One transaction that puts messages in the place of others."""

    values: dict[str, Any]
    anew: dict[str, bytes]
    title: str | None
    cipher: Cipher

    def run(self, connection: Connection) -> int:
        found = connection.execute(rows.LOCK_LIVE, self.values).one_or_none()
        if found is None:
            return 0
        session = SealedSession(found.session_ref, self.values["session"], self.cipher)
        ids, ref, count = list(self.anew), session.ref, 0
        for start in range(0, len(ids), IDS_AT_ONCE):
            for row in _pick(connection, {**self.values, "ids": ids[start : start + IDS_AT_ONCE]}):
                sealed = session.seal_message(row.seq, row.message_id, self.anew[row.message_id])
                connection.execute(rows.REPLACE_MESSAGE, {"ref": ref, "place": row.seq, "sealed_anew": sealed})
                count += 1
        if self.title is not None:
            title = self.title.encode("utf-8", "surrogatepass")
            rows.SET_TITLE.change(connection, [{"ref": ref, "sealed_title": session.seal_title(title)}])
        return count


def _pick(connection: Connection, values: dict[str, Any]) -> Sequence[Row[*tuple[Any, ...]]]:
    return connection.execute(rows.SELECT_BY_ID, values).all()


def _refresh(connection: Transaction, statement: Prepared, values: dict[str, Any]) -> list[tuple[Any, ...]]:
    rows.REFRESH.change(connection, [values])
    return statement.rows(connection, values)


def _keep_summary(connection: Connection, values: dict[str, Any], kept: KeptSummary, cipher: Cipher) -> bool:
    found = connection.execute(rows.LOCK_LIVE, values).one_or_none()
    if found is None or kept.version <= (found.summary_version or 0):
        return False
    ref = found.session_ref
    if connection.execute(rows.FIND_ID, {"ref": ref, "about": kept.about}).first() is None:
        return False
    sealed = SealedSession(ref, values["session"], cipher).seal_summary(kept.version, kept.data)
    connection.execute(rows.SET_SUMMARY, {"ref": ref, "sealed_summary": sealed, "version": kept.version})
    return True


def _drop_summary(connection: Connection, values: dict[str, Any]) -> None:
    """Delete a session's summary, if there is one."""
    found = connection.execute(rows.LOCK_LIVE, values).one_or_none()
    if found is not None and found.summary_version is not None:
        connection.execute(rows.SET_SUMMARY, {"ref": found.session_ref, "sealed_summary": None, "version": None})


def _clear(connection: Connection, values: dict[str, Any]) -> int:
    """Return how many messages there were, none where they had expired."""
    found = connection.execute(rows.LOCK_SESSION, values).one_or_none()
    if found is None:
        return 0
    count = int(connection.execute(rows.COUNT, values).scalar_one())
    _delete(connection, found.session_ref)
    return count


def _delete(connection: Transaction, ref: int) -> None:
    end_episodes(connection, ref)
    rows.DELETE_MESSAGES.change(connection, [{"ref": ref}])
    rows.DELETE_SESSION.change(connection, [{"ref": ref}])


def _sweep(connection: Connection, values: dict[str, Any]) -> int:
    refs = list(connection.execute(rows.FIND_EXPIRED, values).scalars())
    end_episodes_of(connection, refs)
    connection.execute(rows.SWEEP_MESSAGES, {"refs": refs})
    return int(connection.execute(rows.SWEEP_SESSIONS, {"refs": refs}).rowcount)


def _conversation(row: Row[*tuple[Any, ...]], cipher: Cipher) -> Conversation:
    session = SealedSession(row.session_ref, row.session_id, cipher)
    title = None if row.title is None else session.title(row.title)
    return Conversation(
        session_id=row.session_id,
        title=None if title is None else decode_title(title, row.session_id),
        created_at=from_micros(row.created_at) or EPOCH,
        last_used_at=from_micros(row.last_used_at) or EPOCH,
        message_count=row.message_count,
    )


def _names(scope: Scope) -> dict[str, Any]:
    return {"tenant": scope.tenant_id, "user": scope.user_id, "session": scope.session_id}

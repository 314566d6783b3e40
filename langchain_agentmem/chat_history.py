"""LangChain's chat message history over stored sessions.

LangChain has announced that it will drop its interface of histories in version 2. The interface is imported here, its
wrapper of chains in `wrapping`, and neither anywhere else. Neither importing nor using this module warns.
"""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from types import TracebackType
from typing import Self

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import BaseMessage

from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.errors import ConfigurationError, ScopeError
from langchain_agentmem.sessions.base import (
    DEFAULT_PAGE,
    Conversation,
    MessagePage,
    Sessions,
    check_owner,
    check_session,
)
from langchain_agentmem.sessions.sql import SQLSessions, utc_now
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.shared import release, shared
from langchain_agentmem.types import Scope
from langchain_agentmem.vault.base import Vault


class _StoredChatMessageHistory(BaseChatMessageHistory):
    """What every history over the port of sessions does; each method in both colours."""

    scope: Scope

    @abstractmethod
    def _store(self) -> Sessions:
        """Return where the conversation is."""

    @property
    def messages(self) -> list[BaseMessage]:
        """All messages, oldest first; see `get_messages`."""
        return self.get_messages()

    @messages.setter
    def messages(self, _messages: list[BaseMessage]) -> None:
        msg = "messages of a stored history cannot be assigned; call add_messages(), or clear() first"
        raise ConfigurationError(msg)

    def get_messages(self) -> list[BaseMessage]:
        """Return all messages, oldest first.

        Raises:
            StorageError: The database failed, or a stored message cannot be read back.
        """
        return run(self._read())

    async def aget_messages(self) -> list[BaseMessage]:
        """Return all messages, oldest first; see `get_messages`."""
        return await arun(self._read())

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add messages at the end, all or none.

        A message without an id gets one, on the object itself. A message whose id the session holds already is ignored:
        the same call can be repeated after an error, and doubles nothing.

        Raises:
            ConfigurationError: Something is no message that can be stored (`RemoveMessage` among them); nothing is.
            StorageError: The database failed; nothing was stored.
        """
        run(self._add(messages))

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add messages at the end, all or none; see `add_messages`."""
        await arun(self._add(messages))

    def clear(self) -> None:
        """Delete this session and its title for good; no other session changes.

        Raises:
            StorageError: The database failed; nothing was deleted.
        """
        run(self._store().clear(self.scope))

    async def aclear(self) -> None:
        """Delete this session for good; see `clear`."""
        await arun(self._store().clear(self.scope))

    def last(self, n: int) -> list[BaseMessage]:
        """Return the last `n` messages, oldest first, without reading the others.

        Raises:
            ConfigurationError: `n` is no int of at least 1.
            StorageError: As of `get_messages`.
        """
        return run(self._store().read(self.scope, last=n))

    async def alast(self, n: int) -> list[BaseMessage]:
        """Return the last `n` messages, oldest first; see `last`."""
        return await arun(self._store().read(self.scope, last=n))

    def page(self, *, after: int = 0, limit: int = DEFAULT_PAGE) -> MessagePage:
        """Return a page of messages, oldest first; its `next_after` is the `after` of the next.

        Raises:
            ConfigurationError: `after` is negative, or `limit` is no int of at least 1.
            StorageError: As of `get_messages`.
        """
        return run(self._store().page(self.scope, after=after, limit=limit))

    async def apage(self, *, after: int = 0, limit: int = DEFAULT_PAGE) -> MessagePage:
        """Return a page of messages, oldest first; see `page`."""
        return await arun(self._store().page(self.scope, after=after, limit=limit))

    def count(self) -> int:
        """Return how many messages the session holds."""
        return run(self._store().count(self.scope))

    async def acount(self) -> int:
        """Return how many messages the session holds; see `count`."""
        return await arun(self._store().count(self.scope))

    def _read(self) -> Flow[list[BaseMessage]]:
        return (yield from self._store().read(self.scope))

    def _add(self, messages: Sequence[BaseMessage]) -> Flow[None]:
        yield from self._store().append(self.scope, messages)


class SessionChatMessageHistory(_StoredChatMessageHistory):
    """One session of a user as LangChain's chat message history, whatever stores it.

    Every read asks the backend, so that it sees what others wrote; nothing is kept in the object.

    Args:
        sessions: Where conversations are stored.
        scope: Whose, and which: its `session_id` names the session.

    Raises:
        ScopeError: The scope names no session.
    """

    def __init__(self, sessions: Sessions, scope: Scope) -> None:
        """No I/O."""
        check_session(scope)
        self.scope = scope
        self._sessions = sessions

    def _store(self) -> Sessions:
        return self._sessions


class SQLChatMessageHistory(_StoredChatMessageHistory):
    """A conversation in SQLite or PostgreSQL, whole: ids, names, tool calls, content blocks, usage, artifacts.

    Constructing it does no I/O, so that it can be made anew for every call, as LangChain does. Histories of one process
    with the same `url` share its connections (but for SQLite in memory, where each history is its own database), until
    one of them is closed.

    Args:
        session_id: Which conversation.
        scope: Whose; its own `session_id`, if any, must be the same one. `None`: `Scope.anonymous(session_id)`, a
            conversation without a user.
        url: `sqlite:///file.db`, `sqlite://` (in memory), or `postgresql://…`.
        database: In place of `url`: a database to share with the other parts; closing it is its owner's.
        vault: Seals what is stored; by default nothing is encrypted.
        clock: Gives the time, aware UTC.

    Raises:
        ConfigurationError: Neither `url` nor `database` is given, or both are.
        ScopeError: An id is malformed, or the scope is about another session.

    Example:
        >>> history = SQLChatMessageHistory("thread-1", scope=Scope("alice"), url="sqlite:///chat.db")
        >>> history.add_user_message("Deploy to staging first, please.")
        >>> history.last(1)[0].content
        'Deploy to staging first, please.'
        >>> [conversation.title for conversation in history.conversations(Scope("alice"), url="sqlite:///chat.db")]
        ['Deploy to staging first, please.']
        >>> history.close()
    """

    def __init__(
        self,
        session_id: str,
        *,
        scope: Scope | None = None,
        url: str | None = None,
        database: Database | None = None,
        vault: Vault | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        """No I/O."""
        self._place = _Place(url, database)
        self._vault = vault
        self._clock = clock
        self.scope = _session_scope(session_id, scope)

    @staticmethod
    def conversations(
        scope: Scope,
        *,
        url: str | None = None,
        database: Database | None = None,
        vault: Vault | None = None,
        limit: int = DEFAULT_PAGE,
        before: Conversation | None = None,
    ) -> list[Conversation]:
        """Return a user's sessions, last used first, each with title, times and number of messages.

        Args:
            scope: Whose; an anonymous scope sees its own session only.
            url: As of the class.
            database: As of the class.
            vault: As of the class.
            limit: How many at most.
            before: The last conversation of the page before this one.

        Raises:
            ConfigurationError: Neither `url` nor `database` is given, or both are, or `limit` is no int of at least 1.
            StorageError: The database failed.
        """
        sessions = SQLSessions(_Place(url, database).named(), vault=vault)
        return run(sessions.conversations(scope, limit=limit, before=before))

    @staticmethod
    async def aconversations(
        scope: Scope,
        *,
        url: str | None = None,
        database: Database | None = None,
        vault: Vault | None = None,
        limit: int = DEFAULT_PAGE,
        before: Conversation | None = None,
    ) -> list[Conversation]:
        """Return a user's sessions, last used first; see `conversations`."""
        sessions = SQLSessions(_Place(url, database).named(), vault=vault)
        return await arun(sessions.conversations(scope, limit=limit, before=before))

    def close(self) -> None:
        """Release the connections that were opened for the `url`; a `database` that was given stays open.

        A history that is used again opens them again, but SQLite in memory has then forgotten everything.
        """
        opened = self._place.release()
        if opened is not None:
            opened.close()

    async def aclose(self) -> None:
        """Release the connections that were opened for the `url`; see `close`."""
        opened = self._place.release()
        if opened is not None:
            await opened.aclose()

    def _store(self) -> Sessions:
        return SQLSessions(self._place.database(), vault=self._vault, clock=self._clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class _Place:
    """Where a history's database is: given, shared by its URL, or the history's own in memory."""

    def __init__(self, url: str | None, database: Database | None) -> None:
        if (url is None) == (database is None):
            msg = "pass either url or database; for example url='sqlite:///chat.db'"
            raise ConfigurationError(msg)
        self._url = url
        self._given = database
        self._own: Database | None = None
        self._lock = threading.Lock()

    def database(self) -> Database:
        """Return the database, opened by whoever uses it first."""
        if self._given is not None:
            return self._given
        url = str(self._url)
        if not _is_memory(url):
            return shared(url)
        with self._lock:
            self._own = self._own or Database(url)
            return self._own

    def named(self) -> Database:
        """Return a database that others can reach too; one in memory has no name to find it by."""
        return self._given or shared(str(self._url))

    def release(self) -> Database | None:
        """Let go of the database of a URL; return it if there is one to close."""
        if self._url is None:
            return None
        with self._lock:
            own, self._own = self._own, None
        return own or release(self._url)


def _is_memory(url: str) -> bool:
    return url in {"sqlite://", "sqlite:///", "sqlite:///:memory:"}


def _session_scope(session_id: str, scope: Scope | None) -> Scope:
    if scope is None:
        return Scope.anonymous(session_id)
    check_owner(scope)
    if scope.session_id not in {None, session_id}:
        msg = f"session_id {session_id!r} is not the scope's {scope.session_id!r}; pass a scope without a session_id"
        raise ScopeError(msg)
    return replace(scope, session_id=session_id)

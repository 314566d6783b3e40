"""Chat histories on SQLite and PostgreSQL."""

from __future__ import annotations

import threading
from typing import Unpack

from langchain_agentmem._closing import Closing
from langchain_agentmem._flow import arun, run
from langchain_agentmem.chat_history.stored import StoredChatMessageHistory, session_scope
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.sessions.base import Conversation, Sessions, conversations_page
from langchain_agentmem.sessions.options import SessionSettings, read_settings
from langchain_agentmem.sessions.sql import SQLSessions
from langchain_agentmem.sessions.sql.sessions import DEFAULT_OPTIONS
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.shared import release, shared
from langchain_agentmem.sql.url import IN_MEMORY_URLS
from langchain_agentmem.types import Scope
from langchain_agentmem.types.paging import DEFAULT_LIMIT, Page
from langchain_agentmem.vault.base import Vault, vault_of


class SQLChatMessageHistory(Closing, StoredChatMessageHistory):
    """A conversation in SQLite or PostgreSQL, whole: ids, names, tool calls, content blocks, usage, artifacts.

    Constructing it does no I/O, so that it can be made anew for every call, as LangChain does. Histories of one process
    with the same `url` share its connections (but for SQLite in memory, where each history is its own database); they
    are released when a history is closed and no other one that used them is left.

    Args:
        session_id: Which conversation.
        scope: Whose; its own `session_id`, if any, must be the same one. `None`: `Scope.anonymous(session_id)`, a
            conversation without a user.
        url: `sqlite:///file.db`, `sqlite://` (in memory), or `postgresql://…`.
        database: In place of `url`: a database to share with the other parts; closing it is its owner's.
        vault: Seals what is stored; by default nothing is encrypted.
        settings: Fields of `SessionOptions`: `ttl` (by default a session is kept until it is cleared),
            `refresh_on_read`, `max_messages`, `redact`, `clock`, `new_id`.

    Raises:
        ConfigurationError: Neither `url` nor `database` is given, or both are, or a setting cannot work.
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
        **settings: Unpack[SessionSettings],
    ) -> None:
        """No I/O."""
        self._place = _Place(url, database)
        vault_of(vault)
        self._vault = vault
        self._options = read_settings(settings, DEFAULT_OPTIONS)
        self.scope = session_scope(session_id, scope)

    @staticmethod
    def conversations(
        scope: Scope,
        *,
        url: str | None = None,
        database: Database | None = None,
        vault: Vault | None = None,
        limit: int = DEFAULT_LIMIT,
        cursor: str | None = None,
    ) -> Page[Conversation]:
        """Return a user's sessions, last used first, each with title, times and number of messages.

        Args:
            scope: Whose; an anonymous scope sees its own session only.
            url: As of the class.
            database: As of the class.
            vault: As of the class.
            limit: At most so many, up to 1,000.
            cursor: Of the page before.

        Raises:
            ConfigurationError: Neither `url` nor `database` is given, or both are, or the limit or the
                cursor cannot be used.
            StorageError: The database failed.
        """
        place = _Place(url, database)
        sessions = SQLSessions(place.named(), vault=vault)
        return run(conversations_page(sessions, scope, limit, cursor))

    @staticmethod
    async def aconversations(
        scope: Scope,
        *,
        url: str | None = None,
        database: Database | None = None,
        vault: Vault | None = None,
        limit: int = DEFAULT_LIMIT,
        cursor: str | None = None,
    ) -> Page[Conversation]:
        """Return a user's sessions, last used first; see `conversations`."""
        place = _Place(url, database)
        sessions = SQLSessions(place.named(), vault=vault)
        return await arun(conversations_page(sessions, scope, limit, cursor))

    def _store(self) -> Sessions:
        return SQLSessions(self._place.database(), vault=self._vault, options=self._options)

    def _release(self) -> Database | None:
        return self._place.release()


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
        if url not in IN_MEMORY_URLS:
            return shared(url, self)
        with self._lock:
            self._own = self._own or Database(url)
            return self._own

    def named(self) -> Database:
        """Return a database that others can reach too; one in memory has no name to find it by."""
        return self._given or shared(str(self._url), self)

    def release(self) -> Database | None:
        """Let go of the database of a URL; return it if there is one to close."""
        if self._url is None:
            return None
        with self._lock:
            own, self._own = self._own, None
        return own or release(self._url, self)

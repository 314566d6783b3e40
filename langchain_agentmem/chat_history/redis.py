"""Chat histories on plain Redis or Valkey."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict, Unpack

from langchain_agentmem._closing import Closing
from langchain_agentmem._flow import arun, run
from langchain_agentmem.chat_history.stored import StoredChatMessageHistory, session_scope
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.redis.database import DEFAULT_PREFIX, RedisDatabase
from langchain_agentmem.redis.keys import check_prefix
from langchain_agentmem.redis.shared import release, shared
from langchain_agentmem.sessions.base import Conversation, Sessions, conversations_page
from langchain_agentmem.sessions.options import SessionSettings, read_settings
from langchain_agentmem.sessions.redis import RedisSessions
from langchain_agentmem.sessions.redis.sessions import DEFAULT_OPTIONS
from langchain_agentmem.types import Scope
from langchain_agentmem.types.paging import DEFAULT_LIMIT, Page
from langchain_agentmem.vault.base import Vault, vault_of


class RedisPlace(TypedDict, total=False):
    """Where a history is: `url` with a `prefix`, or a `database`."""

    url: str | None
    prefix: str
    database: RedisDatabase | None


class RedisChatMessageHistory(Closing, StoredChatMessageHistory):
    """A conversation in Redis, whole: ids, names, tool calls, content blocks, usage, artifacts.

    Plain commands only: any Redis from 6.2 on, Valkey, a cluster, managed services. Constructing it does no I/O, so
    that it can be made anew for every call, as LangChain does. Histories of one process with the same `url` and
    `prefix` share its connections; they are released when a history is closed and no other one that used them is left.

    Args:
        session_id: Which conversation.
        scope: Whose; its own `session_id`, if any, must be the same one. `None`: `Scope.anonymous(session_id)`, a
            conversation without a user.
        url: `redis://host:port/db`, `rediss://…`, `unix:///path`, or `redis+cluster://host:port`.
        database: In place of `url` and `prefix`: a database to share with other parts; closing it is its owner's.
        prefix: What every key begins with.
        vault: Seals what is stored; by default nothing is encrypted.
        settings: Fields of `SessionOptions`: `ttl` (seven days after the last write, unless told otherwise),
            `refresh_on_read`, `max_messages`, `redact`, `clock`, `new_id`.

    Raises:
        ConfigurationError: Neither `url` nor `database` is given, or both are, or a setting cannot work.
        ScopeError: An id is malformed, or the scope is about another session.

    Example:
        ```python
        history = RedisChatMessageHistory("thread-1", scope=Scope("alice"), url="redis://localhost:6379/0")
        history.add_user_message("Deploy to staging first, please.")
        history.last(1)
        history.conversations(Scope("alice"), url="redis://localhost:6379/0")
        ```
    """

    def __init__(
        self,
        session_id: str,
        *,
        scope: Scope | None = None,
        url: str | None = None,
        database: RedisDatabase | None = None,
        prefix: str = DEFAULT_PREFIX,
        vault: Vault | None = None,
        **settings: Unpack[SessionSettings],
    ) -> None:
        """No I/O."""
        self._place = _place(url=url, database=database, prefix=prefix)
        vault_of(vault)
        self._vault = vault
        self._options = read_settings(settings, DEFAULT_OPTIONS)
        self.scope = session_scope(session_id, scope)

    @staticmethod
    def conversations(
        scope: Scope,
        *,
        vault: Vault | None = None,
        limit: int = DEFAULT_LIMIT,
        cursor: str | None = None,
        **place: Unpack[RedisPlace],
    ) -> Page[Conversation]:
        """Return a user's sessions, last used first, each with title, times and number of messages.

        Args:
            scope: Whose; an anonymous scope sees its own session only.
            vault: As of the class.
            limit: At most so many, up to 1,000.
            cursor: Of the page before.
            place: `url` and `prefix`, or `database`, as of the class.

        Raises:
            ConfigurationError: Neither `url` nor `database` is given, or both are, or the limit or the
                cursor cannot be used.
            StorageError: Redis failed.
        """
        where = _place(**place)
        sessions = RedisSessions(where.open(), vault=vault)
        return run(conversations_page(sessions, scope, limit, cursor))

    @staticmethod
    async def aconversations(
        scope: Scope,
        *,
        vault: Vault | None = None,
        limit: int = DEFAULT_LIMIT,
        cursor: str | None = None,
        **place: Unpack[RedisPlace],
    ) -> Page[Conversation]:
        """Return a user's sessions, last used first; see `conversations`."""
        where = _place(**place)
        sessions = RedisSessions(where.open(), vault=vault)
        return await arun(conversations_page(sessions, scope, limit, cursor))

    def _store(self) -> Sessions:
        return RedisSessions(self._place.open(), vault=self._vault, options=self._options)

    def _release(self) -> RedisDatabase | None:
        return self._place.release()


@dataclass(frozen=True, eq=False)
class _Place:
    """Where a history's keys are: in a database that was given, or in one shared by its URL and prefix."""

    url: str | None
    database: RedisDatabase | None
    prefix: str

    def open(self) -> RedisDatabase:
        return self.database or shared(str(self.url), self, prefix=self.prefix)

    def release(self) -> RedisDatabase | None:
        return None if self.url is None else release(self.url, self, prefix=self.prefix)


def _place(url: str | None = None, database: RedisDatabase | None = None, prefix: str = DEFAULT_PREFIX) -> _Place:
    if (url is None) == (database is None):
        msg = "pass either url or database; for example url='redis://localhost:6379/0'"
        raise ConfigurationError(msg)
    return _Place(url, database, prefix if prefix is DEFAULT_PREFIX else check_prefix(prefix))

"""What every stored history does, whatever stores it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import BaseMessage

from langchain_agentmem._checks import check_id
from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.errors import ConfigurationError, ScopeError
from langchain_agentmem.sessions.base import (
    DEFAULT_PAGE,
    MessagePage,
    Sessions,
    check_number,
    check_owner,
    check_session,
)
from langchain_agentmem.types import Scope

SCOPES_REMEMBERED: Final = 1_024
"""LangChain makes a history anew for every call of a conversation; a bound on memory."""


class StoredChatMessageHistory(BaseChatMessageHistory):
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
        return run(self._store().read(self.scope, last=check_number("n", n)))

    async def alast(self, n: int) -> list[BaseMessage]:
        """Return the last `n` messages, oldest first; see `last`."""
        return await arun(self._store().read(self.scope, last=check_number("n", n)))

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

    def search(self, text: str, *, limit: int = DEFAULT_PAGE) -> list[BaseMessage]:
        """Return the messages whose text holds every word of `text`, newest first.

        Case makes no difference, and a word is also found inside a longer one.

        Raises:
            ConfigurationError: `text` has no word, or `limit` is no int of at least 1.
            StorageError: As of `get_messages`.
        """
        return run(self._store().search(self.scope, text, limit=limit))

    async def asearch(self, text: str, *, limit: int = DEFAULT_PAGE) -> list[BaseMessage]:
        """Return the messages whose text holds every word of `text`, newest first; see `search`."""
        return await arun(self._store().search(self.scope, text, limit=limit))

    def count(self) -> int:
        """Return how many messages the session holds."""
        return run(self._store().count(self.scope))

    async def acount(self) -> int:
        """Return how many messages the session holds; see `count`."""
        return await arun(self._store().count(self.scope))

    def sweep(self) -> int:
        """Remove what is left of expired sessions, of every user; return how many sessions there were.

        No answer depends on it; it frees the space. Redis does the same by itself.

        Raises:
            StorageError: The database failed; what was removed until then stays removed.
        """
        return run(self._store().sweep())

    async def asweep(self) -> int:
        """Remove what is left of expired sessions; see `sweep`."""
        return await arun(self._store().sweep())

    def _read(self) -> Flow[list[BaseMessage]]:
        return (yield from self._store().read(self.scope))

    def _add(self, messages: Sequence[BaseMessage]) -> Flow[None]:
        yield from self._store().append(self.scope, messages)


class SessionChatMessageHistory(StoredChatMessageHistory):
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


def session_scope(session_id: str, scope: Scope | None) -> Scope:
    """Return the scope of a user's session; without a user, of a visitor's.

    Raises:
        ScopeError: An id is malformed, or the scope is about another session.
    """
    if scope is None:
        return Scope.anonymous(session_id)
    check_owner(scope)
    check_id("session_id", session_id)
    if scope.session_id == session_id:
        return scope
    if scope.session_id is not None:
        msg = f"session_id {session_id!r} is not the scope's {scope.session_id!r}; pass a scope without a session_id"
        raise ScopeError(msg)
    return _of_session(scope, session_id)


@lru_cache(SCOPES_REMEMBERED)
def _of_session(scope: Scope, session_id: str) -> Scope:
    return replace(scope, session_id=session_id)

"""The port of chat sessions: what a backend that stores conversations has to promise.

A session is one conversation of one (tenant, user); its name is the scope's `session_id`. Sessions of different users
never mix, whatever they are called. An anonymous scope is a user-less session of its own. An `agent_id` changes nothing
here: a conversation is whole.

An expired session is as if it were not there, for every method; the next message begins it anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Protocol

from langchain_core.messages import BaseMessage

from langchain_agentmem._checks import MAX_ID_BYTES, check_count, check_instance, check_text
from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import ConfigurationError, ScopeError
from langchain_agentmem.types import Scope
from langchain_agentmem.types.asking import Asks
from langchain_agentmem.types.paging import LastUsed, Order, Page, check_limit
from langchain_agentmem.types.scope import check_scope

_LISTED: Final = Order("conversations", (datetime, str))
DEFAULT_PAGE: Final = 100
"""Messages or conversations per page: the most that one listing of this package returns unless asked for more."""


KEPT_IDS: Final = 1_000
"""Of messages that made room for newer ones, at least so many ids are remembered: a retry comes soon or never."""

SEARCH_PAGE: Final = 500
"""Messages that a search reads at a time: some milliseconds of decoding, and of memory a few hundred kilobytes."""

MAX_NUMBER: Final = 2**62
"""No database counts further than 2^63 - 1, and one more than asked for is read."""

_MAX_VERSION: Final = 2**31 - 1
"""PostgreSQL's column of versions holds no larger one."""


ASKS: Final[Asks] = {
    **dict.fromkeys(("read", "page", "pick", "search", "summary", "count", "conversations"), "read"),
    **dict.fromkeys(("append", "keep_summary", "rewrite"), "write"),
    "clear": "erase",
    **dict.fromkeys(("keeps_summaries", "sweep"), None),
}
"""What each name of `RewritableSessions` asks the application about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagePage:
    """Some consecutive messages of a session, oldest first.

    Attributes:
        next_after: Pass it as `after` for the page that follows; `None`: there was no more when this page was read.
    """

    messages: tuple[BaseMessage, ...] = field(default=(), repr=False)
    next_after: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One session in a listing.

    Attributes:
        title: The beginning of the first thing the user said; `None` where no text was said.
        last_used_at: When a message was last added; reading is no use.
    """

    session_id: str
    title: str | None = field(repr=False)
    created_at: datetime
    last_used_at: datetime
    message_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptSummary:
    """The summary of a session, beside its title: bytes that only their writer understands.

    Args:
        data: What is kept; the vault seals it.
        version: Of two summaries of one session the higher version is the later one; the first is 1.
        about: The id of a message that the summary was made after. A session that does not know it is another one.

    Raises:
        ConfigurationError: A field is of another type, `version` is below 1, or `about` is no id of a message.
    """

    data: bytes = field(repr=False)
    version: int
    about: str

    def __post_init__(self) -> None:
        """Check every field before anything is opened."""
        check_instance("data", self.data, bytes)
        check_number("version", self.version, most=_MAX_VERSION)
        check_text("about", self.about, max_chars=MAX_ID_BYTES)


class Sessions(Protocol):
    """Stores whole messages in the order in which they were acknowledged, and one summary beside them.

    Attributes:
        keeps_summaries: Whether there is a place for summaries. Where there is none, `summary` is always `None` and
            `keep_summary` keeps nothing.
    """

    keeps_summaries: bool = True

    def append(self, scope: Scope, messages: Sequence[BaseMessage]) -> Flow[int]:
        """Add messages at the end of a session, all of them or none, and return how many were new.

        The session begins with its first message. Messages of one call stay together and in order. A message without an
        id is given one (on the object itself, so that the same call can be repeated after an error). An id that the
        session holds already is ignored, and what was stored first stays: repeating a call never doubles a message. The
        ten-thousandth message costs what the first did.

        Beyond `max_messages` the oldest messages go in the same transaction, and with a tool call its results; one that
        comes after its call went is not kept. The ids of the last thousand that went (`KEPT_IDS`) are still known, and
        with each of them all that the same call named, so that a late retry does not bring them back; an older one
        would be added at the end like a new message.

        Raises:
            ConfigurationError: Something is no message that can be stored (`RemoveMessage` among them); nothing is.
            ScopeError: The scope names no session.
        """
        ...

    def read(self, scope: Scope, *, last: int | None = None) -> Flow[list[BaseMessage]]:
        """Return the messages of a session, or its last ones, oldest first; an unknown session is empty.

        Raises:
            ConfigurationError: `last` is no int of at least 1.
            IntegrityError: A stored message cannot be read back.
            ScopeError: The scope names no session.
        """
        ...

    def page(self, scope: Scope, *, after: int = 0, limit: int = DEFAULT_PAGE) -> Flow[MessagePage]:
        """Return at most `limit` messages that follow a position, oldest first; 0 is before the first message.

        Pages that follow each other hold every message once, also while others add messages. A position belongs to its
        message for as long as the session lives, whatever goes before it.

        Raises:
            ConfigurationError: `after` is negative, or `limit` is no int of at least 1.
            IntegrityError: A stored message cannot be read back.
            ScopeError: The scope names no session.
        """
        ...

    def pick(self, scope: Scope, message_ids: Iterable[str]) -> Flow[dict[str, BaseMessage]]:
        """Return those of some messages that a session holds, by id; reading them so prolongs no expiry.

        Raises:
            IntegrityError: A stored message cannot be read back.
            ScopeError: The scope names no session.
        """
        wanted = frozenset(message_ids)
        messages = yield from self.read(scope)
        return {message.id: message for message in messages if message.id in wanted}

    def search(self, scope: Scope, text: str, *, limit: int = DEFAULT_PAGE) -> Flow[list[BaseMessage]]:
        """Return the messages whose text holds every word of `text`, newest first.

        Case makes no difference, and a word is also found inside a longer one. Messages are read page by page, from the
        end, until there are enough.

        Raises:
            ConfigurationError: `text` has no word, or `limit` is no int of at least 1.
            IntegrityError: A stored message cannot be read back.
            ScopeError: The scope names no session.
        """
        ...

    def summary(self, scope: Scope) -> Flow[bytes | None]:
        """Return the summary that is kept of a session; `None` where there is none.

        Raises:
            IntegrityError: It was changed, or sealed with another key.
            ScopeError: The scope names no session.
        """
        ...

    def keep_summary(self, scope: Scope, kept: KeptSummary | None) -> Flow[bool]:
        """Keep a summary in place of the one before, and return whether it is the one that is kept now.

        The higher version wins, and of two equal ones the first: a process that was slower overwrites nothing newer.
        A summary belongs to its session. It ends with it, cleared or expired, and is never given to the session that
        begins anew under the same name: one that is about a message the session does not know is not kept. It stays
        when messages make room for newer ones, since it is what is left of them. Keeping one begins no session and
        prolongs none; `None` deletes it, whatever its version.

        Raises:
            ScopeError: The scope names no session.
        """
        ...

    def clear(self, scope: Scope) -> Flow[int]:
        """Delete a session, its messages, its title and its summary, for good; return how many messages there were.

        Raises:
            ScopeError: The scope names no session.
        """
        ...

    def count(self, scope: Scope) -> Flow[int]:
        """Return how many messages a session holds.

        Raises:
            ScopeError: The scope names no session.
        """
        ...

    def conversations(
        self, scope: Scope, *, limit: int = DEFAULT_PAGE, before: LastUsed | None = None
    ) -> Flow[list[Conversation]]:
        """Return the user's sessions, last used first; the scope's own `session_id` does not narrow them.

        An anonymous scope sees its own session only: visitors are not one user.

        Args:
            scope: Whose.
            limit: How many at most.
            before: Where the last one of the page before stands.

        Raises:
            ConfigurationError: `limit` is no int of at least 1.
        """
        ...

    def sweep(self) -> Flow[int]:
        """Remove what is left of expired sessions, of every user; return how many sessions there were.

        No answer depends on it; it frees the space.
        """
        ...


class RewritableSessions(Sessions, Protocol):
    """Sessions whose stored messages can be changed where they stand: of what was found to be sensitive in them."""

    def rewrite(self, scope: Scope, messages: Sequence[BaseMessage], title: str | None = None) -> Flow[int]:
        """Put messages in the place of those that have their ids, and return of how many; no expiry moves.

        An id that the session does not hold is left out. No file of SQLite's holds afterwards what stood there.

        Args:
            scope: Whose, and which session.
            messages: Each with the id of the message it replaces, and the same tool calls.
            title: What the session is called from now on; `None`: as before.

        Raises:
            ConfigurationError: Something is no message that can be stored; nothing is changed.
            ScopeError: The scope names no session.
        """
        ...


def conversations_page(sessions: Sessions, scope: Scope, limit: int, cursor: str | None) -> Flow[Page[Conversation]]:
    """Return a page of a user's sessions, last used first.

    Raises:
        ConfigurationError: The limit or the cursor cannot be used.
    """
    start, most = _LISTED.start(cursor), check_limit(limit) + 1
    last = None if start is None else LastUsed(*start)
    found = yield from sessions.conversations(scope, limit=most, before=last)
    return _LISTED.page(found, limit, LastUsed.of)


def check_session(scope: Scope) -> str:
    """Return the id of the scope's session.

    Raises:
        ScopeError: It is no scope, or one without a session.
    """
    check_owner(scope)
    if scope.session_id is None:
        msg = "the scope names no session; pass Scope(user_id=…, session_id=…)"
        raise ScopeError(msg)
    return scope.session_id


def check_owner(scope: Scope) -> None:
    """Raise `ScopeError` unless it is a scope."""
    check_scope(scope, "Scope(user_id='alice', session_id='1')")


def check_words(text: object) -> tuple[str, ...]:
    """Return the case-folded words of a search, or raise `ConfigurationError` where there are none."""
    words = tuple(text.casefold().split()) if isinstance(text, str) else ()
    if not words:
        msg = f"text must be a str with a word in it, got {type(text).__name__}; for example 'staging'"
        raise ConfigurationError(msg)
    return words


def check_number(name: str, value: object, *, least: int = 1, most: int = MAX_NUMBER) -> int:
    """Return `value` if it is an int of at least `least` and at most `most`, else raise `ConfigurationError`."""
    return check_count(name, value, least, most)

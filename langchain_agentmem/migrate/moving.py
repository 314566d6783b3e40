"""How conversations are moved: session by session, each message once, with an account of every one."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, NamedTuple, Protocol, TypeAlias

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from langchain_agentmem._checks import check_chosen, check_flag
from langchain_agentmem._flow import Flow, step
from langchain_agentmem.errors import ConfigurationError, ScopeError
from langchain_agentmem.migrate.forms import UnreadableError, read_message
from langchain_agentmem.sessions.messages import encode


class History(Protocol):
    """What is asked of a history; every one of this package has it."""

    def get_messages(self) -> list[BaseMessage]:
        """Return all messages, oldest first."""
        ...

    async def aget_messages(self) -> list[BaseMessage]:
        """Return all messages, oldest first."""
        ...

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add messages at the end."""
        ...

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add messages at the end."""
        ...


Into: TypeAlias = Callable[[str], History | None]
"""Gives the history that takes the messages of a session, or `None` to leave the session out."""

_EXAMPLE: Final = "lambda session_id: SQLChatMessageHistory(session_id, url='sqlite:///chat.db')"
_METHODS: Final = ("get_messages", "aget_messages", "add_messages", "aadd_messages")

_NAMESPACE: Final = uuid.UUID("6d1c7f0e-5e5b-5a0b-9c7e-3f6a2b8d4c19")
"""Of the ids that messages without one are given; it must stay what it is, or a second run adds everything again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A message that was not moved. `place` counts the session's messages from 1; `reason` quotes nothing of it.

    Those of no session have an empty `session_id`, and are counted among themselves.
    """

    session_id: str
    place: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """An account of a migration: `found` is the sum of `added`, `present` and the refusals.

    Attributes:
        sessions: Sessions that were looked at; those that `into` left out are not.
        found: Messages in them.
        added: Messages that were added, or would be in a dry run.
        present: Messages that the target held already, by their ids, or that the source holds twice.
        refused: Messages that could not be read, or that no history can store.
        unanswered: Tool results whose call is in no message before them, because the source did not store it: a model
            provider may refuse such a conversation.
    """

    sessions: int = 0
    found: int = 0
    added: int = 0
    present: int = 0
    refused: tuple[Refusal, ...] = ()
    unanswered: int = 0
    dry_run: bool = False


class Stored(NamedTuple):
    """A message as a source stores it: a form that `read_message` knows, or why there is none, and its key if any."""

    form: object = None
    key: str | None = None
    problem: str | None = None


class Source(Protocol):
    """Where conversations come from."""

    @property
    def name(self) -> str:
        """Name the kind of source, for the ids that are made up."""
        ...

    def sessions(self) -> Flow[list[str]]:
        """Return the names of all sessions."""
        ...

    def read(self, session_id: str) -> Flow[list[Stored]]:
        """Return the messages of a session, oldest first; an unknown session has none."""
        ...

    def strays(self) -> Flow[int]:
        """Count the messages that are in no session."""
        yield from ()
        return 0


@dataclass(slots=True)
class _Tally:
    """The account while it grows."""

    sessions: int = 0
    found: int = 0
    added: int = 0
    present: int = 0
    unanswered: int = 0
    refused: list[Refusal] = field(default_factory=list)

    def refuse(self, session_id: str, place: int, reason: str) -> None:
        self.refused.append(Refusal(session_id=session_id, place=place, reason=reason))

    def account(self, *, dry_run: bool) -> Migration:
        return Migration(
            sessions=self.sessions,
            found=self.found,
            added=self.added,
            present=self.present,
            refused=tuple(self.refused),
            unanswered=self.unanswered,
            dry_run=dry_run,
        )


def move(source: Source, into: Into, *, session_ids: Collection[str] | None, dry_run: bool) -> Flow[Migration]:
    """Move the messages of some sessions, or of all.

    Raises:
        ConfigurationError: An argument has a value that cannot work.
        StorageError: Source or target failed; sessions before it are moved, and the same call goes on.
    """
    check_flag("dry_run", dry_run)
    if not callable(into):
        msg = f"into must be a function of a session's id, got {type(into).__name__}; for example {_EXAMPLE}"
        raise ConfigurationError(msg)
    chosen = check_chosen("session_ids", session_ids)
    tally = _Tally()
    for session_id in (yield from source.sessions()) if chosen is None else chosen:
        stored = yield from source.read(session_id)
        yield from _move_session(source.name, session_id, stored, into, tally, dry_run=dry_run)
    if chosen is None:
        strays = yield from source.strays()
        tally.found += strays
        for place in range(1, strays + 1):
            tally.refuse("", place, "it names no session")
    return tally.account(dry_run=dry_run)


def _move_session(
    name: str, session_id: str, stored: Sequence[Stored], into: Into, tally: _Tally, *, dry_run: bool
) -> Flow[None]:
    try:
        history = into(session_id)
    except (ConfigurationError, ScopeError) as error:  # a name that no session of ours can have
        for place in range(1, len(stored) + 1):
            tally.refuse(session_id, place, str(error))
        tally.found += len(stored)
        return
    if history is None:
        return
    tally.sessions += 1
    tally.found += len(stored)
    messages = _read(name, session_id, stored, tally)
    tally.unanswered += _unanswered(messages)
    yield from _add(check_history("into must return", history), messages, tally, dry_run=dry_run)


def _add(history: History, messages: list[BaseMessage], tally: _Tally, *, dry_run: bool) -> Flow[None]:
    there = yield from step(history.get_messages, history.aget_messages)
    known = {message.id for message in there}
    new = []
    for message in messages:
        if message.id not in known:
            known.add(message.id)
            new.append(message)
    if new and not dry_run:
        yield from step(history.add_messages, history.aadd_messages, new)
    tally.added += len(new)
    tally.present += len(messages) - len(new)


def _read(name: str, session_id: str, stored: Iterable[Stored], tally: _Tally) -> list[BaseMessage]:
    """Return the messages that can be read, each with an id that is the same in every run.

    A message with the id of another one before it gets one of its own: a source need not look at its ids.
    """
    seen: Counter[str] = Counter()
    named: dict[str, BaseMessage] = {}
    messages = []
    for place, one in enumerate(stored, 1):
        try:
            message = _message(one)
        except UnreadableError as error:
            tally.refuse(session_id, place, str(error))
            continue
        if not message.id:
            digest = sha256(encode(message)).hexdigest()
            seen[digest] += 1
            message.id = _made_up(name, session_id, one.key or f"{digest}/{seen[digest]}")
        elif named.setdefault(message.id, message) != message:
            message.id = _made_up(name, session_id, f"another/{sha256(encode(message)).hexdigest()}")
        messages.append(message)
    return messages


def _message(stored: Stored) -> BaseMessage:
    if stored.problem is not None:
        raise UnreadableError(stored.problem)
    return read_message(stored.form)


def _made_up(name: str, session_id: str, key: str) -> str:
    """Return an id that depends on the source, the session and the message alone.

    Without a key of the source's, the message is known by its content and by how many equal ones came before it: that
    stays the same when the source drops its oldest messages.
    """
    return str(uuid.uuid5(_NAMESPACE, json.dumps([name, session_id, key])))


def _unanswered(messages: Iterable[BaseMessage]) -> int:
    called: set[str | None] = set()
    count = 0
    for message in messages:
        if isinstance(message, AIMessage):
            called |= {call["id"] for call in (*message.tool_calls, *message.invalid_tool_calls)}
        elif isinstance(message, ToolMessage):
            count += message.tool_call_id not in called
    return count


def check_history(what: str, history: History) -> History:
    """Return what can take messages, or raise `ConfigurationError`; `what` begins its message."""
    if not isinstance(history, type) and all(callable(getattr(history, name, None)) for name in _METHODS):
        return history
    got = history.__name__ if isinstance(history, type) else type(history).__name__
    msg = f"{what} a history of this package, got {got}; for example {_EXAMPLE}"
    raise ConfigurationError(msg)

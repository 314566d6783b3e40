"""From messages to turns: what a person said, and what was replied."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from typing import Final

from langchain_core.messages import BaseMessage

from langchain_agentmem._checks import MAX_ID_BYTES
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.extraction.record.conversation import is_injected, speaker_of
from langchain_agentmem.ledger.episodes import PREFIX
from langchain_agentmem.types import Episode, Scope

USER: Final = "user"
ASSISTANT: Final = "assistant"
MAX_NAME_CHARS: Final = 200

BATCH: Final = 256
"""Turns embedded and kept in one transaction: what a kill can cost, and what a lock can last."""

_ID_BYTES: Final = 16
"""Two of 2^32 turns of one user collide with a chance below 10^-19."""

_SURROGATE: Final = lazy_pattern(r"[\ud800-\udfff]")

TimeOf = Callable[[BaseMessage], datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A turn on its way to become an episode.

    Attributes:
        messages: What it consists of: one of a person (or none, where an assistant speaks first) and the replies to it.
        at: When it began.
        number: Of the turn in the messages it was taken from: names it where its first message has no id.
    """

    messages: tuple[BaseMessage, ...] = field(repr=False)
    at: datetime
    number: int = 0

    @property
    def speaker(self) -> str:
        """Who said it, by the message's name."""
        first = self.messages[0]
        name = " ".join(clean(first.name or "").split())[:MAX_NAME_CHARS].strip()
        return ASSISTANT if _is_reply(first) else name or USER

    @property
    def text(self) -> str:
        """What the person said."""
        return "" if _is_reply(self.messages[0]) else words_in(self.messages[0])

    @property
    def reply(self) -> str:
        """What was answered."""
        return "\n".join(words_in(message) for message in self.messages if _is_reply(message))

    def id_in(self, scope: Scope) -> str:
        """Return the id of the turn as an episode of a session."""
        words = (self.at.isoformat(), str(self.number), self.speaker, self.text)
        return episode_id(scope, id_of(self.messages[0]) or "\x00".join(words))

    def episode(self, scope: Scope, expires_at: datetime | None = None) -> Episode:
        """Return the turn as an episode of a session; it has no place there yet."""
        return Episode(
            id=self.id_in(scope),
            scope=scope,
            place=0,
            at=self.at,
            speaker=self.speaker,
            text=self.text,
            reply=self.reply,
            message_ids=tuple(filter(None, map(id_of, self.messages))),
            expires_at=expires_at,
        )


class Turns:
    """Cuts a conversation into turns, message by message.

    Each message of a person begins a turn; what assistants answer until the next one is its reply. Instructions, tool
    results, messages without words, and what memory itself put into the conversation are no part of any turn.

    Args:
        time_of: Tells when a message was said.
    """

    def __init__(self, time_of: TimeOf) -> None:
        """Nothing was said yet."""
        self._time_of = time_of
        self._open: list[BaseMessage] = []
        self._at: datetime | None = None
        self._number = 0

    def add(self, message: BaseMessage) -> Turn | None:
        """Take the next message, and return the turn that ends before it, if one does."""
        if not is_said(message):
            return None
        ended = None if _is_reply(message) else self.end()
        if not self._open:
            self._at = self._time_of(message)
        self._open.append(message)
        return ended

    def end(self) -> Turn | None:
        """Return the turn that is not ended yet: nobody has spoken after it."""
        if not self._open or self._at is None:
            return None
        turn = Turn(messages=tuple(self._open), at=self._at, number=self._number)
        self._open = []
        self._number += 1
        return turn


def turns_of(messages: Iterable[BaseMessage], time_of: TimeOf) -> Iterator[Turn]:
    """Give the turns of a conversation, each as soon as it is ended; see `Turns`."""
    turns = Turns(time_of)
    for message in messages:
        ended = turns.add(message)
        if ended is not None:
            yield ended
    last = turns.end()
    if last is not None:
        yield last


def is_said(message: BaseMessage) -> bool:
    """Whether a message is words of a person or of an assistant: a part of some turn."""
    return speaker_of(message) is not None and not is_injected(message) and _has_words(message)


def begins_turn(message: BaseMessage) -> bool:
    """Whether a turn begins with a message."""
    return is_said(message) and not _is_reply(message)


def words_in(message: BaseMessage) -> str:
    """Return the words of a message as they are kept."""
    return clean(message.text).strip()


def _has_words(message: BaseMessage) -> bool:
    content = message.content  # LangChain takes long to make a text of it
    text = content if isinstance(content, str) else message.text
    return bool(text.replace("\x00", " ").strip())


def clean(text: str) -> str:
    """Return a text without what no database keeps: NUL is a space, a lone surrogate the replacement character."""
    return _SURROGATE.sub("\ufffd", text.replace("\x00", " "))


def id_of(message: BaseMessage) -> str | None:
    """Return the id of a message, if it can be kept."""
    id_ = message.id or ""
    is_kept = id_.strip() and clean(id_) == id_ and len(id_.encode()) <= MAX_ID_BYTES
    return id_ if is_kept else None


def episode_id(scope: Scope, name: str) -> str:
    """Return the id of the turn of a session that begins with a message of this id."""
    identity = "\x00".join((scope.agent_id or "", scope.session_id or "", name))
    return f"{PREFIX}{blake2b(identity.encode(), digest_size=_ID_BYTES).hexdigest()}"


def episode_ids(messages: Sequence[BaseMessage], scope: Scope) -> frozenset[str]:
    """Return the ids under which turns of these messages are kept in a session, by this agent or by none."""
    names = [it for it in map(id_of, filter(is_said, messages)) if it is not None]
    owners = [Scope(scope.user_id, agent_id=it, session_id=scope.session_id) for it in {scope.agent_id, None}]
    return frozenset(episode_id(owner, name) for owner in owners for name in names)


def _is_reply(message: BaseMessage) -> bool:
    return speaker_of(message) == ASSISTANT

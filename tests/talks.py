"""What the tests of episodes are made of: conversations, drafts, and looks at what is stored of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from sqlalchemy import Connection, select

from langchain_agentmem._flow import Flow, run
from langchain_agentmem._search import EpisodeLink
from langchain_agentmem.ledger.base import LedgerWriter
from langchain_agentmem.ledger.episodes import EpisodeDraft, EpisodeReader, EpisodeWriter
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import EPISODES, VECTORS
from langchain_agentmem.types import Episode, Scope
from tests.ledgers import ALICE, START

T = TypeVar("T")
TALK: Final = Scope("alice", session_id="talk")
OTHER_TALK: Final = Scope("alice", session_id="other")
VECTOR: Final = b"\x00\x00\x80?\x00\x00\x00\x00"
"""A unit vector of two numbers."""

UPDATE: Final = {"ep-2": (EpisodeLink("ep-1", "number", frozenset({1, 2})),)}
"""The second updates the first."""


def turn(number: int, said: str, answered: str = "") -> list[BaseMessage]:
    """Return the messages of one turn, with ids."""
    messages: list[BaseMessage] = [HumanMessage(said, id=f"h{number}")]
    return [*messages, AIMessage(answered, id=f"a{number}")] if answered else messages


def talk(*said: str) -> list[BaseMessage]:
    """Return the messages of a conversation in which each turn is answered."""
    return [message for number, text in enumerate(said) for message in turn(number, text, f"I see, {text}")]


def episode(episode_id: str = "ep-1", scope: Scope = TALK, **changes: Any) -> Episode:
    """Return an episode."""
    values: dict[str, Any] = {
        "place": 0,
        "at": START,
        "speaker": "user",
        "text": f"what {episode_id} says",
        "reply": f"what answers {episode_id}",
        "message_ids": (f"h-{episode_id}", f"a-{episode_id}"),
    }
    return Episode(id=episode_id, scope=scope, **{**values, **changes})


def draft(episode_id: str = "ep-1", scope: Scope = TALK, **changes: Any) -> EpisodeDraft:
    """Return an episode to keep, as a copy with a vector."""
    return EpisodeDraft(episode=episode(episode_id, scope, **changes), vector=VECTOR)


def at(minutes: float) -> datetime:
    """Return a time some minutes after the tests begin."""
    return START + timedelta(minutes=minutes)


def write(ledger: SQLLedger, body: Callable[[EpisodeWriter], T], scope: Scope = ALICE) -> Flow[T]:
    """Run `body` on what can be written of a user's episodes."""

    def within(writer: LedgerWriter) -> T:
        return body(writer.episodes)

    return ledger.append(scope, within)


def read(ledger: SQLLedger, body: Callable[[EpisodeReader], T], scope: Scope = ALICE) -> Flow[T]:
    """Run `body` on what can be read of a user's episodes."""
    return ledger.read(scope, lambda reader: body(reader.episodes))


def ids(stored: Iterable[Any]) -> list[str]:
    """Return the ids of stored episodes."""
    return [it.episode.id for it in stored]


def remains(database: Database) -> list[tuple[Any, ...]]:
    """Return what the rows of episodes that are gone still hold: bytes of text, terms and vectors."""

    def look(connection: Connection) -> Sequence[Any]:
        columns = [EPISODES.c[name] for name in ("body", "terms", "reply_terms", "claims", "updates", "session_ref")]
        gone = connection.execute(select(*columns).where(EPISODES.c.is_gone != 0)).all()
        vectors = select(VECTORS.c.memory_id).where(
            VECTORS.c.memory_id.in_(select(EPISODES.c.episode_id).where(EPISODES.c.is_gone != 0))
        )
        return [*(tuple(filter(None, row)) for row in gone), *connection.execute(vectors).all()]

    return [row for row in run(database.read(look)) if row]

"""The port of episodes: turns of conversations beside the memories of the same user, in the same transactions.

Episodes are kept and dropped by events of the user's log, a batch each. They have a revision of their own: what changed
since a revision is what a view has to load, also when the conversation itself took them away.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from langchain_agentmem._search import ClaimRow, EpisodeLink, EpisodeRow
from langchain_agentmem.types import Episode
from langchain_agentmem.types.asking import Asks

if TYPE_CHECKING:
    from langchain_agentmem.ledger.base import ModelState

ASKS: Final[Asks] = {
    **dict.fromkeys(("revision", "get", "news", "page", "rows", "claims", "links", "without_vector"), "read"),
    **dict.fromkeys(("put", "put_vectors", "supersede"), "write"),
    **dict.fromkeys(("drop", "clear", "clear_copies", "drop_expired"), "erase"),
}
"""What each name of `EpisodeWriter` asks the application about."""

PREFIX: Final = "ep-"
"""How the id of every episode begins."""


class EpisodePlace(NamedTuple):
    """Where an episode stands among the others: they are listed in this order."""

    at: datetime
    session_id: str
    place: int
    id: str

    @classmethod
    def of(cls, episode: Episode) -> EpisodePlace:
        """Return where an episode stands."""
        return cls(episode.at, episode.scope.session_id or "", episode.place, episode.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeDraft:
    """An episode to keep.

    Args:
        episode: What is kept. Its `revision` is given to it; so is its `place`, behind all others of its session: it
            tells the order of what was said at one moment.
        is_pointer: The words stay in the conversation, which is in the same database: here are only the ids of its
            messages, and what search needs. Place and time are then those of its first message.
        is_masked: Of what stands in the conversation not all is kept: who reads it there has to mask it again.
        claims: The values that are stated in what was said, as `policies.claims.pack_claims` packs them.
        vector: Unit vector of what was said; float32, little-endian.
        tokens: What tokens in its words stand for.
        is_latest: Its reply is the one that its conversation has now: of a turn that is kept already with another one,
            which was told earlier, it takes the place. What is read again is no news.
        shared_id: The id under which the user's agents share the same turn: where that is known, nobody keeps another.
    """

    episode: Episode
    is_pointer: bool = False
    is_masked: bool = False
    claims: bytes = b""
    vector: bytes | None = None
    tokens: Mapping[str, str] = field(default_factory=dict, repr=False)
    shared_id: str | None = None
    is_latest: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEpisode:
    """An episode as it is stored.

    Attributes:
        is_pointer: Its words are in the conversation: `episode.text` and `.reply` are empty until they are read there.
        is_masked: What is read there is to be masked.
        event_seq: The event of the log that kept it.
    """

    episode: Episode
    is_pointer: bool
    is_masked: bool
    event_seq: int


class EpisodeReader(ABC):
    """What a transaction can read of one user's episodes: this agent's, and those shared by the user's agents.

    Attributes:
        revision: The state of the user's episodes; every change moves it.
    """

    revision: int

    @abstractmethod
    def get(self, episode_ids: Iterable[str]) -> dict[str, StoredEpisode]:
        """Return the visible ones of several episodes."""

    @abstractmethod
    def news(self, drafts: Iterable[EpisodeDraft]) -> list[EpisodeDraft]:
        """Return, each id once, what is not known yet, and what has grown by a reply since it was kept.

        It has grown where it names more messages; of a copy, also where no known one is missing, and more was replied.
        What was forgotten is known for ever; what ended with its conversation is not. An agent's turn is known, too,
        where all agents share it, or did until it was forgotten.
        """

    @abstractmethod
    def page(self, session_id: str | None, after: EpisodePlace | None, limit: int) -> list[StoredEpisode]:
        """Return episodes of a session, or of all, by time and place, after the last one of the page before."""

    @abstractmethod
    def rows(self, since: int, model: str | None) -> list[EpisodeRow]:
        """Return what a view needs of every episode, of any agent, that changed after a revision."""

    @abstractmethod
    def claims(self, since: int) -> list[ClaimRow]:
        """Return what was stated in every episode, of any agent, that changed after a revision and states anything.

        Those that are gone since then are returned too, as stating nothing.
        """

    @abstractmethod
    def links(self, episode_ids: Iterable[str]) -> dict[str, tuple[EpisodeLink, ...]]:
        """Return what the visible ones of several episodes update; those that update nothing are left out."""

    @abstractmethod
    def without_vector(self, model: str, limit: int) -> list[StoredEpisode]:
        """Return episodes, of any agent, that have no vector of a model."""


class EpisodeWriter(EpisodeReader):
    """What a write transaction can do besides. The subject is locked until it ends."""

    @abstractmethod
    def put(self, drafts: Sequence[EpisodeDraft], model: ModelState | None) -> int:
        """Keep what is news of some episodes, by one event, and return how many were written.

        A pointer whose messages are not in the conversation any more is left out. What has grown keeps its time and
        place, ends no later than it would have, and serves no purpose that it did not serve before; where none is left,
        it stays as it was.

        Args:
            drafts: What is kept.
            model: Whose vectors the drafts carry.
        """

    @abstractmethod
    def put_vectors(self, drafts: Sequence[EpisodeDraft], model: ModelState) -> int:
        """Store or replace vectors of episodes, of any agent, that are as they were; return of how many.

        Args:
            drafts: The episodes as they were read, with vectors.
            model: Whose.
        """

    @abstractmethod
    def supersede(self, links: Mapping[str, Sequence[EpisodeLink]], rule: str) -> None:
        """Note, by one event, which earlier episodes visible others (keys) update, in place of what was noted of them.

        A link ends with either of its episodes. The event names ids, what kind of value changed and how many terms
        both share; the values are the episodes' own and are not repeated.

        Args:
            links: All that each of them updates; their `event_seq` is given to those that are new.
            rule: Name of the rule that found them.
        """

    @abstractmethod
    def drop(self, episode_ids: Iterable[str], reason: str, *, may_return: bool = False) -> int:
        """Take visible episodes out by one event, words, terms and vectors; return how many there were.

        Args:
            episode_ids: Which.
            reason: For the log.
            may_return: Keeping one anew is allowed; else it is known for ever.
        """

    @abstractmethod
    def clear(self, session_id: str | None, reason: str, *, of_every_agent: bool = False) -> int:
        """Take out, like `drop`, all visible episodes of a session or of the user; they may return.

        Args:
            session_id: Which session; `None`: all of them.
            reason: For the log.
            of_every_agent: Also those that are not visible: the conversation itself ended.
        """

    @abstractmethod
    def clear_copies(self, session_id: str, reason: str, message_ids: Collection[str] | None = None) -> int:
        """Take out, like `clear`, what was copied of a session, by any agent: its conversation ended elsewhere.

        Args:
            session_id: Which session.
            reason: For the log.
            message_ids: Only turns that consist of one of these at least; `None`: all.
        """

    @abstractmethod
    def drop_expired(self, now: int, limit: int) -> int:
        """Take out some episodes, of any agent, whose time has come; return how many there were."""

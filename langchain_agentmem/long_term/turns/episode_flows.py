"""The flows behind `Episodes`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Final, TypeAlias

from langchain_core.messages import BaseMessage

from langchain_agentmem._checks import check_progress, check_time
from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import ConfigurationError, ScopeError
from langchain_agentmem.ledger.episodes import EpisodePlace
from langchain_agentmem.ledger.sql.models import SQLModels
from langchain_agentmem.long_term.checked import checked_id, checked_reason
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.remove.ending import Ending, ExpiredEpisodes, has_any
from langchain_agentmem.long_term.remove.tasks import end_task, has_tasks
from langchain_agentmem.long_term.said.turns import TimeOf, turns_of
from langchain_agentmem.long_term.said.words import Words
from langchain_agentmem.long_term.turns.indexing import Conversations, Indexing
from langchain_agentmem.long_term.turns.ingesting import Ingesting, Manner, Progress
from langchain_agentmem.policies.forgotten import Asked
from langchain_agentmem.policies.sensitive_records import shown_episode
from langchain_agentmem.types import Episode, IngestReport, Memory, MemoryMode, Scope
from langchain_agentmem.types.paging import DEFAULT_LIMIT, Order, Page, check_limit
from langchain_agentmem.types.scope import check_scope, known_user

LISTED: Final = Order("episodes.list", (datetime, str, int, str))

SaidAt: TypeAlias = datetime | Callable[[BaseMessage], datetime] | None
"""When a conversation was held, or what tells it of each message; `None`: now."""


class EpisodeFlows:
    """What `Episodes` promises, as flows."""

    def __init__(self, parts: Parts, searching: Searching, models: SQLModels, conversations: Conversations) -> None:
        """Compose."""
        self._parts = parts
        self._conversations = conversations
        self._ingesting = Ingesting(parts, conversations.copies_for)
        self._indexing = Indexing(parts, self._ingesting, conversations)
        self._ending = Ending(parts, searching)
        self._expired = ExpiredEpisodes(parts.ledger, models, parts.clock, parts.watch)
        self._words = Words(parts)

    @property
    def are_kept(self) -> bool:
        """Whether the turns of chat histories become episodes by themselves."""
        return self._conversations.are_kept

    def ingest(
        self,
        messages: Iterable[BaseMessage],
        scope: Scope,
        manner: Manner,
        *,
        at: SaidAt = None,
        progress: Progress | None = None,
    ) -> Flow[IngestReport]:
        """Keep the turns of a conversation; see `Episodes.ingest`."""
        check_progress(progress)
        turns = turns_of(checked_messages(messages), time_of(at, self._parts.clock))
        ingesting = self._ingesting.ingest(turns, with_session(scope), manner, progress)
        return (yield from self._parts.watch.write("keep_episodes", ingesting, scope))

    def index(
        self, scope: Scope, mode: MemoryMode | None = None, progress: Progress | None = None
    ) -> Flow[IngestReport]:
        """Take what stands in the chat history and is no episode yet."""
        check_progress(progress)
        indexing = self._indexing.index(check_scope(scope), mode, progress)
        return self._parts.watch.write("keep_episodes", indexing, scope)

    def keep(
        self,
        messages: Sequence[BaseMessage],
        scope: Scope,
        manner: Manner,
        at: SaidAt = None,
    ) -> Flow[IngestReport]:
        """Keep copies of a turn's messages as part of it, where episodes are kept at all and it has a session."""
        if not self._conversations.are_kept or check_scope(scope).session_id is None:
            return IngestReport()
        turns = turns_of(messages, time_of(at, self._parts.clock))
        keeping = self._ingesting.ingest(turns, scope, manner)
        return (yield from self._parts.watch.write("keep_episodes", keeping, scope))

    def index_end(self, messages: Sequence[BaseMessage], scope: Scope, manner: Manner) -> Flow[IngestReport]:
        """Take the turns of messages that the chat history was given just now."""
        indexing = self._indexing.index_end(messages, with_session(scope), manner)
        return self._parts.watch.write("keep_episodes", indexing, scope)

    def index_noted(
        self, message_ids: AbstractSet[str], scope: Scope, manner: Manner, at: datetime
    ) -> Flow[IngestReport]:
        """Take the turns of messages that the chat history was given some time ago, as far as they stand there."""
        indexing = self._indexing.index_noted(message_ids, with_session(scope), manner, at)
        return self._parts.watch.write("keep_episodes", indexing, scope)

    def get(self, episode_id: str, scope: Scope) -> Flow[Episode | None]:
        """Return one episode, or `None` where it is unknown here or gone."""
        episode_id, scope = checked_id(episode_id, "episode_id"), known_user(scope)
        found = yield from self._words.get(scope, [episode_id])
        yield from self._words.drop_gone(scope, found)
        return next((self._shown(it) for it in found.episodes.values()), None)

    def list(self, scope: Scope, limit: int = DEFAULT_LIMIT, cursor: str | None = None) -> Flow[Page[Episode]]:
        """Return episodes in the order of time, those of the scope's session if it names one."""
        scope = known_user(scope)
        start, most = LISTED.start(cursor), check_limit(limit) + 1
        last = None if start is None else EpisodePlace(*start)
        listed: list[Episode] = []
        while True:
            stored = yield from self._parts.ledger.read(
                scope,
                lambda reader: reader.episodes.page(scope.session_id, last, most),  # noqa: B023  (run at once)
            )
            found = yield from self._words.of(scope, stored)
            yield from self._words.drop_gone(scope, found)
            listed += found.episodes.values()
            if len(listed) >= most or len(stored) < most:
                return LISTED.page(listed, limit, EpisodePlace.of).each(self._shown)
            last = EpisodePlace.of(stored[-1].episode)

    def forget(self, episode_ids: Sequence[str], scope: Scope, reason: str) -> Flow[int]:
        """Take episodes out for good, their words, terms and vectors; return how many there were."""
        forgetting = self._ending.forget(_checked_ids(episode_ids), known_user(scope), checked_reason(reason))
        return self._parts.watch.write("drop_episodes", forgetting, scope)

    def forget_each(self, episode_ids: Sequence[str], scope: Scope, reason: str) -> Flow[Sequence[Memory]]:
        """Take episodes out for good, and return what is left of them; see `forget`."""
        forgetting = self._ending.forget_each(_checked_ids(episode_ids), known_user(scope), checked_reason(reason))
        return self._parts.watch.write("drop_episodes", forgetting, scope)

    def clear(self, scope: Scope, reason: str) -> Flow[int]:
        """Take out all episodes; see `Episodes.clear`."""
        clearing = self._ending.clear(known_user(scope), checked_reason(reason))
        return self._parts.watch.write("drop_episodes", clearing, scope)

    def ask(self, what: str | None, scope: Scope, reason: str = "user asked") -> Flow[int]:
        """Note that the user asks to forget something, `None`: everything, also where nothing that is kept says it.

        What turns that began before would still leave of it is not kept. Returns where the user's log stands then: a
        turn that begins with it is not meant.
        """
        asked = (Asked(),) if what is None else Asked.each(what)
        return self._ending.ask(asked, known_user(scope), checked_reason(reason))

    def check_may_end(self, scope: Scope, *, is_any_named: bool) -> Flow[None]:
        """See that turns may be taken out, before anything of a request is done.

        Args:
            scope: Whose.
            is_any_named: Some are to be taken out; `False`: all that there are, if any.

        Raises:
            RetentionError: A legal hold stands: a turn goes for good, and nothing may.
        """
        return self._ending.check_may_end(known_user(scope), is_any_named=is_any_named)

    def began(self, scope: Scope) -> Flow[int]:
        """Return where the user's log stands, for a turn that begins: see `Candidate.began`."""
        return self._ending.began(known_user(scope))

    def end_session(self, scope: Scope, reason: str) -> Flow[int]:
        """Take out what is kept of a conversation that is about to be cleared, by whichever agent."""
        ending = self._ending.end_session(with_session(scope), checked_reason(reason))
        return self._parts.watch.write("drop_episodes", ending, scope)

    def end_copies(self, scope: Scope, reason: str, message_ids: Collection[str] | None = None) -> Flow[int]:
        """Take out what was copied, by whichever agent, of a conversation or of some messages that end elsewhere."""
        ending = self._ending.end_copies(with_session(scope), checked_reason(reason), message_ids)
        return self._parts.watch.write("drop_episodes", ending, scope)

    def end_task(self, scope: Scope) -> Flow[None]:
        """Delete the state of the task of a conversation that has ended."""
        return end_task(self._parts, with_session(scope))

    def has_any(self, scope: Scope) -> Flow[bool]:
        """Return whether anything is kept of a user's conversations, or waits to be, the states of tasks included."""
        has_turns = yield from self._parts.ledger.read(scope, has_any)
        return has_turns or (yield from has_tasks(self._parts, scope))

    def sweep(self) -> Flow[int]:
        """Take out what has expired; see `Episodes.sweep`."""
        return self._expired.sweep()

    def _shown(self, episode: Episode) -> Episode:
        return shown_episode(self._parts.sensitive, episode)


def time_of(at: SaidAt, clock: Callable[[], datetime]) -> TimeOf:
    """Return what tells when a message was said."""
    if callable(at):
        return lambda message: check_time("at", at(message))
    moment = clock() if at is None else check_time("at", at)
    return lambda _: moment


def with_session(scope: Scope) -> Scope:
    """Return the scope of a conversation."""
    if check_scope(scope).session_id is None:
        msg = "the scope names no session; pass Scope(user_id=…, session_id=…): episodes belong to a conversation"
        raise ScopeError(msg)
    return scope


def checked_messages(messages: Iterable[BaseMessage]) -> Iterable[BaseMessage]:
    """Return messages, all of them checked at once where they are at hand."""
    if isinstance(messages, (str, bytes, BaseMessage)) or not isinstance(messages, Iterable):
        msg = f"messages must be several messages, got {type(messages).__name__}; pass a list"
        raise ConfigurationError(msg)
    return list(_each_checked(messages)) if isinstance(messages, Sequence) else _each_checked(messages)


def _checked_ids(episode_ids: Sequence[str]) -> list[str]:
    if isinstance(episode_ids, str) or not isinstance(episode_ids, Sequence):
        msg = f"episode_ids must be a sequence of str, got {episode_ids!r}; for example ['ep-…']"
        raise ConfigurationError(msg)
    return [checked_id(it, "episode_ids") for it in episode_ids]


def _each_checked(messages: Iterable[BaseMessage]) -> Iterator[BaseMessage]:
    for message in messages:
        if not isinstance(message, BaseMessage):
            msg = f"messages must be LangChain messages, got {type(message).__name__}; for example HumanMessage('hi')"
            raise ConfigurationError(msg)
        yield message

"""Episodes as callers see them: conversations that can be searched, turn by turn."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Final, TypeAlias

from langchain_core.messages import BaseMessage

from langchain_agentmem._checks import check_count, check_instance, check_progress, check_time
from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.errors import ConfigurationError, ScopeError
from langchain_agentmem.ledger.sql.models import SQLModels
from langchain_agentmem.long_term.checked import checked_id, checked_reason
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.remove.ending import Ending, ExpiredEpisodes, has_any
from langchain_agentmem.long_term.remove.tasks import end_task, has_tasks
from langchain_agentmem.long_term.turns.indexing import Conversations, Indexing
from langchain_agentmem.long_term.turns.ingesting import Ingesting, Manner, Progress
from langchain_agentmem.long_term.turns.turns import TimeOf, turns_of
from langchain_agentmem.long_term.turns.words import Words
from langchain_agentmem.policies.forgotten import Asked
from langchain_agentmem.policies.sensitive_records import shown_episode
from langchain_agentmem.types import Episode, IngestReport, Memory, MemoryMode, Scope
from langchain_agentmem.types.scope import check_scope, known_user

DEFAULT_PAGE: Final = 100
MAX_PAGE: Final = 1_000

SaidAt: TypeAlias = datetime | Callable[[BaseMessage], datetime] | None
"""When a conversation was held, or what tells it of each message; `None`: now."""


class Episodes:
    """The turns of each user's conversations, for search beside facts.

    A turn is kept only with the user's consent and in nobody's name but the user's; sensitive data in it is masked,
    text written for the machine refused, and nothing of it becomes a fact without extraction. Each turn has an id of
    its own, so that the same conversation again adds only what is new.

    What is stored as a chat history in the memory's own database is pointed at: its words stand there alone, and an
    episode ends with its messages. Elsewhere a masked copy is kept, for as long as `episodes_for` says; of a thread of
    the memory's own checkpointer, as long as thread and messages are there. Of other threads, `clear` ends it.

    Raises (every method): `ScopeError` for anything but a `Scope`, `StorageError` when the database fails.
    """

    def __init__(self, parts: Parts, searching: Searching, models: SQLModels, conversations: Conversations) -> None:
        """Compose."""
        self._parts = parts
        self._conversations = conversations
        self._ingesting = Ingesting(parts, conversations.copies_for)
        self._indexing = Indexing(parts, self._ingesting, conversations)
        self._ending = Ending(parts, searching)
        self._expired = ExpiredEpisodes(parts.ledger, models, parts.clock, parts.watch)
        self._words = Words(parts)

    # ----------------------------------------------------------------------------------------------------------- keep
    def ingest(
        self,
        messages: Iterable[BaseMessage],
        *,
        scope: Scope,
        at: SaidAt = None,
        mode: MemoryMode | None = None,
        progress: Progress | None = None,
    ) -> IngestReport:
        """Keep the turns of a conversation, as copies.

        Each message of a person begins a turn, named by the message's `name`; what assistants answer is its reply. A
        turn is known by the id of its first message; without ids, by its time, its number and its words. Characters
        that no database stores are replaced, and each side is kept up to 200,000 characters.

        Args:
            messages: In order, of one session, any number of them: they are read as they are needed, 256 turns at a
                time. Interrupted, the same call goes on where it was.
            scope: Whose conversation it is; `session_id` names it.
            at: When it was held, or a function that tells it of each message; `None`: now.
            mode: Stricter than the memory's own mode for this call: `frozen` or `off` keep nothing.
            progress: Called with the report so far after each batch of 256 turns.

        Returns:
            How many turns were kept, known already, and refused by which rule.

        Raises:
            ScopeError: The scope names no session.
            ConfigurationError: Something is no message, a time has no zone, or the embedding model is not the
                database's. Of messages that are no sequence, those before it may be kept.
        """
        return run(self.ingest_flow(messages, scope, Manner(mode=mode), at=at, progress=progress))

    async def aingest(
        self,
        messages: Iterable[BaseMessage],
        *,
        scope: Scope,
        at: SaidAt = None,
        mode: MemoryMode | None = None,
        progress: Progress | None = None,
    ) -> IngestReport:
        """Keep the turns of a conversation; see `ingest`."""
        return await arun(self.ingest_flow(messages, scope, Manner(mode=mode), at=at, progress=progress))

    def ingest_flow(
        self,
        messages: Iterable[BaseMessage],
        scope: Scope,
        manner: Manner,
        *,
        at: SaidAt = None,
        progress: Progress | None = None,
    ) -> Flow[IngestReport]:
        """Keep the turns of a conversation as part of another flow; see `ingest`."""
        check_progress(progress)
        turns = turns_of(checked_messages(messages), time_of(at, self._parts.clock))
        ingesting = self._ingesting.ingest(turns, with_session(scope), manner, progress)
        return (yield from self._parts.watch.write("keep_episodes", ingesting, scope))

    def index(self, *, scope: Scope, mode: MemoryMode | None = None, progress: Progress | None = None) -> IngestReport:
        """Take what stands in the chat history and is no episode yet.

        Turns become episodes by themselves as they are stored, unless `episodes=False`, the user had not consented, or
        something failed at that moment. This takes what was left out, also what was stored before; an answer that is
        stored later does not bring it in. What the user's agents share, or shared until it was forgotten, is known.

        Args:
            scope: Whose; its `session_id` names the conversation, without one all of the user's are taken.
            mode: Stricter than the memory's own mode for this call: `frozen` or `off` keep nothing.
            progress: Called with the report so far, after every 500 messages.

        Raises:
            ConfigurationError: The embedding model is not the database's.
        """
        return run(self._index(scope, mode, progress))

    async def aindex(
        self, *, scope: Scope, mode: MemoryMode | None = None, progress: Progress | None = None
    ) -> IngestReport:
        """Take what stands in the chat history and is no episode yet; see `index`."""
        return await arun(self._index(scope, mode, progress))

    def index_flow(self, scope: Scope) -> Flow[IngestReport]:
        """Take what stands in the chat history as part of another flow; see `index`."""
        return self._index(scope, None, None)

    def keep_flow(
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

    @property
    def are_kept(self) -> bool:
        """Whether the turns of chat histories become episodes by themselves."""
        return self._conversations.are_kept

    def index_end_flow(self, messages: Sequence[BaseMessage], scope: Scope, manner: Manner) -> Flow[IngestReport]:
        """Take the turns of messages that the chat history was given just now."""
        indexing = self._indexing.index_end(messages, with_session(scope), manner)
        return self._parts.watch.write("keep_episodes", indexing, scope)

    def index_noted_flow(
        self, message_ids: AbstractSet[str], scope: Scope, manner: Manner, at: datetime
    ) -> Flow[IngestReport]:
        """Take the turns of messages that the chat history was given some time ago, as far as they stand there."""
        indexing = self._indexing.index_noted(message_ids, with_session(scope), manner, at)
        return self._parts.watch.write("keep_episodes", indexing, scope)

    # ----------------------------------------------------------------------------------------------------------- read
    def get(self, episode_id: str, *, scope: Scope) -> Episode | None:
        """Return one episode, or `None` where it is unknown here or gone."""
        return run(self._get(checked_id(episode_id, "episode_id"), known_user(scope)))

    async def aget(self, episode_id: str, *, scope: Scope) -> Episode | None:
        """Return one episode; see `get`."""
        return await arun(self._get(checked_id(episode_id, "episode_id"), known_user(scope)))

    def list(self, *, scope: Scope, after: Episode | None = None, limit: int = DEFAULT_PAGE) -> Sequence[Episode]:
        """Return episodes in the order of time, those of the scope's session if it names one.

        Args:
            scope: Whose.
            after: The last episode of the page before.
            limit: 1 to 1,000.
        """
        return run(self._list(known_user(scope), after, limit))

    async def alist(
        self, *, scope: Scope, after: Episode | None = None, limit: int = DEFAULT_PAGE
    ) -> Sequence[Episode]:
        """Return episodes in the order of time; see `list`."""
        return await arun(self._list(known_user(scope), after, limit))

    # ------------------------------------------------------------------------------------------------------------ end
    def forget(self, episode_ids: Sequence[str], *, scope: Scope, reason: str = "user asked") -> int:
        """Take episodes out for good, their words, terms and vectors; return how many there were.

        They do not come back when their conversation is ingested again. The words of every question in the user's
        receipts go with them, and no file of SQLite's holds the text afterwards. What an episode only pointed at stays
        in its conversation, until that is cleared.

        Args:
            episode_ids: Any number of them: all end in one transaction.
            scope: Whose.
            reason: For the log.
        """
        return run(self._forget(episode_ids, scope, reason))

    async def aforget(self, episode_ids: Sequence[str], *, scope: Scope, reason: str = "user asked") -> int:
        """Take episodes out for good; see `forget`."""
        return await arun(self._forget(episode_ids, scope, reason))

    def forget_each_flow(self, episode_ids: Sequence[str], scope: Scope, reason: str) -> Flow[Sequence[Memory]]:
        """Take episodes out for good as part of another flow, and return what is left of them; see `forget`."""
        forgetting = self._ending.forget_each(_checked_ids(episode_ids), known_user(scope), checked_reason(reason))
        return self._parts.watch.write("drop_episodes", forgetting, scope)

    def clear(self, *, scope: Scope, reason: str = "user asked") -> int:
        """Take out all episodes, those of the scope's session if it names one; return how many there were.

        Like `forget`; but what is told anew is kept anew. A turn that is open, or waits, leaves nothing.
        """
        return run(self.clear_flow(scope, reason))

    async def aclear(self, *, scope: Scope, reason: str = "user asked") -> int:
        """Take out all episodes; see `clear`."""
        return await arun(self.clear_flow(scope, reason))

    def clear_flow(self, scope: Scope, reason: str) -> Flow[int]:
        """Take out all episodes as part of another flow; see `clear`."""
        clearing = self._ending.clear(known_user(scope), checked_reason(reason))
        return self._parts.watch.write("drop_episodes", clearing, scope)

    def ask_flow(self, what: str | None, scope: Scope, reason: str = "user asked") -> Flow[int]:
        """Note that the user asks to forget something, `None`: everything, also where nothing that is kept says it.

        What turns that began before would still leave of it is not kept. Returns where the user's log stands then: a
        turn that begins with it is not meant.
        """
        asked = (Asked(),) if what is None else Asked.each(what)
        return self._ending.ask(asked, known_user(scope), checked_reason(reason))

    def check_may_end_flow(self, scope: Scope, *, is_any_named: bool) -> Flow[None]:
        """See that turns may be taken out, before anything of a request is done.

        Args:
            scope: Whose.
            is_any_named: Some are to be taken out; `False`: all that there are, if any.

        Raises:
            RetentionError: A legal hold stands: a turn goes for good, and nothing may.
        """
        return self._ending.check_may_end(known_user(scope), is_any_named=is_any_named)

    def began_flow(self, scope: Scope) -> Flow[int]:
        """Return where the user's log stands, for a turn that begins: see `Candidate.began`."""
        return self._ending.began(known_user(scope))

    def end_session_flow(self, scope: Scope, reason: str) -> Flow[int]:
        """Take out what is kept of a conversation that is about to be cleared, by whichever agent."""
        ending = self._ending.end_session(with_session(scope), checked_reason(reason))
        return self._parts.watch.write("drop_episodes", ending, scope)

    def end_copies_flow(self, scope: Scope, reason: str, message_ids: Collection[str] | None = None) -> Flow[int]:
        """Take out what was copied, by whichever agent, of a conversation or of some messages that end elsewhere."""
        ending = self._ending.end_copies(with_session(scope), checked_reason(reason), message_ids)
        return self._parts.watch.write("drop_episodes", ending, scope)

    def end_task_flow(self, scope: Scope) -> Flow[None]:
        """Delete the state of the task of a conversation that has ended."""
        return end_task(self._parts, with_session(scope))

    def has_any_flow(self, scope: Scope) -> Flow[bool]:
        """Return whether anything is kept of a user's conversations, or waits to be, the states of tasks included."""
        has_turns = yield from self._parts.ledger.read(scope, has_any)
        return has_turns or (yield from has_tasks(self._parts, scope))

    def sweep(self) -> int:
        """Take out what has expired, of every user; return how many episodes there were.

        No answer depends on it: it frees the space, and leaves no word behind.
        """
        return run(self.sweep_flow())

    async def asweep(self) -> int:
        """Take out what has expired; see `sweep`."""
        return await arun(self.sweep_flow())

    def sweep_flow(self) -> Flow[int]:
        """Take out what has expired as part of another flow; see `sweep`."""
        return self._expired.sweep()

    # --------------------------------------------------------------------------------------------------------- flows
    def _index(self, scope: Scope, mode: MemoryMode | None, progress: Progress | None) -> Flow[IngestReport]:
        check_progress(progress)
        indexing = self._indexing.index(check_scope(scope), mode, progress)
        return self._parts.watch.write("keep_episodes", indexing, scope)

    def _forget(self, episode_ids: Sequence[str], scope: Scope, reason: str) -> Flow[int]:
        forgetting = self._ending.forget(_checked_ids(episode_ids), known_user(scope), checked_reason(reason))
        return self._parts.watch.write("drop_episodes", forgetting, scope)

    def _get(self, episode_id: str, scope: Scope) -> Flow[Episode | None]:
        found = yield from self._words.get(scope, [episode_id])
        yield from self._words.drop_gone(scope, found)
        return next((self._shown(it) for it in found.episodes.values()), None)

    def _shown(self, episode: Episode) -> Episode:
        return shown_episode(self._parts.sensitive, episode)

    def _list(self, scope: Scope, after: Episode | None, limit: int) -> Flow[Sequence[Episode]]:
        limit = check_count("limit", limit, 1, MAX_PAGE)
        last = None if after is None else check_instance("after", after, Episode)
        listed: list[Episode] = []
        while True:
            stored = yield from self._parts.ledger.read(
                scope,
                lambda reader: reader.episodes.page(scope.session_id, last, limit),  # noqa: B023  (run at once)
            )
            found = yield from self._words.of(scope, stored)
            yield from self._words.drop_gone(scope, found)
            listed += map(self._shown, found.episodes.values())
            if len(listed) >= limit or len(stored) < limit:
                return listed[:limit]
            last = stored[-1].episode


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

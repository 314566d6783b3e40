"""Episodes as callers see them: conversations that can be searched, turn by turn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from langchain_core.messages import BaseMessage

from langchain_agentmem._flow import arun, run
from langchain_agentmem.ledger.sql.models import SQLModels
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.turns.episode_flows import EpisodeFlows, SaidAt
from langchain_agentmem.long_term.turns.indexing import Conversations
from langchain_agentmem.long_term.turns.ingesting import Manner, Progress
from langchain_agentmem.types import Episode, IngestReport, MemoryMode, Scope
from langchain_agentmem.types.paging import DEFAULT_LIMIT, Page


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
        self._flows = EpisodeFlows(parts, searching, models, conversations)

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
        return run(self._flows.ingest(messages, scope, Manner(mode=mode), at=at, progress=progress))

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
        return await arun(self._flows.ingest(messages, scope, Manner(mode=mode), at=at, progress=progress))

    def index(self, scope: Scope, *, mode: MemoryMode | None = None, progress: Progress | None = None) -> IngestReport:
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
        return run(self._flows.index(scope, mode, progress))

    async def aindex(
        self, scope: Scope, *, mode: MemoryMode | None = None, progress: Progress | None = None
    ) -> IngestReport:
        """Take what stands in the chat history and is no episode yet; see `index`."""
        return await arun(self._flows.index(scope, mode, progress))

    @property
    def are_kept(self) -> bool:
        """Whether the turns of chat histories become episodes by themselves."""
        return self._flows.are_kept

    # ----------------------------------------------------------------------------------------------------------- read
    def get(self, episode_id: str, *, scope: Scope) -> Episode | None:
        """Return one episode, or `None` where it is unknown here or gone."""
        return run(self._flows.get(episode_id, scope))

    async def aget(self, episode_id: str, *, scope: Scope) -> Episode | None:
        """Return one episode; see `get`."""
        return await arun(self._flows.get(episode_id, scope))

    def list(self, scope: Scope, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None) -> Page[Episode]:
        """Return episodes in the order of time, those of the scope's session if it names one.

        Args:
            scope: Whose.
            limit: At most so many, up to 1,000.
            cursor: Of the page before.

        Raises:
            ConfigurationError: The limit or the cursor cannot be used.
        """
        return run(self._flows.list(scope, limit, cursor))

    async def alist(self, scope: Scope, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None) -> Page[Episode]:
        """Return episodes in the order of time; see `list`."""
        return await arun(self._flows.list(scope, limit, cursor))

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
        return run(self._flows.forget(episode_ids, scope, reason))

    async def aforget(self, episode_ids: Sequence[str], *, scope: Scope, reason: str = "user asked") -> int:
        """Take episodes out for good; see `forget`."""
        return await arun(self._flows.forget(episode_ids, scope, reason))

    def clear(self, scope: Scope, *, reason: str = "user asked") -> int:
        """Take out all episodes, those of the scope's session if it names one; return how many there were.

        Like `forget`; but what is told anew is kept anew. A turn that is open, or waits, leaves nothing.
        """
        return run(self._flows.clear(scope, reason))

    async def aclear(self, scope: Scope, *, reason: str = "user asked") -> int:
        """Take out all episodes; see `clear`."""
        return await arun(self._flows.clear(scope, reason))

    def sweep(self) -> int:
        """Take out what has expired, of every user; return how many episodes there were.

        No answer depends on it: it frees the space, and leaves no word behind.
        """
        return run(self._flows.sweep())

    async def asweep(self) -> int:
        """Take out what has expired; see `sweep`."""
        return await arun(self._flows.sweep())

"""Conversations handed over: queued in one transaction now, taken in later by whichever process runs the jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from langchain_core.messages import BaseMessage

from langchain_agentmem._flow import arun, run
from langchain_agentmem.extraction import Extractor
from langchain_agentmem.jobs import Handler
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.turns.background_flows import BackgroundFlows, settings_of
from langchain_agentmem.long_term.turns.episode_flows import EpisodeFlows, SaidAt
from langchain_agentmem.types import IngestReport, MemoryMode, Scope


class Background:
    """Conversations that are taken in behind the hot path, by any number of processes.

    `ingest` only queues, in the user's own database; `memory.jobs.run()`, in this process or another one, makes turns
    searchable and remembers what is said in them. Jobs of one user are done one after the other, in the order in which
    they were handed over; those of several users at the same time. Each job is done once: facts and the end of their
    job are one transaction, and turns have ids of their own. A worker keeps its job however long a model takes, up to
    an hour; one that is killed loses it after a minute to the next one, which does it anew. A job that keeps failing is
    given up after its last attempt, and stays with its error and its words: `memory.jobs.list`, `memory.jobs.retry`.
    The words of one that is done are gone from SQLite's files at the next run that finds none waiting, or a minute old.

    Raises (every method): `ScopeError` for anything but a `Scope`, `StorageError` when the database fails.
    """

    def __init__(
        self, parts: Parts, searching: Searching, episodes: EpisodeFlows, extractor: Callable[[], Extractor]
    ) -> None:
        """Compose."""
        self._flows = BackgroundFlows(parts, searching, episodes, extractor)

    @property
    def handlers(self) -> dict[str, Handler]:
        """Return what a process needs to do these jobs."""
        return self._flows.handlers

    def ingest(
        self,
        messages: Iterable[BaseMessage],
        *,
        scope: Scope,
        at: SaidAt = None,
        episodes: bool = True,
        facts: bool = True,
        mode: MemoryMode | None = None,
    ) -> IngestReport:
        """Hand over a conversation, or the next part of one.

        Nothing is queued without consent, and consent is asked again when the job is done: what is kept may be used
        for what the user allowed at both times; whether the application asks users itself, and memory's mode, count as
        they are here, whichever process does the job. What waits is encrypted as memories are, and is dropped with its
        conversation (`episodes.clear`, or the history's) and when consent is withdrawn, also while a job is being done.

        Args:
            messages: In order, of one session. Messages without an id get one made of their words, their number, and
                `at` where it is given: the same conversation again adds only what is new. Where parts are handed over
                one by one, give ids or `at`: else what is said again in the same place of another part is taken for
                the same.
            scope: Whose conversation it is; `session_id` names it.
            at: When it was held, or a function that tells it of each message; `None`: now.
            episodes: Keep its turns for search, as copies.
            facts: Remember what is said in it, by the rules or the model that extract in any turn.
            mode: Stricter than the memory's own mode: `frozen` and `off` take in nothing.

        Returns:
            How many messages were queued, or refused by which rule.

        Raises:
            ScopeError: The scope names no session.
            ConfigurationError: Something is no message, or a time has no zone.
        """
        return run(self._flows.ingest(messages, scope, at, settings_of(mode, episodes=episodes, facts=facts)))

    async def aingest(
        self,
        messages: Iterable[BaseMessage],
        *,
        scope: Scope,
        at: SaidAt = None,
        episodes: bool = True,
        facts: bool = True,
        mode: MemoryMode | None = None,
    ) -> IngestReport:
        """Hand over a conversation; see `ingest`."""
        return await arun(self._flows.ingest(messages, scope, at, settings_of(mode, episodes=episodes, facts=facts)))

"""Consolidation as callers see it: run now, or once a conversation has been quiet for a while."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

from langchain_agentmem._flow import arun, run
from langchain_agentmem.consolidation.flows import ConsolidationFlows
from langchain_agentmem.consolidation.report import ConsolidationReport
from langchain_agentmem.jobs import Handler
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.types import Scope

if TYPE_CHECKING:
    from langchain_agentmem.consolidation.summarising import Summarising


class Consolidation:
    """Tidies up what conversations left, deterministically and through the write policy.

    * Memories that say the same become one, which says all they said. It is trusted as little as the least trusted of
      them; `why` names them, and erasing it or one of them erases what says the same.
    * What waits for support counts from the sightings of all that says it, also in other words.
    * An action that failed three times and has not succeeded since is remembered as one that keeps failing.
    * The session's summary is brought up to date.

    Pinned memories, fields of the profile, goals, what is contradicted and what ends at a time of its own stay as they
    are; so does what other agents see. Run again, it changes nothing. Two runs at once conclude nothing twice.

    Raises (every method): `ScopeError` for anything but a `Scope`, `StorageError` when the database fails.
    """

    def __init__(
        self, parts: Parts, searching: Searching, summarising: Callable[[], Summarising], after: timedelta | None = None
    ) -> None:
        """Compose; made by `AgentMemory`.

        Args:
            parts: Of long-term memory.
            searching: Brings indexes along.
            summarising: Gives what summarises sessions, when one is to be summarised.
            after: So long a conversation must be quiet; `None`: turns schedule nothing.
        """
        self._flows = ConsolidationFlows(parts, searching, summarising, after)

    @property
    def handlers(self) -> dict[str, Handler]:
        """Return what a process needs to do these jobs."""
        return self._flows.handlers

    def run(self, scope: Scope, *, dry_run: bool = False) -> ConsolidationReport:
        """Consolidate the memories of a scope's user and agent, and the summary of its session, if it names one.

        Args:
            scope: Whose. With an `agent_id` only that agent's own memories, without one only the shared ones.
            dry_run: Change nothing, and report what would be done first.
        """
        return run(self._flows.run(scope, dry_run=dry_run))

    async def arun(self, scope: Scope, *, dry_run: bool = False) -> ConsolidationReport:
        """Consolidate; see `run`."""
        return await arun(self._flows.run(scope, dry_run=dry_run))

    def schedule(self, scope: Scope, *, after: timedelta | None = None) -> bool:
        """Consolidate once the conversation has been quiet for a while, by whichever process runs `memory.jobs`.

        There is one job for a user's session and agent: asked for again, it waits anew from now; asked for while it is
        being done, it is done once more.

        Args:
            scope: Whose, and which conversation.
            after: How long it must be quiet; `None`: as `consolidate_after` says, or 30 seconds.

        Returns:
            Whether it was scheduled: not without consent, for an anonymous visitor, or where memory is not `on`.

        Raises:
            ConfigurationError: `after` is no timedelta from 0 to 30 days.
        """
        return run(self._flows.schedule(scope, after))

    async def aschedule(self, scope: Scope, *, after: timedelta | None = None) -> bool:
        """Consolidate once the conversation has been quiet for a while; see `schedule`."""
        return await arun(self._flows.schedule(scope, after))

"""`Consent`: records what each user allowed, and says what holds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from langchain_agentmem._flow import arun, run
from langchain_agentmem.consent.answers import Answer, named
from langchain_agentmem.consent.flows import ConsentFlows
from langchain_agentmem.jobs import Handler
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.types import ConsentState, Event, Kind, Kinds, Scope


class Consent:
    """Records what each user allowed, of which kinds of memory and for what: an event each time.

    It holds for the user, whatever the agent or session. A grant says all over again what it is about: without `kinds`
    everything, with `kinds` these. A withdrawal of some kinds or purposes leaves the others. What is not allowed is
    neither kept nor recalled, listed or shown to a model; what was kept under a grant for some purposes stays bound to
    them. Consent that has expired counts as none.
    """

    def __init__(self, parts: Parts, searching: Searching) -> None:
        """Compose."""
        self._flows = ConsentFlows(parts, searching)

    @property
    def handlers(self) -> dict[str, Handler]:
        """Who does the jobs that erasures leave where they are cut short."""
        return self._flows.handlers

    def grant(
        self,
        scope: Scope,
        *,
        purposes: Sequence[str] | None = None,
        kinds: Kinds | None = None,
        source: str = "application",
        expires_at: datetime | None = None,
        reason: str = "user agreed",
    ) -> ConsentState:
        """Record that the user allows long-term memory.

        Args:
            scope: The user.
            purposes: What it may be used for; `None`: every purpose.
            kinds: Of which kinds of memory, one alone or several; `None`: all of them.
            source: Where the user said so: a label of the application's, kept in clear, never personal.
            expires_at: Until when it holds; `None`: until it is withdrawn.
            reason: How the consent was given.

        Raises:
            ScopeError: The scope is anonymous.
            ConfigurationError: An argument has a value that cannot work: an unknown kind, an empty list of
                purposes or kinds, a time that is over.
        """
        given = Answer(purposes=named(purposes), kinds=kinds, source=source, expires_at=expires_at, reason=reason)
        return run(self._flows.grant(scope, given))

    async def agrant(
        self,
        scope: Scope,
        *,
        purposes: Sequence[str] | None = None,
        kinds: Kinds | None = None,
        source: str = "application",
        expires_at: datetime | None = None,
        reason: str = "user agreed",
    ) -> ConsentState:
        """Record that the user allows long-term memory; see `grant`."""
        given = Answer(purposes=named(purposes), kinds=kinds, source=source, expires_at=expires_at, reason=reason)
        return await arun(self._flows.grant(scope, given))

    def withdraw(
        self,
        scope: Scope,
        *,
        purposes: Sequence[str] | None = None,
        kinds: Kinds | None = None,
        erase: bool = False,
        source: str = "application",
        reason: str = "user withdrew",
    ) -> ConsentState:
        """Record that the user allows it no more: nothing of it is written or recalled from now on.

        Where all is withdrawn, what was handed over to `memory.background` and waits is dropped: it may never be kept.

        Args:
            scope: The user.
            purposes: What it may not be used for any more; `None`: any purpose.
            kinds: Of which kinds of memory, one alone or several; `None`: all of them.
            erase: Erase what it covered as well, facts and turns of conversations, of every agent: whatever could be
                used for these purposes alone. Cut short, `memory.jobs.run()` goes on with it.
            source: Where the user said so.
            reason: How.

        Raises:
            ScopeError: The scope is anonymous.
            ConfigurationError: An argument has a value that cannot work.
            GovernanceError: It is to be erased, and a legal hold stands; nothing was recorded.
        """
        given = Answer(purposes=named(purposes), kinds=kinds, source=source, reason=reason)
        return run(self._flows.withdraw(scope, given, erase=erase))

    async def awithdraw(
        self,
        scope: Scope,
        *,
        purposes: Sequence[str] | None = None,
        kinds: Kinds | None = None,
        erase: bool = False,
        source: str = "application",
        reason: str = "user withdrew",
    ) -> ConsentState:
        """Record that the user allows it no more; see `withdraw`."""
        given = Answer(purposes=named(purposes), kinds=kinds, source=source, reason=reason)
        return await arun(self._flows.withdraw(scope, given, erase=erase))

    def status(self, scope: Scope) -> ConsentState:
        """Return what the user allows now: of each kind, for which purposes, since when, until when, and from where."""
        return run(self._flows.status(scope))

    async def astatus(self, scope: Scope) -> ConsentState:
        """Return what the user allows now; see `status`."""
        return await arun(self._flows.status(scope))

    def history(self, scope: Scope) -> tuple[Event, ...]:
        """Return every answer of the user's, the first one first: events of their log, with source, time and reason."""
        return run(self._flows.history(scope))

    async def ahistory(self, scope: Scope) -> tuple[Event, ...]:
        """Return every answer of the user's; see `history`."""
        return await arun(self._flows.history(scope))

    def explain(self, scope: Scope, *, kind: Kind, purposes: Sequence[str] = ()) -> str:
        """Return, in a sentence, whether memories of a kind may be kept for some purposes, and what to do if not."""
        return run(self._flows.explain(scope, kind, purposes))

    async def aexplain(self, scope: Scope, *, kind: Kind, purposes: Sequence[str] = ()) -> str:
        """Return whether memories of a kind may be kept; see `explain`."""
        return await arun(self._flows.explain(scope, kind, purposes))

"""`Consent`: records what each user allowed, and says what holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from langchain_agentmem._checks import check_choice, check_flag, check_labels
from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.consent.answers import Answer, named
from langchain_agentmem.consent.erasing import Covered, CoveredErasure
from langchain_agentmem.jobs import Handler
from langchain_agentmem.ledger.base import Draft, LedgerReader, LedgerWriter, consent_of
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.remove.ending import Ending
from langchain_agentmem.long_term.write.changing import Changing
from langchain_agentmem.long_term.write.writing import Writing
from langchain_agentmem.policies.consent_request import ConsentRequest, Entry, Said, entries
from langchain_agentmem.types import KINDS, ConsentState, Event, Kind, Kinds, Scope
from langchain_agentmem.types.scope import known_user

_BATCH = 1_000


class Consent:
    """Records what each user allowed, of which kinds of memory and for what: an event each time.

    It holds for the user, whatever the agent or session. A grant says all over again what it is about: without `kinds`
    everything, with `kinds` these. A withdrawal of some kinds or purposes leaves the others. What is not allowed is
    neither kept nor recalled, listed or shown to a model; what was kept under a grant for some purposes stays bound to
    them. Consent that has expired counts as none.
    """

    def __init__(self, parts: Parts, searching: Searching) -> None:
        """Compose."""
        self._parts = parts
        self._ending = Ending(parts, searching)
        changing = Changing(parts, searching, Writing(parts, searching))
        self._erasure = CoveredErasure(parts, changing, self._ending)

    @property
    def handlers(self) -> dict[str, Handler]:
        """Who does the jobs that erasures leave where they are cut short."""
        return self._erasure.handlers

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
        return run(self.grant_flow(scope, given))

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
        return await arun(self.grant_flow(scope, given))

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
        return run(self.withdraw_flow(scope, given, erase=erase))

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
        return await arun(self.withdraw_flow(scope, given, erase=erase))

    def status(self, scope: Scope) -> ConsentState:
        """Return what the user allows now: of each kind, for which purposes, since when, until when, and from where."""
        return run(self.status_flow(scope))

    async def astatus(self, scope: Scope) -> ConsentState:
        """Return what the user allows now; see `status`."""
        return await arun(self.status_flow(scope))

    def history(self, scope: Scope) -> tuple[Event, ...]:
        """Return every answer of the user's, the first one first: events of their log, with source, time and reason."""
        return run(self._history(known_user(scope)))

    async def ahistory(self, scope: Scope) -> tuple[Event, ...]:
        """Return every answer of the user's; see `history`."""
        return await arun(self._history(known_user(scope)))

    def explain(self, scope: Scope, *, kind: Kind, purposes: Sequence[str] = ()) -> str:
        """Return, in a sentence, whether memories of a kind may be kept for some purposes, and what to do if not."""
        return run(self._explain(scope, kind, purposes))

    async def aexplain(self, scope: Scope, *, kind: Kind, purposes: Sequence[str] = ()) -> str:
        """Return whether memories of a kind may be kept; see `explain`."""
        return await arun(self._explain(scope, kind, purposes))

    # ----------------------------------------------------------------------------------------------------------- flows
    def grant_flow(self, scope: Scope, answer: Answer) -> Flow[ConsentState]:
        """Record a grant as part of another flow; see `grant`."""
        user = known_user(scope)
        answer.check_is_to_come(self._parts.clock())

        def record(writer: LedgerWriter) -> ConsentState:
            writer.append(Draft(type="consent_granted", note=answer.note()))
            return writer.head.consent

        granting = self._parts.ledger.append(user, record)
        return (yield from self._parts.access.within_flow("write", user, granting))

    def withdraw_flow(self, scope: Scope, answer: Answer, *, erase: bool = False) -> Flow[ConsentState]:
        """Record a withdrawal as part of another flow; see `withdraw`."""
        user = known_user(scope)
        check_flag("erase", erase)
        withdrawing = self._withdraw(user, answer, erase=erase)
        return (yield from self._parts.access.within_flow("erase" if erase else "write", user, withdrawing))

    def open_flow(self, scope: Scope, request: ConsentRequest) -> Flow[ConsentRequest | None]:
        """Return what of a request the user is to be asked, as part of another flow; `None`: nothing."""
        consent = yield from self.status_flow(scope)
        return request.open_in(consent, self._parts.consent_mode)

    def answer_flow(
        self, scope: Scope, request: ConsentRequest, said: Said, origin: Mapping[str, str | None]
    ) -> Flow[ConsentState]:
        """Record what the user said to a request, in one transaction; what is known meanwhile stays as it is."""
        user = known_user(scope)

        def record(writer: LedgerWriter) -> ConsentState:
            before = writer.head.consent.as_of(self._parts.clock())
            still = request.open_in(before, self._parts.consent_mode)
            for entry in [] if still is None else entries(before, still, said):
                writer.append(_draft(entry, origin))
            return writer.head.consent

        return (yield from self._parts.access.within_flow("write", user, self._parts.ledger.append(user, record)))

    def status_flow(self, scope: Scope) -> Flow[ConsentState]:
        """Return what the user allows now, as part of another flow."""
        consent = yield from self._parts.ledger.read(known_user(scope), consent_of)
        return consent.as_of(self._parts.clock())

    def _withdraw(self, user: Scope, answer: Answer, *, erase: bool) -> Flow[ConsentState]:
        note = {**answer.note(), **({"erase": True} if erase else {})}
        draft = Draft(type="consent_withdrawn", note=note)
        covered: list[Covered] = []

        def queue(writer: LedgerWriter) -> None:
            covered[:] = [self._erasure.queue(writer, answer)] if erase else []

        is_whole, begun = not answer.purposes and answer.kinds is None, self._parts.watch.now()
        consent = yield from self._ending.withdraw(user, draft, queue, is_whole=is_whole)
        self._parts.watch.tell("withdraw", user, {("changed", "withdraw"): 1}, begun)
        for it in covered:
            yield from self._parts.watch.write("erase", self._erasure.erase(it, user), user)
        return consent

    def _history(self, user: Scope) -> Flow[tuple[Event, ...]]:
        found: list[Event] = []
        after = 0
        while True:
            batch = yield from self._parts.ledger.read(user, _events_after(after))
            found += [it for it in batch if it.type.startswith("consent_")]
            if len(batch) < _BATCH:
                return tuple(found)
            after = batch[-1].seq

    def _explain(self, scope: Scope, kind: Kind, purposes: Sequence[str]) -> Flow[str]:
        check_choice("kind", kind, KINDS)
        named = check_labels("purposes", purposes)
        consent = yield from self._parts.ledger.read(known_user(scope), consent_of)
        ruling = self._parts.refusal(consent, named, kind=kind)
        return f"The user allows memories of the kind {kind!r}." if ruling is None else ruling.reason


def _draft(entry: Entry, origin: Mapping[str, str | None]) -> Draft:
    reason = "user agreed when asked" if entry.is_granted else "user refused when asked"
    given = Answer(purposes=entry.purposes, kinds=entry.kinds, source="interrupt", reason=reason, origin=origin)
    return Draft(type="consent_granted" if entry.is_granted else "consent_withdrawn", note=given.note())


def _events_after(after: int) -> Callable[[LedgerReader], list[Event]]:
    return lambda reader: reader.events(after=after, limit=_BATCH)

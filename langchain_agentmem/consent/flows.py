"""The flows behind `Consent`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from langchain_agentmem._checks import check_choice, check_flag, check_labels
from langchain_agentmem._flow import Flow
from langchain_agentmem.consent.answers import Answer
from langchain_agentmem.consent.erasing import Covered, CoveredErasure
from langchain_agentmem.jobs import Handler
from langchain_agentmem.ledger.base import Draft, LedgerReader, LedgerWriter, consent_of
from langchain_agentmem.ledger.standing import ERASING
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.remove.ending import Ending
from langchain_agentmem.long_term.write.changing import Changing
from langchain_agentmem.long_term.write.writing import Writing
from langchain_agentmem.policies.consent_request import ConsentRequest, Entry, Said, entries
from langchain_agentmem.types import KINDS, ConsentState, Event, Kind, Scope
from langchain_agentmem.types.scope import known_user

_BATCH: Final = 1_000


class ConsentFlows:
    """What `Consent` promises, as flows."""

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

    def grant(self, scope: Scope, answer: Answer) -> Flow[ConsentState]:
        """Record a grant; see `Consent.grant`."""
        user = known_user(scope)
        answer.check_is_to_come(self._parts.clock())

        def record(writer: LedgerWriter) -> ConsentState:
            writer.append(Draft(type="consent_granted", note=answer.note()))
            return writer.head.consent

        granting = self._parts.ledger.append(user, record)
        return (yield from self._parts.access.within("write", user, granting))

    def withdraw(self, scope: Scope, answer: Answer, *, erase: bool = False) -> Flow[ConsentState]:
        """Record a withdrawal; see `Consent.withdraw`."""
        user = known_user(scope)
        check_flag("erase", erase)
        withdrawing = self._withdraw(user, answer, erase=erase)
        return (yield from self._parts.access.within("erase" if erase else "write", user, withdrawing))

    def open(self, scope: Scope, request: ConsentRequest) -> Flow[ConsentRequest | None]:
        """Return what of a request the user is to be asked; `None`: nothing, and of who is being erased no answer."""
        head = yield from self._parts.ledger.read(known_user(scope), lambda reader: reader.head)
        consent = head.consent.as_of(self._parts.clock())
        return None if head.is_erasing else request.open_in(consent, self._parts.consent_mode)

    def answer(
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

        return (yield from self._parts.access.within("write", user, self._parts.ledger.append(user, record)))

    def status(self, scope: Scope) -> Flow[ConsentState]:
        """Return what the user allows now."""
        consent = yield from self._parts.ledger.read(known_user(scope), consent_of)
        return consent.as_of(self._parts.clock())

    def history(self, scope: Scope) -> Flow[tuple[Event, ...]]:
        """Return every answer of the user's, the first one first."""
        user, found = known_user(scope), list[Event]()
        after = 0
        while True:
            batch = yield from self._parts.ledger.read(user, _events_after(after))
            found += [it for it in batch if it.type.startswith("consent_")]
            if len(batch) < _BATCH:
                return tuple(found)
            after = batch[-1].seq

    def explain(self, scope: Scope, kind: Kind, purposes: Sequence[str]) -> Flow[str]:
        """Return, in a sentence, whether memories of a kind may be kept for some purposes, and what to do if not."""
        check_choice("kind", kind, KINDS)
        named = check_labels("purposes", purposes)
        head = yield from self._parts.ledger.read(known_user(scope), lambda reader: reader.head)
        if head.is_erasing:
            return ERASING
        ruling = self._parts.refusal(head.consent, named, kind=kind)
        return f"The user allows memories of the kind {kind!r}." if ruling is None else ruling.reason

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


def _draft(entry: Entry, origin: Mapping[str, str | None]) -> Draft:
    reason = "user agreed when asked" if entry.is_granted else "user refused when asked"
    given = Answer(purposes=entry.purposes, kinds=entry.kinds, source="interrupt", reason=reason, origin=origin)
    return Draft(type="consent_granted" if entry.is_granted else "consent_withdrawn", note=given.note())


def _events_after(after: int) -> Callable[[LedgerReader], list[Event]]:
    return lambda reader: reader.events(after=after, limit=_BATCH)

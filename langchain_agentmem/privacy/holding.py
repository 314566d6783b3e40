"""Legal holds: placed and released by events of the user's log."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.access.flows import unasked_flow
from langchain_agentmem.ledger.base import Draft, Ledger, LedgerReader, LedgerWriter
from langchain_agentmem.ledger.sql.ending import owner_of
from langchain_agentmem.ledger.sql.jobs import Job
from langchain_agentmem.ledger.standing import RELEASE_JOB
from langchain_agentmem.privacy.records import Hold
from langchain_agentmem.types import Event, Scope

LAPSED: Final = "its time has come"
_PAGE: Final = 1_000


class Holds:
    """Places and releases legal holds.

    Args:
        ledger: Where the log is.
        clock: Gives the time, aware UTC.
    """

    def __init__(self, ledger: Ledger, clock: Callable[[], datetime]) -> None:
        """Nothing is opened yet."""
        self._ledger = ledger
        self._clock = clock

    def place(self, scope: Scope, reason: str, until: datetime | None) -> Flow[Hold]:
        """Record a hold; one that stands lasts as long as the longer of both."""
        at = None if until is None else until.isoformat()

        def placed(writer: LedgerWriter) -> Hold | None:
            writer.append(Draft(type="hold_placed", note={"reason": reason, "until": at}))
            if until is not None:
                writer.postpone_job(RELEASE_JOB, {}, until)
            return standing(writer)

        hold = yield from self._ledger.append(owner_of(scope), placed)
        return hold or Hold(placed_at=self._clock(), until=until, reasons=(reason,))

    def release(self, scope: Scope, reason: str) -> Flow[bool]:
        """Record that the hold ends; return whether one stood."""

        def released(writer: LedgerWriter) -> bool:
            writer.cancel_jobs(RELEASE_JOB, None, of_every_agent=True)
            return _release(writer, reason, None)

        owner = owner_of(scope)
        if not (yield from self._ledger.read(owner, lambda reader: reader.head.is_held)):
            return False
        return (yield from self._ledger.append(owner, released))

    def current(self, scope: Scope) -> Flow[Hold | None]:
        """Return the hold that stands, after one whose time has come was released."""
        hold = yield from self._ledger.read(owner_of(scope), standing)
        if hold is None or hold.until is None or hold.until > self._clock():
            return hold
        yield from self._lapse(owner_of(scope))
        return None

    def do(self, job: Job) -> Flow[None]:
        """Release a hold whose time has come; one that was placed for longer since then has a later job."""
        if job.scope is not None:
            yield from self.current(job.scope)

    def _lapse(self, scope: Scope) -> Flow[None]:
        def lapsed(writer: LedgerWriter) -> None:
            hold = standing(writer)
            if hold is not None and hold.until is not None and hold.until <= self._clock():
                _release(writer, LAPSED, "hold_lapsed")

        yield from unasked_flow(scope, self._ledger.append(scope, lapsed))


def standing(reader: LedgerReader) -> Hold | None:
    """Return the hold that the log tells of; it lasts as long as the longest of those placed since the last release."""
    if not reader.head.is_held:
        return None
    placed: list[Event] = []
    for event in _events(reader):
        if event.type == "hold_placed":
            placed.append(event)
        elif event.type == "hold_released":
            placed.clear()
    notes = [event.note for event in placed]
    ends = [None if note.get("until") is None else datetime.fromisoformat(note["until"]) for note in notes]
    last = [it for it in ends if it is not None]
    until = max(last) if last and len(last) == len(ends) else None
    reasons = tuple(str(note.get("reason", "")) for note in notes)
    return Hold(placed_at=placed[0].at, until=until, reasons=reasons) if placed else None


def _release(writer: LedgerWriter, reason: str, rule: str | None) -> bool:
    if not writer.head.is_held:
        return False
    writer.append(Draft(type="hold_released", note={"reason": reason}, rule=rule))
    return True


def _events(reader: LedgerReader) -> list[Event]:
    found: list[Event] = []
    after, page = 0, reader.events(limit=_PAGE)
    while page:
        found += [it for it in page if it.type.startswith("hold_")]
        after = page[-1].seq
        page = reader.events(after=after, limit=_PAGE)
    return found

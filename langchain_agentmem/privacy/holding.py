"""Legal holds: placed and released by events of the user's log."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Final, TypeVar

from langchain_agentmem._flow import Flow
from langchain_agentmem.access.flows import unasked_flow
from langchain_agentmem.errors import LostKeysError
from langchain_agentmem.ledger.base import Draft, Ledger, LedgerReader, LedgerWriter
from langchain_agentmem.ledger.sql.ending import owner_of
from langchain_agentmem.ledger.sql.jobs import Job
from langchain_agentmem.ledger.standing import KEYS_LOST, RELEASE_JOB
from langchain_agentmem.privacy.records import Hold
from langchain_agentmem.types import Event, Scope

LAPSED: Final = "its time has come"
UNTOLD: Final = "nobody can read why, or until when: it went with the user's keys"
_NO_END: Final = (
    "the keys of this user were lost, and with them when their legal hold ends: it stands until it is released "
    "(privacy.release), or the keys are put back from the key store's own backup"
)
T = TypeVar("T")


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
        """Record a hold; one that stands lasts as long as the longer of both, one nobody can read until released."""
        at = None if until is None else until.isoformat()

        def placed(rule: str | None, writer: LedgerWriter) -> Hold | None:
            writer.append(Draft(type="hold_placed", note={"reason": reason, "until": at}, rule=rule))
            if until is not None and rule is None:
                writer.postpone_job(RELEASE_JOB, {}, until)
            return standing(writer)

        hold = yield from self._append(owner_of(scope), placed)
        return hold or Hold(placed_at=self._clock(), until=until, reasons=(reason,))

    def release(self, scope: Scope, reason: str) -> Flow[bool]:
        """Record that the hold ends; return whether one stood."""

        def released(rule: str | None, writer: LedgerWriter) -> bool:
            writer.cancel_jobs(RELEASE_JOB, None, of_every_agent=True)
            return _release(writer, reason, rule)

        owner = owner_of(scope)
        if not (yield from self._ledger.read(owner, lambda reader: reader.head.is_held)):
            return False
        return (yield from self._append(owner, released))

    def current(self, scope: Scope) -> Flow[Hold | None]:
        """Return the hold that stands, after one whose time has come was released."""
        hold = yield from self._ledger.read(owner_of(scope), standing)
        if hold is None or hold.until is None or hold.until > self._clock():
            return hold
        yield from self._lapse(owner_of(scope))
        return None

    def do(self, job: Job) -> Flow[None]:
        """Release a hold whose time has come; one that was placed for longer since then has a later job.

        Raises:
            LostKeysError: Nobody can read when that is: it stands, and the job is there to be seen.
        """
        if job.scope is None:
            return
        hold = yield from self.current(job.scope)
        if hold is not None and UNTOLD in hold.reasons:
            raise LostKeysError(_NO_END)

    def _append(self, owner: Scope, body: Callable[[str | None, LedgerWriter], T]) -> Flow[T]:
        """Record something of a hold, without words where the user's keys were lost: who decides needs none of them."""
        try:
            return (yield from self._ledger.append(owner, partial(body, None)))
        except LostKeysError:
            return (yield from self._ledger.append(owner, partial(body, KEYS_LOST)))

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
    for event in reader.holds():
        if event.type == "hold_placed":
            placed.append(event)
        else:
            placed.clear()
    notes = [event.note for event in placed]
    ends = [None if note.get("until") is None else datetime.fromisoformat(note["until"]) for note in notes]
    last = [it for it in ends if it is not None]
    until = max(last) if last and len(last) == len(ends) else None
    reasons = tuple(str(note.get("reason", "")) if note else UNTOLD for note in notes)
    return Hold(placed_at=placed[0].at, until=until, reasons=reasons) if placed else None


def _release(writer: LedgerWriter, reason: str, rule: str | None) -> bool:
    if not writer.head.is_held:
        return False
    writer.append(Draft(type="hold_released", note={"reason": reason}, rule=rule))
    return True

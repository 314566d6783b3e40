"""What an undo must not leave behind: a memory for which nothing stands, or one that came back without its ground."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from langchain_agentmem.ledger.base import LedgerReader
from langchain_agentmem.ledger.lives import read_life
from langchain_agentmem.policies.terms import said_of_expired
from langchain_agentmem.timeline.elsewhere import Elsewhere, said_of
from langchain_agentmem.timeline.records import Reverted
from langchain_agentmem.types import Event, Memory, Status
from langchain_agentmem.types.memories import LIVE_STATUSES


class Objection(NamedTuple):
    """Why a memory stays as it is, and by which rule."""

    memory_id: str
    rule: str
    why: str


class Standing(NamedTuple):
    """What an undo is about to do, by memory.

    Attributes:
        event: Is taken back. Whoever takes back a rollback has all that was there before it, as it was.
        at: When.
    """

    reader: LedgerReader
    steps: dict[str, Reverted]
    event: Event
    at: datetime
    elsewhere: Elsewhere

    def objections(self) -> Iterator[Objection]:
        """Yield what speaks against steps."""
        for step in self.steps.values():
            now = self.reader.memory(step.memory_id)
            if now is None or "status" not in step.changes:
                continue
            then = step.changes["status"].after
            if self.elsewhere.bars(step):
                yield Objection(now.id, "other_agent", said_of(now.id))
            elif then == "superseded":
                yield from self._of_replaced(now)
            elif then in LIVE_STATUSES and now.status == "archived" and self.event.type != "reverted":
                yield from self._of_forgotten(now)

    def _status(self, memory_id: str) -> Status | None:
        """Return what a memory of any agent is once all is done."""
        step = self.steps.get(memory_id)
        told = None if step is None else step.status
        return told or read_life(self.reader, memory_id).status

    def _of_replaced(self, now: Memory) -> Iterator[Objection]:
        by = read_life(self.reader, now.id).ended_by
        if by is None:
            return
        status, is_seen = self._status(by), self.reader.memory(by) is not None
        may_be_lost = status == "archived" and not (is_seen and self.event.type == "reverted")
        is_gone = status in {None, "erased"} and (self.event.type != "reverted" or self._is_erased_since(by))
        if is_gone or (may_be_lost and self._is_needed(now, by)):
            how = "is erased" if is_gone else "was forgotten"
            which = f"{by!r}, which replaced memory {now.id!r}," if is_seen else f"what replaced memory {now.id!r}"
            remedy = "`restore` puts it in force" if now.status == "archived" else "it stays in force"
            yield Objection(now.id, "later_events", f"{which} {how}: nothing would stand for it; {remedy}")

    def _is_erased_since(self, memory_id: str) -> bool:
        """Whether a memory was there as it all was taken back: what was gone by then stood for nothing before."""
        since = self.reader.events(memory_id=memory_id, after=self.event.seq)
        return any(it.type == "erased" for it in since)

    def _is_needed(self, now: Memory, by: str) -> bool:
        """Whether a memory is in force, or went along with another that is not to come back with it."""
        return now.status in LIVE_STATUSES or read_life(self.reader, by).went_with == now.id

    def _of_forgotten(self, now: Memory) -> Iterator[Objection]:
        ground = read_life(self.reader, now.id).went_with
        is_displaced = self.event.type == "restored" and self.event.memory_id == ground
        if ground is not None and not is_displaced and self._status(ground) == "archived":
            why = f"memory {now.id!r} went because {ground!r} was forgotten; undo that, or restore memory {ground!r}"
            yield Objection(now.id, "forgotten", why)
        elif now.expires_at is not None and now.expires_at <= self.at:
            yield Objection(now.id, "expired", said_of_expired(now.id))

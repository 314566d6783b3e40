"""How a memory ends for another one that takes its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Final, TypeAlias

from langchain_agentmem.english.people.since import ended, held_until
from langchain_agentmem.ledger.base import Draft, LedgerReader
from langchain_agentmem.long_term.write.lifting import why_ended
from langchain_agentmem.long_term.write.taking_back import holding_again
from langchain_agentmem.policies.approve import awaits
from langchain_agentmem.types import Memory

CONSOLIDATED: Final = "consolidated"
"""Rule under which conclusions stand in the log, and the ends of what they stand for."""

Ends: TypeAlias = Callable[[LedgerReader, str, Memory, datetime, str], Iterator[Draft]]
"""Yields what becomes of a memory that another one replaces at a time, and why; each is appended before the next."""


def contradicted(reader: LedgerReader, memory_id: str, by: Memory, now: datetime, why: str = "") -> Iterator[Draft]:
    """Yield that a later statement replaced a memory, and what holds again if the memory was what had ended it."""
    old = reader.memory(memory_id)
    changes = ended(old, by, now)
    if old is not None and awaits(old):  # it never was in force, so nobody may find it as what was
        changes = {"status": "archived", "expired_at": now}
    note = {"reason": why_ended(old, by) + (why and f": {why}"), "by": by.id}
    yield Draft(type="superseded", memory_id=memory_id, changes=changes, note=note, rule="conflict")
    yield from [*holding_again(reader, old, by)]


def stood_for(reader: LedgerReader, memory_id: str, by: Memory, now: datetime, _why: str = "") -> Iterator[Draft]:
    """Yield the end of what a memory was merged from: nothing took back what it says, and nobody says why."""
    ends = held_until(reader.memory(memory_id), by.valid_at or now)
    changes = {"status": "superseded", "invalid_at": ends, "expired_at": now}
    note = {"reason": f"memory {by.id} says the same, and stands for it", "by": by.id}
    yield Draft(type="superseded", memory_id=memory_id, changes=changes, note=note, rule=CONSOLIDATED)

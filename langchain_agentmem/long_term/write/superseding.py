"""How a memory ends for another one that takes its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TypeAlias

from langchain_agentmem.english.people.since import ended
from langchain_agentmem.ledger.base import Draft, LedgerReader
from langchain_agentmem.long_term.write.lifting import why_ended
from langchain_agentmem.long_term.write.taking_back import holding_again
from langchain_agentmem.policies.approve import awaits
from langchain_agentmem.types import Memory

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

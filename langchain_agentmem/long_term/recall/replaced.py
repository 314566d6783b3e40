"""What was replaced among what was found, facts and the turns that say them: told by the ledger's own links."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from langchain_agentmem.ledger.base import LedgerReader
from langchain_agentmem.ledger.lives import read_life
from langchain_agentmem.policies.admit import Admission
from langchain_agentmem.policies.sourcing import stale_turns, taken_from
from langchain_agentmem.types import Memory

MAX_STEPS: Final = 10
"""How far a chain of corrections is followed, two look-ups of some 80 µs each: what changes every day has hundreds."""


def replaced_among(reader: LedgerReader, admission: Admission, found: Collection[Memory]) -> dict[str, str]:
    """Return, by the id of what was replaced by then, the id of the fact in force.

    Args:
        reader: Of the transaction.
        admission: The time asked for, and what may be used.
        found: Facts that were superseded, and turns, in the form of memories: those that say what a fact has replaced.
    """
    turns = [it for it in found if it.kind == "episode"]
    sessions = {it.scope.session_id for it in turns if it.scope.session_id is not None}
    said = taken_from(turns, reader.ended_in(sessions)) if sessions else []
    facts = [it for it in found if it.kind != "episode" and it.status == "superseded"]
    chains = _Chains(reader, admission)
    replaced = {
        old.id: (old, new)
        for old in (*said, *facts)
        if _is_over(old, admission) and (new := chains.in_force(old)) is not None
    }
    stale = {it.id: replaced[it.id][1].id for it in facts if it.id in replaced}
    return stale | stale_turns(turns, replaced.values())


def _is_over(memory: Memory, admission: Admission) -> bool:
    return memory.invalid_at is not None and memory.invalid_at <= admission.at


class _Chains:
    """What took the place of what, one after the other; each link is read once, however many begin before it."""

    def __init__(self, reader: LedgerReader, admission: Admission) -> None:
        self._reader = reader
        self._admission = admission
        self._next: dict[str, Memory | None] = {}

    def in_force(self, old: Memory) -> Memory | None:
        """Return the last of those that took a memory's place that holds; `None` where none does.

        What memories were merged into says the same as they do: it takes nothing back. Of a chain that is longer than
        is followed, the last that was reached is named: it was replaced itself.
        """
        last, is_corrected, by = None, False, self._replaced_by(old)
        for _ in range(MAX_STEPS):
            if by is None:
                return last
            is_corrected = is_corrected or by.source != "merged"
            last = by if is_corrected and self._admission.holds(by) else last
            reached, by = by, None if by.status == "active" else self._replaced_by(by)
        return last or (reached if by is not None and is_corrected else None)

    def _replaced_by(self, old: Memory) -> Memory | None:
        if old.id not in self._next:
            by = read_life(self._reader, old.id).ended_by
            self._next[old.id] = None if by is None else self._reader.memory(by)
        return self._next[old.id]

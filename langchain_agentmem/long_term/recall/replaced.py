"""Turns of conversations whose facts were replaced: told by the ledger's own links, whatever was found beside them."""

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


def replaced_turns(reader: LedgerReader, admission: Admission, turns: Collection[Memory]) -> dict[str, str]:
    """Return, by the id of each turn that says what a fact has replaced since, the id of the one in force.

    Args:
        reader: Of the transaction.
        admission: The time asked for, and what may be used.
        turns: In the form of memories.
    """
    sessions = {it.scope.session_id for it in turns if it.scope.session_id is not None}
    if not sessions:
        return {}
    ended = taken_from(turns, reader.ended_in(sessions))
    over = [it for it in ended if it.invalid_at is not None and it.invalid_at <= admission.at]
    chains = _Chains(reader, admission)
    replaced = [(old, new) for old in over if (new := chains.in_force(old)) is not None]
    return stale_turns(turns, replaced)


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

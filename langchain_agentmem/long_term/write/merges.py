"""What was made of a memory, merged, concluded or left of it, as the log and the memories themselves tell it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from langchain_agentmem.ledger.base import LedgerReader, Page
from langchain_agentmem.ledger.lives import ENDINGS, read_life
from langchain_agentmem.policies.repeated import REPEATED
from langchain_agentmem.policies.terms import merged_terms
from langchain_agentmem.policies.trust import behind
from langchain_agentmem.types import Candidate, Memory
from langchain_agentmem.types.memories import KEPT_STATUSES

CONCLUSIONS: Final = 1_000
"""Outcomes of one user looked through for what was concluded from one of them."""


def merged_from(known: Sequence[Memory], content: str, now: datetime) -> Candidate:
    """Return what says what memories said together; it is trusted as little as the least trusted of them.

    Raises:
        ConfigurationError: Their terms allow nothing together; see `policies.terms`.
    """
    first = known[0]
    return Candidate(
        content=content,
        kind=first.kind,
        source="merged",
        confidence=max(memory.confidence for memory in known),
        importance=max(memory.importance for memory in known),
        trust=min(memory.trust for memory in known),
        **merged_terms(known, now),
        provenance=replace(
            first.provenance,
            message_ids=tuple(dict.fromkeys(id for memory in known for id in memory.provenance.message_ids))[:64],
            evidence=None,
            **behind(known),
        ),
        supersedes=tuple(memory.id for memory in known),
    )


REMAINS: Final = "remains"
"""Rule under which is kept what remains of a memory."""

BESIDE: Final = 256
"""Events behind the end of a memory that are looked at for what was left of it: they were written with that."""


def merges_of(reader: LedgerReader, memory_id: str) -> list[tuple[str, Memory]]:
    """Return what a memory was merged into, and what that was merged into: each beside its source; all say the same."""
    found: list[tuple[str, Memory]] = []
    by = read_life(reader, memory_id).ended_by
    while by is not None:
        life = read_life(reader, by)
        merged = reader.memory(by) if life.was_merged else None
        if merged is None or any(merged.id == it.id for _, it in found):  # a file may say what no log would
            break
        found.append((memory_id, merged))
        memory_id, by = by, life.ended_by
    return found


def concluded_from(reader: LedgerReader, memory: Memory) -> list[Memory]:
    """Return what was concluded from an outcome together with others: it tells of it."""
    if memory.kind != "outcome":
        return []
    outcomes = reader.page(Page(kinds=("outcome",), statuses=KEPT_STATUSES, limit=CONCLUSIONS))
    return [it for it in outcomes if REPEATED in it.tags and memory.id in it.links]


def left_of(reader: LedgerReader, memory_id: str) -> list[Memory]:
    """Return what remained of a memory when it ended, and was kept by itself.

    What the user let stand, when they asked to forget a part of the memory, stands by their word.
    """
    life = read_life(reader, memory_id)
    if life.is_in_part:
        return []
    ends = [it.seq for it in reader.events(memory_id=memory_id) if it.type in ENDINGS]
    near = (it for seq in ends for it in reader.events(after=seq, limit=BESIDE) if it.rule == REMAINS)
    begun = (it.memory_id for it in near if it.type == "remembered" and it.memory_id is not None)
    ids = dict.fromkeys([*life.left, *begun])
    return [it for it in reader.memories(ids).values() if read_life(reader, it.id).left_of == memory_id]


def made_of(reader: LedgerReader, memory: Memory) -> list[Memory]:
    """Return what stands on a memory alone: what was concluded from it, and what remained of it."""
    return [*concluded_from(reader, memory), *left_of(reader, memory.id)]

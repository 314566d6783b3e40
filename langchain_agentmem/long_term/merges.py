"""What a memory was merged into or concluded from, as the log and the memories themselves tell it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from langchain_agentmem.ledger.base import LedgerReader, Page
from langchain_agentmem.policies.consent import merged_purposes
from langchain_agentmem.policies.repeated import REPEATED
from langchain_agentmem.policies.trust import behind
from langchain_agentmem.types import Candidate, Memory, Status
from langchain_agentmem.types.memories import KEPT_STATUSES, LIVE_STATUSES

CONCLUSIONS: Final = 1_000
"""Outcomes of one user looked through for what was concluded from one of them."""


def merged_from(known: Sequence[Memory], content: str) -> Candidate:
    """Return what says what memories said together; it is trusted as little as the least trusted of them.

    Raises:
        ConfigurationError: They are kept for purposes that have nothing in common.
    """
    first = known[0]
    return Candidate(
        content=content,
        kind=first.kind,
        source="merged",
        confidence=max(memory.confidence for memory in known),
        importance=max(memory.importance for memory in known),
        trust=min(memory.trust for memory in known),
        tags=tuple(dict.fromkeys(tag for memory in known for tag in memory.tags)),
        purposes=merged_purposes(known),
        legal_basis=first.legal_basis,
        provenance=replace(
            first.provenance,
            message_ids=tuple(dict.fromkeys(id for memory in known for id in memory.provenance.message_ids))[:64],
            evidence=None,
            **behind(known),
        ),
        supersedes=tuple(memory.id for memory in known),
    )


def was_merged(reader: LedgerReader, memory_id: str) -> bool:
    """Whether a memory began as a merge, whatever a revision made of its source since."""
    first = next((event.payload for event in reader.events(memory_id=memory_id) if event.payload), {})
    return bool(first.get("note", {}).get("began", first.get("source")) == "merged")


def merges_of(reader: LedgerReader, memory_id: str) -> list[tuple[str, Memory]]:
    """Return what a memory was merged into, and what that was merged into: each beside its source; all say the same."""
    found: list[tuple[str, Memory]] = []
    merged = _merge_of(reader, memory_id)
    while merged is not None:
        found.append((memory_id, merged))
        memory_id = merged.id
        merged = _merge_of(reader, memory_id)
    return found


def status_before(reader: LedgerReader, memory_id: str) -> Status:
    """Return the status that a replaced memory had."""
    payloads = [event.payload or {} for event in reader.events(memory_id=memory_id)]
    told = [status for it in payloads for status in (it.get("note", {}).get("before"), it.get("status"))]
    known: list[Status] = [it for it in told if it in LIVE_STATUSES]
    return known[-1] if known else "active"


def life_before(reader: LedgerReader, memory_id: str) -> dict[str, str]:
    """Return what only the payloads of its events tell of a memory's life, before they are deleted."""
    events = reader.events(memory_id=memory_id)
    notes = [(it.type, (it.payload or {}).get("note", {})) for it in events]
    life = {
        "by": [note.get("by") for type_, note in notes if type_ in {"superseded", "cleaned"}],
        "was": [note.get("was") for _, note in notes if note.get("was")],
        "before": [status_before(reader, memory_id)],
        "began": ["merged"] if was_merged(reader, memory_id) else [],
    }
    return {name: str(told[-1]) for name, told in life.items() if told and told[-1]}


def concluded_from(reader: LedgerReader, memory: Memory) -> list[Memory]:
    """Return what was concluded from an outcome together with others: it tells of it."""
    if memory.kind != "outcome":
        return []
    outcomes = reader.page(Page(kinds=("outcome",), statuses=KEPT_STATUSES, limit=CONCLUSIONS))
    return [it for it in outcomes if REPEATED in it.tags and memory.id in it.links]


def _merge_of(reader: LedgerReader, memory_id: str) -> Memory | None:
    ends = [it for it in reader.events(memory_id=memory_id) if it.type in {"superseded", "cleaned"}]
    by = (ends[-1].payload or {}).get("note", {}).get("by") if ends else None
    return reader.memory(by) if by is not None and was_merged(reader, by) else None

"""What ends an instruction and leaves nothing in its place: "you may call me before nine again"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from langchain_agentmem.english.endings.endings import PASSING, ending_in
from langchain_agentmem.english.endings.undone import undone_in
from langchain_agentmem.english.people.address import is_called
from langchain_agentmem.english.people.own_words import speaker_of
from langchain_agentmem.english.people.several import several_in
from langchain_agentmem.english.reading.choices import is_known
from langchain_agentmem.english.reading.orders import Lift, Order, is_lifted, lift_in, order_in
from langchain_agentmem.ledger.base import LedgerReader, Page
from langchain_agentmem.ledger.lives import Life, read_life
from langchain_agentmem.policies.write import NOTHING_ENDED, NOTHING_LIFTED, NOTHING_TAKEN_BACK, Ruling
from langchain_agentmem.types import Candidate, Kind, Memory
from langchain_agentmem.types.memories import LIVE_STATUSES

ORDERED: Final[tuple[Kind, ...]] = ("constraint", "preference")
"""Kinds of memory that can be an instruction."""

MAX_FACTS: Final = 500
"""Facts that one which says that something is over is held against, the newest first."""

LIFTED: Final = Ruling(
    verdict="accept",
    rule="lifted",
    reason="It ends an instruction, and is kept only as the words that did; it is not in force itself.",
)


def lift_of(record: Candidate | Memory) -> Lift | None:
    """Return what a candidate or memory lifts, if anything."""
    return lift_in(record.content, record.subject or "") if record.kind == "constraint" else None


def order_of(record: Candidate | Memory) -> Order | None:
    """Return the instruction that a candidate or memory gives, if it is one."""
    if is_called(record):
        return order_in(f"call me {record.object}")
    return order_in(record.content, record.subject or "") if record.kind in ORDERED else None


def orders_of(record: Candidate | Memory) -> list[Order]:
    """Return the instruction that a candidate or memory gives, and each of two that it holds."""
    several = several_in(record.content) if record.kind in ORDERED else None
    parts = (replace(record, content=it) for it in several.parts) if several is not None else ()
    return [it for it in map(order_of, (record, *parts)) if it is not None]


def lifts_only(record: Candidate | Memory) -> bool:
    """Whether a candidate or memory does no more than end an instruction."""
    lift = lift_of(record)
    return lift is not None and not lift.forbids


def ends_nothing(reader: LedgerReader, candidate: Candidate, own_id: str = "") -> Ruling | None:
    """Return why what ends nothing is not kept: a permission, the death of somebody never told of, or passing news.

    Args:
        reader: Of the user.
        candidate: What ends nothing.
        own_id: Of the memory that it is already, if it waits.
    """
    if lifts_only(candidate):
        return NOTHING_LIFTED
    if PASSING in candidate.tags:
        return NOTHING_ENDED
    if candidate.kind != "fact" or candidate.provenance.evidence is None:
        return None
    undone = undone_in(candidate.content, speaker_of(candidate))
    if undone is not None and not undone.is_statement:
        return NOTHING_TAKEN_BACK
    ending = ending_in(candidate.content, speaker_of(candidate))
    name = None if ending is None else ending.of_name
    return NOTHING_ENDED if name is not None and not _is_told_of(reader, name, own_id) else None


def _is_told_of(reader: LedgerReader, name: str, own_id: str) -> bool:
    """Whether a fact names somebody; what one works with ("Kafka") is nobody."""
    named = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    facts = reader.page(Page(kinds=("fact",), statuses=LIVE_STATUSES, limit=MAX_FACTS))
    return not is_known(name) and any(it.id != own_id and named.search(it.content) for it in facts)


def lifts(record: Candidate | Memory, memory: Memory) -> bool:
    """Whether a candidate or memory lifts the instruction that another memory is, or one of two that it holds."""
    lift = lift_of(record)
    return lift is not None and any(is_lifted(lift, it) for it in orders_of(memory))


def has_lifted(record: Candidate | Memory, replaced: Iterable[Memory]) -> bool:
    """Whether what a candidate or memory replaces is an instruction that it lifts: nothing is left to be kept."""
    return any(lifts(record, memory) for memory in replaced)


def ended_by(candidate: Candidate, meant: Iterable[Memory]) -> tuple[Memory, ...]:
    """Return what a candidate ends of what it was meant to replace: a permission that, which it lifts."""
    is_lift = lifts_only(candidate)
    return tuple(it for it in meant if not is_lift or lifts(candidate, it))


def beginning(
    candidate: Candidate, replaced: Iterable[Memory], ruling: Ruling, now: datetime
) -> tuple[Ruling, dict[str, Any]]:
    """Return by which ruling a candidate begins, and how: waiting, in force, or over at once where it only ends."""
    if ruling.verdict == "hold":
        return ruling, {"status": "pending"}
    if has_lifted(candidate, replaced):
        return LIFTED, {"status": "archived", "expired_at": now}
    return ruling, {"status": "active"}


def why_ended(old: Memory | None, by: Memory) -> str:
    """Return why a memory ends for another one, in words for the log."""
    if old is not None and lifts(by, old):
        return f"memory {by.id} lifted it, and stands for nothing in its place"
    return "a later statement replaced it"


def is_lift(reader: LedgerReader, memory: Memory, life: Life) -> bool:
    """Whether a memory is in the archive because it only ended an instruction: it never was in force."""
    if memory.status != "archived" or life.was_forgotten:
        return False
    return lifts_only(memory) or has_lifted(memory, reader.memories(memory.supersedes).values())


def still_ended(reader: LedgerReader, lift: Memory) -> list[Memory]:
    """Return the instructions that a memory lifted, as far as they are over because of it.

    Where the log does not tell what ended one, as after an import, it was this memory.
    """
    known = [it for it in reader.memories(lift.supersedes).values() if it.status == "superseded"]
    return [it for it in known if read_life(reader, it.id).ended_by in {lift.id, None}]

"""What was said to be over and is not: the ending goes, and what it had ended holds again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

from langchain_agentmem.english.endings.endings import ending_in
from langchain_agentmem.english.endings.undone import undone_in
from langchain_agentmem.english.people.own_words import speaker_of
from langchain_agentmem.english.people.several import several_in
from langchain_agentmem.english.people.since import ended
from langchain_agentmem.ledger.base import Draft, LedgerReader, Page
from langchain_agentmem.ledger.lives import read_life
from langchain_agentmem.long_term.write.lifting import MAX_FACTS, still_ended
from langchain_agentmem.long_term.write.merges import left_of
from langchain_agentmem.long_term.write.revising import candidate_of
from langchain_agentmem.long_term.write.similar import compare
from langchain_agentmem.long_term.write.weighing import joined
from langchain_agentmem.types import Candidate, Memory
from langchain_agentmem.types.memories import LIVE_STATUSES

TAKEN_BACK: Final = "taken_back"
"""Rule under which holds again what was said to be over."""


def endings_undone(reader: LedgerReader, candidate: Candidate) -> frozenset[str]:
    """Return the id of the ending that a candidate takes back, of several the last one's, and of what it had left over.

    What remained of a memory is part of it again; of no ending, nothing.
    """
    undone = undone_in(candidate.content, speaker_of(candidate)) if candidate.kind == "fact" else None
    if undone is None:
        return frozenset()
    facts = reader.page(Page(kinds=("fact",), limit=MAX_FACTS))
    for it in facts:
        is_over = ending_in(it.content, speaker_of(it)) is not None
        ended = [*reader.memories(it.supersedes).values()] if is_over else []
        if is_over and undone.means(it.content, [old.content for old in ended], speaker_of(candidate)):
            parts = {part for old in ended if (found := several_in(old.content)) for part in found.parts}
            return frozenset({it.id, *(left.id for left in facts if it.id in left.links and left.content in parts)})
    return frozenset()


def holding_again(reader: LedgerReader, ending: Memory | None, by: Memory) -> Iterator[Draft]:
    """Yield what makes hold again what an ending ended, where another memory takes that back."""
    if ending is None or by.kind != "fact" or ending.kind != "fact" or undone_in(by.content, speaker_of(by)) is None:
        return
    facts = reader.page(Page(kinds=("fact",), limit=MAX_FACTS))
    said_again = {it.content for it in facts}
    is_over = ending_in(ending.content, speaker_of(ending)) is not None
    for it in still_ended(reader, ending) if is_over else ():
        if it.content not in said_again:
            note = {"reason": f"memory {by.id} took back that it is over", "with": ending.id}
            yield from _again(reader, it, _said_since(facts, it, ending, by), note)


def held_before(reader: LedgerReader, taken: Memory, now: datetime) -> Iterator[Draft]:
    """Yield what makes hold again what a memory ended, where that is taken back as what never was so.

    Only what the log says was ended by it, and is not said again or expired since; what it had left over of a memory is
    part of that again.
    """
    known = [*reader.page(Page(limit=MAX_FACTS))]
    said_again = {it.content for it in known}
    for it in still_ended(reader, taken):
        is_expired = it.expires_at is not None and it.expires_at <= now
        if read_life(reader, it.id).ended_by != taken.id or it.content in said_again or is_expired:
            continue
        left = [rest for rest in left_of(reader, it.id) if rest.status in LIVE_STATUSES]
        for rest in left:
            note = {"reason": f"memory {it.id}, which says it, holds again", "was": rest.status, "with": taken.id}
            gone = {"status": "archived", "expired_at": now}
            yield Draft(type="forgotten", memory_id=rest.id, changes=gone, note=note, rule=TAKEN_BACK)
        note = {"reason": f"memory {taken.id}, which had ended it, was taken back", "with": taken.id}
        yield from _again(reader, it, _said_since([it for it in known if it not in left], it, taken, taken), note)


def ended_again(reader: LedgerReader, back: Memory, now: datetime) -> Iterator[Draft]:
    """Yield what ends again what held as long as a memory was taken back, and nothing happened to since."""
    for it in reader.memories(back.supersedes).values():
        if it.status not in LIVE_STATUSES or read_life(reader, it.id).back_with != back.id:
            continue
        note = {"reason": f"memory {back.id}, which had ended it, was restored", "by": back.id, "with": back.id}
        yield Draft(type="superseded", memory_id=it.id, changes=ended(it, back, now), note=note, rule="conflict")
        for rest in left_of(reader, it.id):
            life = read_life(reader, rest.id)
            if rest.status == "archived" and life.went_with == back.id:
                note = {"reason": f"memory {back.id}, which had left it over, was restored", "with": back.id}
                again = {"status": life.was or "active", "expired_at": None}
                yield Draft(type="restored", memory_id=rest.id, changes=again, note=note, rule=TAKEN_BACK)


def _again(reader: LedgerReader, memory: Memory, since: Sequence[Memory], note: Mapping[str, str]) -> Iterator[Draft]:
    """Yield that a memory holds again, and that it and what was said since contradict each other."""
    other = {"contradicts": joined(memory.contradicts, tuple(known.id for known in since))} if since else {}
    changes = read_life(reader, memory.id).again | other
    yield Draft(type="restored", memory_id=memory.id, changes=changes, note=dict(note), rule=TAKEN_BACK)
    reason = {"reason": f"memory {memory.id} says otherwise, and holds again", "by": memory.id}
    for known in since:
        both = {"contradicts": joined(known.contradicts, (memory.id,))}
        yield Draft(type="contradicted", memory_id=known.id, changes=both, note=reason, rule="conflict")


def _said_since(facts: Iterable[Memory], again: Memory, ending: Memory, by: Memory) -> Sequence[Memory]:
    """Return what was said since something ended and says otherwise: another job, while the first one holds again."""
    later = [it for it in facts if it.created_at >= ending.created_at and it.id not in {ending.id, by.id}]
    return compare(candidate_of(again, {}), later, {}).conflicts

"""What was said to be over and is not: the ending goes, and what it had ended holds again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from langchain_agentmem.english.endings.endings import ending_in
from langchain_agentmem.english.endings.undone import undone_in
from langchain_agentmem.english.people.own_words import speaker_of
from langchain_agentmem.english.people.several import several_in
from langchain_agentmem.ledger.base import Draft, LedgerReader, Page
from langchain_agentmem.ledger.lives import read_life
from langchain_agentmem.long_term.write.lifting import MAX_FACTS, still_ended
from langchain_agentmem.long_term.write.revising import candidate_of
from langchain_agentmem.long_term.write.similar import compare
from langchain_agentmem.long_term.write.weighing import joined
from langchain_agentmem.types import Candidate, Memory

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
        if it.content in said_again:
            continue
        changes = read_life(reader, it.id).again
        since = _said_since(facts, it, ending, by)
        other = {"contradicts": joined(it.contradicts, tuple(known.id for known in since))} if since else {}
        note = {"reason": f"memory {by.id} took back that it is over", "with": ending.id}
        yield Draft(type="restored", memory_id=it.id, changes=changes | other, note=note, rule=TAKEN_BACK)
        reason = {"reason": f"memory {it.id} says otherwise, and holds again", "by": it.id}
        for known in since:
            both = {"contradicts": joined(known.contradicts, (it.id,))}
            yield Draft(type="contradicted", memory_id=known.id, changes=both, note=reason, rule="conflict")


def _said_since(facts: Iterable[Memory], again: Memory, ending: Memory, by: Memory) -> Sequence[Memory]:
    """Return what was said since something ended and says otherwise: another job, while the first one holds again."""
    later = [it for it in facts if it.created_at >= ending.created_at and it.id not in {ending.id, by.id}]
    return compare(candidate_of(again, {}), later, {}).conflicts

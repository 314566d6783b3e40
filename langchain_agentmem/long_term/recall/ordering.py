"""The order of an answer: a reranker's opinion, near-duplicates, and statements that contradict each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from langchain_agentmem.ledger.base import LedgerReader
from langchain_agentmem.long_term.recall.contradicting import contradicting
from langchain_agentmem.long_term.recall.finding import Found
from langchain_agentmem.long_term.recall.judging import Judged
from langchain_agentmem.long_term.recall.reranking import Reranked
from langchain_agentmem.policies.admit import Admission
from langchain_agentmem.policies.approve import awaits
from langchain_agentmem.policies.diversify import Contender, diversify
from langchain_agentmem.types import Hit, Memory
from langchain_agentmem.types.memories import LIVE_STATUSES

MAX_RIVALS: Final = 2
"""Statements that come beyond the limit because they contradict a hit."""

DIVERSE_PLACES: Final = 20
"""Places for which near-duplicates are looked for: more than that a prompt seldom has, and every place is compared with
all above it."""


def arrange(judged: Judged, found: Found, reranked: Reranked | None, *, weight: float, places: int) -> None:
    """Bring what passed the rules into its order, and drop what says the same as something above it.

    A reranker's order stands, but for what updates something: that stays above it. Without one, what resembles better
    hits stands a bit lower.
    """
    if reranked is not None:
        ours = judged.hits
        reranked.apply(judged)
        _keep_above(judged, ours)
        judged.notes["reranker"] = reranked.told
    if weight == 0 or len(judged.hits) <= 1:
        return
    is_fixed = reranked is not None and not reranked.has_failed
    hits = {hit.memory.id: hit for hit in judged.hits}
    contenders = _in_this_order(judged.hits) if is_fixed else _by_score(judged, found)
    answer = diversify(contenders, weight=weight, places=min(places, DIVERSE_PLACES))
    for memory_id, twin_id in answer.duplicates.items():
        judged.drop(hits[memory_id], "duplicate", (twin_id,))
    judged.hits = [
        hits[it.id] if is_fixed or not it.redundancy else _lowered(hits[it.id], it.score, it.redundancy)
        for it in answer.placed
    ]


def cut(judged: Judged, reader: LedgerReader, admission: Admission, found: Found) -> None:
    """Keep to the limit; what contradicts a hit, and is in force as well, comes right behind it."""
    rivals = _rivals(judged.hits, reader, admission, found)
    first = judged.hits[: admission.query.limit]
    wanted = {hit.memory.id for hit in first}
    kept: dict[str, Hit] = {}
    room = MAX_RIVALS
    for hit in first:
        kept.setdefault(hit.memory.id, hit)
        for rival in rivals.get(hit.memory.id, ()):
            is_extra = rival.memory.id not in wanted
            if rival.memory.id not in kept and (room or not is_extra):
                room -= is_extra
                kept[rival.memory.id] = rival
    for hit in judged.hits:
        if hit.memory.id not in kept:
            judged.drop(hit, "limit")
    ids = {memory_id: tuple(it.memory.id for it in rivals.get(memory_id, ())) for memory_id in kept}
    waiting = _waiting(kept.values(), reader, admission.now) if rivals or _is_any_disputed(kept.values()) else {}
    judged.hits = [_marked(hit, (*ids[hit.memory.id], *waiting.get(hit.memory.id, ()))) for hit in kept.values()]


# ----------------------------------------------------------------------------------------------------------- updates
def _updates_of(hits: Sequence[Hit], in_force: Mapping[str, str]) -> dict[str, list[str]]:
    """Return, by the id of what was updated, what updated it, or is in force now, and stands above it, in order."""
    above: dict[str, list[str]] = {}
    seen: set[str] = set()
    for hit in hits:
        current = [old_id for old_id, new_id in in_force.items() if new_id == hit.memory.id]
        for old_id in dict.fromkeys((*hit.memory.supersedes, *current)):
            if old_id not in seen:
                above.setdefault(old_id, []).append(hit.memory.id)
        seen.add(hit.memory.id)
    return above


def _keep_above(judged: Judged, ours: Sequence[Hit]) -> None:
    """Put what updates a hit above it again, as in our own order, also where a reranker left it out.

    A reranker reads each text for itself: it cannot know which of two values holds now.
    """
    above, here = _updates_of(ours, judged.in_force), {hit.memory.id: hit for hit in (*ours, *judged.hits)}
    placed: dict[str, Hit] = {}
    begun: set[str] = set()

    def place(memory_id: str) -> None:
        if memory_id not in begun:
            begun.add(memory_id)
            for new_id in above.get(memory_id, ()):
                place(new_id)
            placed[memory_id] = here[memory_id]

    for hit in judged.hits:
        place(hit.memory.id)
    judged.hits = list(placed.values())
    judged.dropped = [line for line in judged.dropped if line.memory_id not in placed]


# --------------------------------------------------------------------------------------------------- near-duplicates
def _by_score(judged: Judged, found: Found) -> list[Contender]:
    """Return hits as what competes for a place; what was updated stays below what updated it."""
    vectors = {it.memory_id: it.vector for it in (*found.proposals, *found.of_action, *found.episodes)}
    above = _updates_of(judged.hits, judged.in_force)
    return [
        Contender(
            id=hit.memory.id,
            score=hit.score,
            content=hit.memory.content,
            vector=vectors.get(hit.memory.id),
            after=frozenset(above.get(hit.memory.id, ())),
        )
        for hit in judged.hits
    ]


def _in_this_order(hits: Sequence[Hit]) -> list[Contender]:
    """Return hits as what has its place already, each behind the one before it."""
    before = [frozenset[str](), *(frozenset({hit.memory.id}) for hit in hits)]
    return [
        Contender(id=hit.memory.id, score=1 - place / len(hits), content=hit.memory.content, after=before[place])
        for place, hit in enumerate(hits)
    ]


def _lowered(hit: Hit, score: float, redundancy: float) -> Hit:
    return replace(hit, score=score, parts={**hit.parts, "redundancy": redundancy})


# ---------------------------------------------------------------------------------------------------- contradictions
def _rivals(hits: Sequence[Hit], reader: LedgerReader, admission: Admission, found: Found) -> dict[str, list[Hit]]:
    """Return, by id, what contradicts a hit and may be returned as well."""
    here = {hit.memory.id: hit for hit in hits}
    said = found.turns.episodes
    pairs = [*_disputes(hits), *contradicting([said[it.memory.id] for it in hits if it.memory.id in said])]
    missing = {other for _, other in pairs} - here.keys()
    for memory in reader.memories(missing).values() if missing else ():
        if admission.objection(memory) is None:
            here[memory.id] = Hit(memory=memory, score=0.0, parts={"contradicts": 1.0})
    found_rivals: dict[str, list[Hit]] = {}
    for one, other in dict.fromkeys((*pairs, *((other, one) for one, other in pairs))):
        if one in here and other in here and _are_undecided(here[one].memory, here[other].memory):
            found_rivals.setdefault(one, []).append(here[other])
    return found_rivals


def _disputes(hits: Iterable[Hit]) -> Iterator[tuple[str, str]]:
    """Yield pairs of facts of which the write policy left open which holds."""
    for hit in hits:
        for other in hit.memory.contradicts:
            yield hit.memory.id, other


def _are_undecided(one: Memory, other: Memory) -> bool:
    """Whether both stand, and neither replaced the other: what waits has replaced nothing yet."""
    is_replaced = any(new.status != "pending" and old.id in new.supersedes for new, old in ((one, other), (other, one)))
    return not is_replaced and one.status in LIVE_STATUSES and other.status in LIVE_STATUSES


def _is_any_disputed(hits: Iterable[Hit]) -> bool:
    return any(hit.memory.contradicts for hit in hits)


def _waiting(hits: Iterable[Hit], reader: LedgerReader, now: datetime) -> dict[str, tuple[str, ...]]:
    """Return, by id, what contradicts a hit and waits for support: it is named, and not returned."""
    named = {other for hit in hits for other in hit.memory.contradicts}
    memories = reader.memories(named) if named else {}
    is_waiting = {
        it.id
        for it in memories.values()
        if it.status == "pending" and not awaits(it) and (it.expires_at is None or it.expires_at > now)
    }
    return {hit.memory.id: tuple(it for it in hit.memory.contradicts if it in is_waiting) for hit in hits}


def _marked(hit: Hit, ids: Iterable[str]) -> Hit:
    contradicting = tuple(dict.fromkeys(ids))
    return replace(hit, contradicts=contradicting) if contradicting else hit

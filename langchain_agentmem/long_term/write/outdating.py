"""Which neighbours a statement likely leaves out of date where no rule can tell: they are marked, and stay in force."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from heapq import nlargest
from typing import Final

from langchain_agentmem.english.endings.outdating import LIKELY, chance_outdated
from langchain_agentmem.english.people.own_words import in_own_words, names_of_id, speaker_of
from langchain_agentmem.long_term.write.contradicting import JUDGED, relations_of
from langchain_agentmem.long_term.write.similar import MAX_LINKS, Similar
from langchain_agentmem.long_term.write.weighing import trust_of
from langchain_agentmem.policies.purposes import are_apart
from langchain_agentmem.types import Candidate, Memory

MAX_DOUBTED: Final = 3
"""What one statement leaves out of date of its neighbours, at most: what seems to change more says little of each."""


def with_doubted(
    similar: Similar, candidate: Candidate, met: Iterable[Memory], user_id: str, several: frozenset[str]
) -> Similar:
    """Return neighbours with those disputed that a candidate likely leaves out of date, and no rule judged.

    Who is believed less than a memory throws no doubt on it.

    Args:
        similar: Neighbours as rules judged them.
        candidate: What is said now.
        met: What of the neighbours may be in doubt.
        user_id: Whose they are.
        several: Relations of which there may be many: one is no news of another.
    """
    judged = {it.id for it in (*similar.duplicates, *similar.conflicts, *similar.narrower, *similar.disputed)}
    found = doubted(candidate, [it for it in met if it.id not in judged], user_id, several)
    if not found:
        return similar
    ids = {it.id for it in found}
    related = [*found, *(it for it in similar.related if it.id not in ids)]
    return replace(similar, disputed=[*similar.disputed, *found], related=related[:MAX_LINKS])


def doubted(candidate: Candidate, met: Iterable[Memory], user_id: str, several: frozenset[str]) -> list[Memory]:
    """Return what a candidate likely leaves out of date of what no rule judged, the likeliest first; see above."""
    if candidate.kind not in JUDGED:
        return []
    trust, new = trust_of(candidate), _in_own_words(candidate, user_id)
    told = several & relations_of(candidate)
    chances = [
        (chance_outdated(_in_own_words(it, user_id), new), it)
        for it in met
        if it.kind in JUDGED
        and it.status == "active"
        and it.trust <= trust
        and not are_apart(candidate, it)
        and told.isdisjoint(relations_of(it))
    ]
    likely = [(chance, it.id, it) for chance, it in chances if chance >= LIKELY]
    return [it for _, _, it in nlargest(MAX_DOUBTED, likely)]


def weigh_ahead(candidate: Candidate, known: Iterable[Memory], user_id: str) -> None:
    """Weigh a candidate against neighbours, which is remembered: nobody has to wait for it in a transaction."""
    if candidate.kind in JUDGED:
        new = _in_own_words(candidate, user_id)
        for memory in known:
            chance_outdated(_in_own_words(memory, user_id), new)


def _in_own_words(record: Candidate | Memory, user_id: str) -> str:
    told = filter(None, (speaker_of(record),))
    return in_own_words(record.content, names_of_id(user_id), [*told])

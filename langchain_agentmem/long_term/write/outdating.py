"""Which neighbours a statement likely leaves out of date where no rule can tell: they are marked, and stay in force."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from heapq import nlargest
from typing import Final

from langchain_agentmem.english.endings.in_doubt import put_in_doubt, tells_of_change
from langchain_agentmem.english.endings.outdating import LIKELY, chance_outdated
from langchain_agentmem.english.people.own_words import in_own_words, names_of_id, speaker_of
from langchain_agentmem.ledger.base import LedgerReader, Page
from langchain_agentmem.long_term.write.contradicting import JUDGED, relations_of
from langchain_agentmem.long_term.write.lifting import MAX_FACTS
from langchain_agentmem.long_term.write.similar import MAX_LINKS, Similar
from langchain_agentmem.long_term.write.weighing import trust_of
from langchain_agentmem.policies.purposes import are_apart
from langchain_agentmem.types import Candidate, Kind, Memory

MAX_DOUBTED: Final = 3
"""What one statement leaves out of date of its neighbours, at most: what seems to change more says little of each."""

_HELD: Final[tuple[Kind, ...]] = ("fact", "preference")
"""Of these kinds is what somebody has, is and does."""


def may_be_in_doubt(reader: LedgerReader, candidate: Candidate, user_id: str) -> Sequence[Memory]:
    """Return what a candidate that tells of a change may put in doubt, and share no word with it: all that is held."""
    if candidate.kind not in JUDGED or not tells_of_change(_in_own_words(candidate, user_id)):
        return ()
    return reader.page(Page(kinds=_HELD, limit=MAX_FACTS))


def with_doubted(
    similar: Similar,
    candidate: Candidate,
    met: tuple[Iterable[Memory], Iterable[Memory]],
    user_id: str,
    several: frozenset[str],
) -> Similar:
    """Return neighbours with those disputed that a candidate likely leaves out of date, and no rule judged.

    Who is believed less than a memory throws no doubt on it.

    Args:
        similar: Neighbours as rules judged them.
        candidate: What is said now.
        met: What of the neighbours may be in doubt, and what may be so only by a change that is told.
        user_id: Whose they are.
        several: Relations of which there may be many: one is no news of another.
    """
    judged = {it.id for it in (*similar.duplicates, *similar.conflicts, *similar.narrower, *similar.disputed)}
    near, far = ([it for it in some if it.id not in judged] for some in met)
    found = doubted(candidate, near, user_id, several, far)
    if not found:
        return similar
    ids = {it.id for it in found}
    related = [*found, *(it for it in similar.related if it.id not in ids)]
    return replace(similar, disputed=[*similar.disputed, *found], related=related[:MAX_LINKS])


def doubted(
    candidate: Candidate,
    met: Iterable[Memory],
    user_id: str,
    several: frozenset[str],
    far: Iterable[Memory] = (),
) -> list[Memory]:
    """Return what a candidate likely leaves out of date of what no rule judged, the likeliest first; see above.

    What is far is in doubt only by a change that is told, and not weighed: it is not known before the transaction, and
    nobody has to wait for that in it.
    """
    if candidate.kind not in JUDGED:
        return []
    near, beyond = ([it for it in some if _may_be_doubted(it, candidate, several)] for some in (met, far))
    new, told = _in_own_words(candidate, user_id), [_in_own_words(it, user_id) for it in (*near, *beyond)]
    changed = {*put_in_doubt(new, told)}
    chances = [1.0 if place in changed else chance_outdated(it, new) for place, it in enumerate(told[: len(near)])]
    chances += [float(place in changed) for place in range(len(near), len(told))]
    likely = [(chance, it.id, it) for chance, it in zip(chances, (*near, *beyond), strict=True) if chance >= LIKELY]
    return [it for _, _, it in nlargest(MAX_DOUBTED, likely)]


def _may_be_doubted(memory: Memory, candidate: Candidate, several: frozenset[str]) -> bool:
    """Whether a candidate may throw doubt on a memory at all, by whom it is of and what it is for."""
    return (
        memory.kind in JUDGED
        and memory.status == "active"
        and memory.trust <= trust_of(candidate)
        and not are_apart(candidate, memory)
        and (several & relations_of(candidate)).isdisjoint(relations_of(memory))
    )


def weigh_ahead(candidate: Candidate, known: Iterable[Memory], user_id: str) -> None:
    """Weigh a candidate against neighbours, which is remembered: nobody has to wait for it in a transaction."""
    if candidate.kind in JUDGED:
        new, told = _in_own_words(candidate, user_id), [_in_own_words(it, user_id) for it in known]
        put_in_doubt(new, told)
        for text in told:
            chance_outdated(text, new)


def _in_own_words(record: Candidate | Memory, user_id: str) -> str:
    told = filter(None, (speaker_of(record),))
    return in_own_words(record.content, names_of_id(user_id), [*told])

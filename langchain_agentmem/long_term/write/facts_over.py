"""Which facts a candidate says to be over, wholly or in part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from langchain_agentmem.english.endings.appointments import tells_day
from langchain_agentmem.english.endings.denied_part import is_part_denied
from langchain_agentmem.english.endings.endings import ended_by, ending_in, may_be_death
from langchain_agentmem.english.people.own_words import speaker_of
from langchain_agentmem.english.people.several import Several, several_in
from langchain_agentmem.english.reading.profile_fields import field_of
from langchain_agentmem.english.reading.statements import parse_statement
from langchain_agentmem.long_term.write.further_claims import further_claims
from langchain_agentmem.types import Candidate, Kind, Memory

_HELD: Final[frozenset[Kind]] = frozenset({"fact", "preference", "constraint"})
"""Kinds of memory that may hold several things."""


_ENDED: Final[frozenset[Kind]] = frozenset({"fact", "goal"})
"""Kinds of memory that one ends and may end: who is back from Rome is not going there in May."""


class Remainder(NamedTuple):
    """What remains of a memory of which a part is over, each thing in words; `can_stand`: they are sure to be right."""

    texts: tuple[str, ...]
    can_stand: bool


_UNTOLD: Final = Remainder((), can_stand=False)
"""Something remains, in no words that rules can find."""


class Over(NamedTuple):
    """What is over of some memories, by their ids: the whole of each, or a part."""

    wholly: frozenset[str] = frozenset()
    partly: Mapping[str, Remainder] = {}


def is_over_by(candidate: Candidate) -> bool:
    """Whether a candidate says that a thing, a life, a couple or a job is over."""
    return candidate.kind in _ENDED and ending_in(candidate.content, speaker_of(candidate)) is not None


def may_be_over(memory: Memory) -> bool:
    """Whether something may come to be over by what one says: what one has to keep to only where it is of a day."""
    return memory.kind in _ENDED or (memory.kind == "constraint" and tells_day(memory.content))


def moves_day(candidate: Candidate) -> bool:
    """Whether a candidate says on which other day something is to be."""
    ending = ending_in(candidate.content, speaker_of(candidate)) if candidate.kind in _ENDED else None
    return ending is not None and ending.tells_day


def is_end(candidate: Candidate) -> bool:
    """Whether it tells that something ended, and not only how it is by now, as any statement does."""
    ending = ending_in(candidate.content, speaker_of(candidate)) if candidate.kind in _ENDED else None
    return ending is not None and not ending.is_state


def is_same_death(candidate: Candidate, memory: Memory) -> bool:
    """Whether both tell that the same one died."""
    if not (may_be_death(candidate.content) and may_be_death(memory.content)):
        return False
    new, old = (ending_in(it.content, speaker_of(it)) if it.kind == "fact" else None for it in (candidate, memory))
    return new is not None and old is not None and new.is_death_of(old)


def facts_over(candidate: Candidate, neighbours: Sequence[Memory]) -> Over:
    """Return which facts a candidate says to be over; of several that it may mean, none."""
    if not is_over_by(candidate):
        return Over()
    facts = [it for it in neighbours if may_be_over(it) and it.content != candidate.content]
    several = {it.id: found for it in facts if (found := several_in(it.content)) is not None}
    told = [(it.id, text) for it in facts for text in _told(it, several.get(it.id))]
    places = ended_by(candidate.content, [text for _, text in told], speaker_of(candidate))
    over = {told[place] for place in places}
    rests = {
        id_: rest
        for id_, it in several.items()
        if (rest := _rest(it, [text for of, text in over if of == id_])) is not None
    }
    return Over(frozenset(id_ for id_, _ in over) - rests.keys(), rests)


def rest_beside(candidate: Candidate, memory: Memory, relation_of: Callable[[Memory], str]) -> Remainder | None:
    """Return what remains of a memory where only a part of it is contradicted; `None` where all of it is, or nothing.

    Args:
        candidate: What is new.
        memory: May hold several things.
        relation_of: Tells how a memory stands to what is new.
    """
    if memory.kind not in _HELD:
        return None
    several = several_in(memory.content) if field_of(memory) is None else None
    rest = _rest(several, _in_conflict(several, memory, relation_of)) if several is not None else None
    return rest or (_UNTOLD if _denies(candidate) and is_part_denied(memory.content, candidate.content) else None)


def held_against(
    candidate: Candidate, memory: Memory, rest: Remainder, contradicts: Callable[[Candidate, Memory], bool]
) -> Remainder:
    """Return what remains of a memory once the further claims of what ended a part are held against it; or nothing.

    Args:
        candidate: What is new.
        memory: A part of it is over.
        rest: What remains beside the first claim.
        contradicts: Whether a claim says that a part is over, or tells it otherwise.
    """
    claims = further_claims(candidate) if rest.can_stand else ()
    told = ((it, _part(memory, it)) for it in rest.texts)
    return rest._replace(texts=tuple(it for it, part in told if not any(contradicts(new, part) for new in claims)))


def _in_conflict(several: Several, memory: Memory, relation_of: Callable[[Memory], str]) -> list[str]:
    return [it for it in _texts(several) if relation_of(_part(memory, it)) == "conflict"]


def _part(memory: Memory, text: str) -> Memory:
    return replace(memory, content=text, relation=None, object=None)


def _denies(candidate: Candidate) -> bool:
    """Whether a candidate only says that something is not, or no longer so."""
    return is_end(candidate) or parse_statement(candidate.content).negations > 0


def _told(memory: Memory, several: Several | None) -> tuple[str, ...]:
    return (memory.content,) if several is None else _texts(several)


def _texts(several: Several) -> tuple[str, ...]:
    return (*several.parts, *several.implied)


def _rest(several: Several, over: Sequence[str]) -> Remainder | None:
    left = tuple(it for it in several.parts if it not in over)
    return Remainder(left, several.can_stand) if over and left else None

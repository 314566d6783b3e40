"""From memories to a graph: pure, the same memories always give the same graph."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, NamedTuple, TypeAlias

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._stand_ins import is_stand_in
from langchain_agentmem.english.people.aliases import Mention, Naming, Statement, resolve
from langchain_agentmem.english.reading.naming import USER, key_of, role_in
from langchain_agentmem.english.reading.relations import (
    DIFFERENT_FROM,
    ROLES,
    SAME_AS,
    Relations,
    type_of_object,
    type_of_subject,
)
from langchain_agentmem.english.reading.triples import Triple
from langchain_agentmem.entities.graph import EntityGraph
from langchain_agentmem.entities.records import Entity, EntityRelation
from langchain_agentmem.types import Memory

_SURE: Final = 2
"""Votes of a relation that only one sort of thing has; where somebody lives, a company may be based as well."""

_SAID: Final = {SAME_AS: "said", DIFFERENT_FROM: "apart"}
_OWN_WORDS: Final = lazy_pattern(r"(?:I(?:'\w+)?|my (?P<mine>[\w'-]+)) ", re.IGNORECASE)
_Place: TypeAlias = tuple[str, str, str | None, str | None]


class Told(NamedTuple):
    """A memory that counts, and what it states."""

    memory: Memory
    triples: tuple[Triple, ...]


def project(told: Iterable[Told], relations: Relations, revision: int) -> EntityGraph:
    """Return the graph that memories in force make.

    A relation of something to itself is none: its memory stays, and names the entity.
    """
    ordered = sorted(told, key=lambda it: (it.memory.created_at, it.memory.id))
    naming = resolve(_mentions(ordered), list(_statements(ordered)))
    drawn: dict[_Place, EntityRelation] = {}
    mentioned: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for it in ordered:
        for place in _places(it, naming):
            mentioned[place[0]][it.memory.id] = None
            if place[2] is not None:
                mentioned[place[2]][it.memory.id] = None
            if place[0] != place[2] and place[1] not in _SAID:
                drawn[place] = _drawn(drawn.get(place), place, it.memory, relations)
    found = _with_rivals(drawn.values())
    return EntityGraph(
        entities=_entities(naming, ordered, mentioned), relations=found, naming=naming, revision=revision
    )


def _mentions(told: Sequence[Told]) -> Iterator[Mention]:
    for it in told:
        for triple in it.triples:
            yield Mention(triple.subject, type_of_subject(triple.relation))
            if triple.relation in ROLES:
                yield Mention(_role_name(triple), "person")
            if not triple.is_value:
                yield Mention(triple.object, type_of_object(triple.relation))


def _statements(told: Sequence[Told]) -> Iterator[Statement]:
    own = {name: it.memory.id for it in reversed(told) if (name := _own_name(it.memory)) is not None}
    yield from (Statement(USER, name, "user_name", memory_id) for name, memory_id in own.items())
    for it in told:
        for triple in it.triples:
            memory_id = it.memory.id
            if triple.is_value:
                continue  # no name
            if triple.relation in _SAID:
                yield Statement(triple.subject, triple.object, _SAID[triple.relation], memory_id)
            elif triple.relation == "name":
                rule = "user_name" if key_of(triple.subject) == USER else "named"
                yield Statement(triple.subject, triple.object, rule, memory_id)
            elif triple.relation == "email":
                yield Statement(triple.object, triple.subject, "email", memory_id)
            elif triple.relation in ROLES:
                yield Statement(_role_name(triple), triple.object, "role", memory_id)


def _own_name(memory: Memory) -> str | None:
    """Return how a memory calls the user, where their own words prove it: "Ana lives in Oslo" for "I live in Oslo"."""
    name, said = memory.subject, _OWN_WORDS.match(memory.provenance.evidence or "")
    if name is None or said is None or memory.provenance.speaker != "user":
        return None
    if key_of(name) == USER or is_stand_in(name):
        return None
    opening = f"{name} " if said["mine"] is None else f"{name}'s {said['mine']}"
    return name if memory.content.startswith(opening) else None


def _role_name(triple: Triple) -> str:
    """Return how a role is called: "Tom's boss"."""
    owner = "the user" if key_of(triple.subject) == USER else triple.subject
    return f"{owner}'s {triple.relation}"


def _places(told: Told, naming: Naming) -> Iterator[_Place]:
    for triple in told.triples:
        subject = naming.entity[key_of(triple.subject)]
        if triple.is_value:
            yield subject, triple.relation, None, triple.object
        else:
            yield subject, triple.relation, naming.entity[key_of(triple.object)], None


def _drawn(known: EntityRelation | None, place: _Place, memory: Memory, relations: Relations) -> EntityRelation:
    """Return a relation with one more memory that says it: true for as long as any of them says."""
    subject, relation, other, value = place
    if known is None:
        return EntityRelation(
            subject=subject,
            relation=relation,
            object=other,
            value=value,
            memory_ids=(memory.id,),
            confidence=memory.confidence,
            status=memory.status,
            cardinality=relations.cardinality(relation),
            valid_at=memory.valid_at,
            invalid_at=memory.invalid_at,
            created_at=memory.created_at,
            expired_at=memory.expired_at,
        )
    if memory.id in known.memory_ids:
        return known
    return replace(
        known,
        memory_ids=(*known.memory_ids, memory.id),
        confidence=max(known.confidence, memory.confidence),
        status="active" if "active" in {known.status, memory.status} else known.status,
        valid_at=_earliest(known.valid_at, memory.valid_at),
        invalid_at=_latest(known.invalid_at, memory.invalid_at),
        expired_at=_latest(known.expired_at, memory.expired_at),
    )


def _earliest(one: datetime | None, other: datetime | None) -> datetime | None:
    return None if one is None or other is None else min(one, other)


def _latest(one: datetime | None, other: datetime | None) -> datetime | None:
    return None if one is None or other is None else max(one, other)


def _with_rivals(drawn: Iterable[EntityRelation]) -> tuple[EntityRelation, ...]:
    """Mark relations that have one object at a time and stand with several."""
    found = sorted(drawn, key=lambda it: (it.subject, it.relation, it.object or "", it.value or ""))
    groups: defaultdict[tuple[str, str], list[EntityRelation]] = defaultdict(list)
    for it in found:
        if it.cardinality == "one":
            groups[it.subject, it.relation].append(it)
    rivals = {
        id(it): tuple(memory_id for other in group if other is not it for memory_id in other.memory_ids)
        for group in groups.values()
        for it in group
    }
    return tuple(replace(it, rivals=rivals[id(it)]) if rivals.get(id(it)) else it for it in found)


def _entities(naming: Naming, told: Sequence[Told], mentioned: Mapping[str, Mapping[str, None]]) -> dict[str, Entity]:
    types = _types(naming, told)
    candidates: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for it in naming.candidates:
        one, other = naming.entity[key_of(it.name)], naming.entity[key_of(it.other)]
        candidates[one][naming.shown[other]] = None
        candidates[other][naming.shown[one]] = None
    return {
        head: Entity(
            id=head,
            name=names[0],
            type=types.get(head),
            aliases=names[1:],
            memory_ids=tuple(mentioned[head]),
            candidates=tuple(candidates.get(head, ())),
        )
        for head, names in sorted(naming.names.items())
        if mentioned.get(head)
    }


def _sort_of_object(triple: Triple) -> tuple[str, str | None]:
    return triple.object, None if triple.is_value else type_of_object(triple.relation)


def _types(naming: Naming, told: Sequence[Told]) -> dict[str, str]:
    """Return what each entity is: as relations tell most often, else as was said of it."""
    votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    said: dict[str, str] = {}
    for triple in (triple for it in told for triple in it.triples):
        for name, kind in ((triple.subject, type_of_subject(triple.relation)), _sort_of_object(triple)):
            if kind is not None:
                votes[naming.entity[key_of(name)]][kind] += 1 if triple.relation == "lives_in" else _SURE
        if triple.relation == "is_a" and triple.is_value:
            said[naming.entity[key_of(triple.subject)]] = triple.object
        if role_in(triple.subject) is not None:
            votes[naming.entity[key_of(triple.subject)]]["person"] += 1
    chosen = {head: min(found, key=lambda it: (-found[it], it)) for head, found in votes.items()}
    return {USER: "person", **said, **chosen}

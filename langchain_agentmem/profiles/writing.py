"""Fields, preferences and facts of a profile, written as memories on the one path there is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from langchain_agentmem._checks import MAX_TAGS
from langchain_agentmem._flow import Flow
from langchain_agentmem.english.reading.profile_fields import (
    FACT_TAG,
    PREFERENCES,
    USER,
    claim_of,
    decoded,
    encoded,
    field_of,
    is_about_user,
    name_in,
    relation_of,
    sentence_of,
    shown,
    tag_of,
)
from langchain_agentmem.english.reading.statements import canonical_relation
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.write.changing import Changing
from langchain_agentmem.long_term.write.similar import NOTHING_BESIDE, Beside
from langchain_agentmem.long_term.write.writing import Writing
from langchain_agentmem.profiles.interactions import Interactions
from langchain_agentmem.profiles.projecting import by_weight
from langchain_agentmem.profiles.views import ProfileViews
from langchain_agentmem.types import Candidate, Decision, Memory, MemoryMode, Scope, Source
from langchain_agentmem.types.scope import check_scope

_ADDED: Final = "added to the profile"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileParts:
    """What profiles are composed of."""

    parts: Parts
    searching: Searching
    views: ProfileViews
    interactions: Interactions


class Said(NamedTuple):
    """How something was come by, and what the turn allows."""

    source: Source
    confidence: float
    mode: MemoryMode | None


class FieldWriting:
    """Writes to profiles."""

    def __init__(self, made_of: ProfileParts) -> None:
        """Compose."""
        self._parts = made_of.parts
        self._views = made_of.views
        self._writing = Writing(made_of.parts, made_of.searching)
        self._changing = Changing(made_of.parts, made_of.searching, self._writing)

    def write(self, field: str, value: Any, scope: Scope, said: Said) -> Flow[Decision]:  # noqa: ANN401  (any JSON value)
        """Remember that a field has a value; whoever said otherwise of it is held against this, and nothing is missed.

        What the user or the application says themselves corrects what was known.
        """
        candidate = Candidate(
            content=sentence_of(field, shown(value)),
            kind="preference" if field.startswith(PREFERENCES) else "fact",
            source=said.source,
            confidence=said.confidence,
            subject=USER,
            relation=relation_of(field),
            object=encoded(value),
            tags=(tag_of(field),),
        )
        check_scope(scope)
        beside = yield from self._beside(field, encoded(value), scope, said)
        candidate = replace(candidate, is_correction=said.source == "explicit" and bool(beside.rivals))
        return (yield from self._remember(candidate, scope, said, beside))

    def add_fact(self, text: str, scope: Scope, said: Said) -> Flow[Decision]:
        """Remember a sentence about the user; where it is known already, it becomes a part of the profile."""
        candidate = Candidate(
            content=text, source=said.source, confidence=said.confidence, subject=USER, tags=(FACT_TAG,)
        )
        decision = yield from self._remember(candidate, check_scope(scope), said, NOTHING_BESIDE)
        known = decision.memory
        if decision.verdict != "merged" or known is None or _is_in_profile(known) or len(known.tags) >= MAX_TAGS:
            return decision
        revised = yield from self._changing.revise(known.id, scope, _ADDED, {"tags": (*known.tags, FACT_TAG)})
        return decision if revised.memory is None else replace(decision, memory=revised.memory)

    def _remember(self, candidate: Candidate, scope: Scope, said: Said, beside: Beside) -> Flow[Decision]:
        writing = self._writing.remember(candidate, scope, said.mode, beside)
        return (yield from self._parts.watch.write("remember", writing, scope))

    def _beside(self, field: str, text: str, scope: Scope, said: Said) -> Flow[Beside]:
        """Return the memories that say the field, those of another value, and how to find what is about to."""
        if scope.is_anonymous or self._parts.effective_mode(scope, said.mode) != "on":
            return NOTHING_BESIDE
        view = yield from self._views.open(scope, self._parts.may_read)
        relations = {canonical_relation(field): field}
        name = name_in(by_weight(view.memories.values(), scope.agent_id))
        claims = ((claim_of(it, relations, name), it.id) for it in view.memories.values())
        found = {memory_id: claim.text for claim, memory_id in claims if claim is not None and claim.field == field}
        rivals = frozenset(memory_id for memory_id, other in found.items() if encoded(decoded(other)) != text)
        return Beside(tuple(found), view.head.seq, rivals)


def _is_in_profile(memory: Memory) -> bool:
    is_told = FACT_TAG in memory.tags or field_of(memory) is not None
    return is_told or memory.kind == "preference" or is_about_user(memory)

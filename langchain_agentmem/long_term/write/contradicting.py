"""What a judge finds contradicted among a candidate's neighbours, before the transaction that decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem._search import Proposal
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.write.similar import Beside, compare, statement_of
from langchain_agentmem.long_term.write.weighing import is_live
from langchain_agentmem.types import Candidate, Kind, Memory, Scope

JUDGED: Final[frozenset[Kind]] = frozenset({"fact", "preference", "constraint"})
"""What says how things are; an outcome is past, and goals end by rules of their own."""


def with_rivals(
    parts: Parts, candidate: Candidate, scope: Scope, proposals: Sequence[Proposal], beside: Beside
) -> Flow[Beside]:
    """Return what a candidate is held against, with what a judge says it contradicts and no rule does.

    Asked are only its nearest neighbours that rules call near and different, as many as it may link; of a relation that
    was declared to have many objects, one contradicts no other.
    """
    if parts.judge is None or candidate.kind not in JUDGED or not proposals:
        return beside
    known = yield from parts.ledger.read(scope, lambda reader: reader.memories([it.memory_id for it in proposals]))
    near = _near(parts, candidate, scope, list(known.values()), proposals)
    if not near:
        return beside
    places = yield from parts.judge.contradicted_flow(candidate.content, [it.content for it in near])
    rivals = {near[place].id for place in places if 0 <= place < len(near)}
    return beside._replace(rivals=beside.rivals | rivals)


def _near(
    parts: Parts, candidate: Candidate, scope: Scope, known: Sequence[Memory], proposals: Sequence[Proposal]
) -> list[Memory]:
    now = parts.clock()
    cosines = {it.memory_id: cosine for it in proposals if (cosine := it.parts.get("vector")) is not None}
    live = [it for it in known if is_live(it, now) and it.kind == candidate.kind]
    similar = compare(candidate, live, cosines, (), parts.relations.functional)
    own = [it for it in similar.related if it.scope.agent_id in {None, scope.agent_id}]
    return [it for it in own if not parts.relations.several & relations_of(candidate) & relations_of(it)]


def relations_of(record: Candidate | Memory) -> frozenset[str]:
    """Return the relations that are told, by name or in words."""
    statement = statement_of(record)
    named = frozenset(it.relation for it in statement.facts)
    return named | {statement.relation} if statement.relation else named

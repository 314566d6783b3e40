"""What a new statement meets of what is known: looked for before the transaction that decides, and judged in it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem._search import Proposal, SearchFilter, SearchQuery
from langchain_agentmem._vectors import Vector
from langchain_agentmem.ledger.base import LedgerReader, Page
from langchain_agentmem.ledger.codec import to_micros
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.write.approval_questions import apart
from langchain_agentmem.long_term.write.draughts import Draughted
from langchain_agentmem.long_term.write.outdating import may_be_in_doubt, weigh_ahead, with_doubted
from langchain_agentmem.long_term.write.similar import (
    Similar,
    Waiting,
    compare,
    looked_for,
    may_end,
    of_same_value,
    statement_of,
)
from langchain_agentmem.long_term.write.taking_back import endings_undone
from langchain_agentmem.long_term.write.weighing import is_live, within_sight
from langchain_agentmem.types import Candidate, Memory, Scope

NEIGHBOURS: Final = 10
"""Stored memories in force that a candidate is held against, and as many that wait."""


class Neighbours:
    """Finds what a candidate is held against, and how each stands to it."""

    def __init__(self, parts: Parts, searching: Searching) -> None:
        """Compose."""
        self._parts = parts
        self._searching = searching

    def near(self, candidate: Candidate, scope: Scope, vector: Vector | None) -> Flow[list[Proposal]]:
        """Find the neighbours in force, and apart from them those that wait: however many, they hide none in force.

        What those in force say is read now, and remembered: nobody has to wait for that while the candidate is decided.
        """
        now, purposes = to_micros(self._parts.clock()) or 0, candidate.purposes or None
        met = SearchFilter(now=now, at=now, agent_id=scope.agent_id, statuses=("active",), purposes=purposes)
        query = SearchQuery(text=looked_for(candidate), vector=vector, filter=met, limit=NEIGHBOURS)
        proposals = [*(yield from self._searching.search(scope, query)).proposals]
        known, has_waiting = yield from self._parts.ledger.read(scope, partial(_known, proposals))
        for memory in known:
            statement_of(memory)
        weigh_ahead(candidate, known, scope.user_id)
        if has_waiting:
            waiting = replace(query, filter=replace(met, statuses=("pending",)))
            proposals += (yield from self._searching.search(scope, waiting)).proposals
        return proposals

    def of(self, reader: LedgerReader, draughted: Draughted) -> Similar:
        """Hold a candidate against what was proposed and written since; what waits for approval stands apart."""
        cosines = {proposal.memory_id: proposal.parts.get("vector") for proposal in draughted.proposals}
        ids, seen, rivals = draughted.beside
        undone = endings_undone(reader, draughted.candidate)
        neighbours = reader.memories({*cosines, *ids, *undone})
        since = draughted.seen if seen is None else min(seen, draughted.seen)
        neighbours |= {it.id: it for it in (*reader.changed(since), *of_same_value(reader, draughted.candidate))}
        far = {it.id: it for it in may_end(reader, draughted.candidate) if it.id not in neighbours}
        now = self._parts.clock()
        seen_by = {None, draughted.scope.agent_id}  # what agents share is held against nothing of one of them
        known_here = (it for it in (neighbours | far).values() if it.scope.agent_id in seen_by)
        live = [memory for memory in known_here if is_live(memory, now)]
        known = {memory_id: cosine for memory_id, cosine in cosines.items() if cosine is not None}
        given = (rivals | undone, self._parts.relations.functional)
        similar = within_sight(compare(draughted.candidate, live, known, *given, far=far), draughted.scope)
        user_id, several = draughted.scope.user_id, self._parts.relations.several
        held = may_be_in_doubt(reader, draughted.candidate, user_id)
        near = {it.id: it for it in live if it.id not in far}
        beyond = [it for it in held if it.id not in near and it.scope.agent_id in seen_by and is_live(it, now)]
        return apart(with_doubted(similar, draughted.candidate, (near.values(), beyond), user_id, several))

    def of_demanded(self, reader: LedgerReader, draughted: Draughted) -> Similar:
        """Return what stands beside what a caller demands: it replaces what it names or answers, and nothing else."""
        named, over = draughted.candidate.supersedes, reader.memories(draughted.answered).values()
        alone = replace(draughted, candidate=replace(draughted.candidate, is_correction=False))  # it corrects just that
        similar = without(self.of(reader, alone), {*named, *draughted.answered})
        still = [it for it in over if it.status == "active"]
        ended = compare(draughted.candidate, still, {}, (), self._parts.relations.functional)
        others = (*similar.conflicts, *similar.disputed)
        return Similar(
            conflicts=ended.conflicts, left=ended.left, disputed=others, related=others, waiting=similar.waiting
        )

    def left_of(self, candidate: Candidate, memories: Iterable[Memory]) -> Mapping[str, Sequence[str]]:
        """Return what is left of memories of which a candidate ends only a part, in words, by their ids."""
        return compare(candidate, memories, {}, (), self._parts.relations.functional).left


def without(similar: Similar, ids: Container[str]) -> Similar:
    """Return neighbours without some of them."""

    def others(memories: Iterable[Memory]) -> tuple[Memory, ...]:
        return tuple(it for it in memories if it.id not in ids)

    return replace(
        similar,
        duplicates=others(similar.duplicates),
        conflicts=others(similar.conflicts),
        related=others(similar.related),
        disputed=others(similar.disputed),
        waiting=Waiting(others(similar.waiting.same), others(similar.waiting.other)),
        narrower=others(similar.narrower),
    )


def _known(proposals: Iterable[Proposal], reader: LedgerReader) -> tuple[list[Memory], bool]:
    """Return the memories that were proposed, and whether any wait."""
    proposed = reader.memories([it.memory_id for it in proposals])
    return list(proposed.values()), bool(reader.page(Page(statuses=("pending",), limit=1)))

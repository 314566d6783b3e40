"""What a recall asks of the entity graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, Protocol

from langchain_agentmem._flow import Flow
from langchain_agentmem._search import Proposal
from langchain_agentmem.types import RecallQuery, Scope

ENTITY: Final = "entity"
"""Name of the signal, among the parts of a score."""

NEAREST: Final = 0.06
"""Relevance of a memory about an entity that the question names, if nothing else speaks for it; one relation away half
of it, which is as little as counts. On LoCoMo more of it costs (docs/entities.md): recall at 5 of facts found by words
is 56.4 % with this, 53.9 with 0.15, 44.7 with 0.3."""


class Relatives(Protocol):
    """Tells which memories stand near what a question names."""

    def related(self, query: RecallQuery, scope: Scope) -> Flow[dict[str, int]]:
        """Return how many relations each memory is away from an entity that the question names."""
        ...


def with_related(proposals: Sequence[Proposal], related: Mapping[str, int], *, only: bool) -> list[Proposal]:
    """Return proposals with those of the graph among them; a memory of both is the more relevant for it.

    Args:
        proposals: Of the index.
        related: Distances by memory id.
        only: Leave out what the graph does not know.
    """
    known = {it.memory_id: it for it in proposals}
    kept = [] if only else [it for it in proposals if it.memory_id not in related]
    return [
        *kept,
        *(_raised(known.get(it) or Proposal(memory_id=it, relevance=0.0), away) for it, away in related.items()),
    ]


def _raised(proposal: Proposal, away: int) -> Proposal:
    near = 1 / (1 + away)
    relevance = 1 - (1 - proposal.relevance) * (1 - NEAREST * near)
    return replace(proposal, relevance=relevance, parts={**proposal.parts, ENTITY: near})

"""Which memories stand near what a question names: a signal of recall."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.english.reading.naming import USER
from langchain_agentmem.entities.graph import EntityGraph
from langchain_agentmem.entities.views import EntityViews, Moment
from langchain_agentmem.policies.rulings import ConsentMode
from langchain_agentmem.types import RecallQuery, Scope

MAX_RELATED: Final = 200
"""Memories that the graph brings into one recall, the nearest first."""


class EntityRelatives:
    """Finds the memories about entities that a question names, and about those near them."""

    def __init__(self, views: EntityViews, clock: Callable[[], datetime], consent: ConsentMode = "required") -> None:
        """Compose."""
        self._views = views
        self._clock = clock
        self._consent = consent

    def related(self, query: RecallQuery, scope: Scope) -> Flow[dict[str, int]]:
        """Return how many relations each memory is away from an entity that the question names."""
        moment = Moment(at=query.as_of, purpose=query.purpose, min_confidence=query.min_confidence)
        graph = yield from self._views.graph(scope, moment, self._clock(), self._consent)
        return distances(graph, query.text, query.hops)


def distances(graph: EntityGraph, text: str, hops: int) -> dict[str, int]:
    """Return how far memories are from what a text names, the nearest first; no way leads through the user.

    Everything is one relation away from the user, so that a way through them would connect everything.
    """
    found: dict[str, int] = {}
    for distance, entity_id in graph.reached([it.id for it in graph.named_in(text)], hops, past=frozenset({USER})):
        for relation in graph.touching(entity_id):
            for memory_id in relation.memory_ids if entity_id != USER else ():
                found.setdefault(memory_id, distance)
        if len(found) >= MAX_RELATED:
            break
    return dict(list(found.items())[:MAX_RELATED])

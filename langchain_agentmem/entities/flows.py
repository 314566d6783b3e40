"""The flows behind `Entities`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from langchain_core.messages import BaseMessage

from langchain_agentmem._checks import check_text
from langchain_agentmem._flow import Flow, work
from langchain_agentmem._stand_ins import is_stand_in
from langchain_agentmem.english.reading.relations import Cardinality
from langchain_agentmem.english.reading.triples import triples_of
from langchain_agentmem.entities.graph import EntityGraph
from langchain_agentmem.entities.saying import checked_messages, said_alias, said_difference
from langchain_agentmem.entities.showing import shown_graph
from langchain_agentmem.entities.views import INLINE_MEMORIES, EntityViews, Moment
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.extraction import Extractor
from langchain_agentmem.extraction.record.attribution import after_reading
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.types import Candidate, Decision, MemoryMode, Scope
from langchain_agentmem.types.scope import check_scope

if TYPE_CHECKING:
    from langchain_agentmem.long_term.flows import LongTermFlows


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityParts:
    """What entities are composed of."""

    parts: Parts
    views: EntityViews
    long_term: LongTermFlows
    extractor: Callable[[], Extractor]


class EntityFlows:
    """What `Entities` promises, as flows."""

    def __init__(self, made_of: EntityParts) -> None:
        """Compose."""
        self._parts = made_of.parts
        self._views = made_of.views
        self._long_term = made_of.long_term
        self._extractor = made_of.extractor

    def cardinality(self, relation: str) -> Cardinality:
        """Return how many objects a subject has by a relation at a time."""
        return self._views.relations.cardinality(check_text("relation", relation))

    def graph(self, scope: Scope, moment: Moment, mode: MemoryMode | None = None) -> Flow[EntityGraph]:
        """Return the graph as it may be shown; see `Entities.graph`."""
        graph = yield from self._graph(scope, moment, mode)
        if len(graph) <= INLINE_MEMORIES:
            return shown_graph(graph, self._parts.sensitive, scope)
        return (yield from work(shown_graph, graph, self._parts.sensitive, scope))

    def remember(self, candidate: Candidate, scope: Scope) -> Flow[Decision]:
        """Remember a relation."""
        return self._long_term.remember(candidate, check_scope(scope))

    def alias(self, name: str, other: str, scope: Scope, mode: MemoryMode | None) -> Flow[Decision]:
        """Remember that two names are one entity, which is called by the second."""
        self._check_kept((name, other), scope)
        graph = yield from self._graph(scope, Moment(), mode)
        return (yield from self._long_term.remember(said_alias(graph, name, other), scope, mode))

    def distinguish(self, name: str, other: str, scope: Scope, mode: MemoryMode | None) -> Flow[Decision]:
        """Remember that two names are different entities."""
        self._check_kept((name, other), scope)
        graph = yield from self._graph(scope, Moment(), mode)
        return (yield from self._long_term.remember(said_difference(graph, name, other), scope, mode))

    def extract(
        self, messages: Sequence[BaseMessage], scope: Scope, user_name: str | None
    ) -> Flow[tuple[Decision, ...]]:
        """Remember the relations that a conversation states."""
        check_scope(scope)
        extraction = yield from self._extractor().extract_flow(checked_messages(messages), user_name=user_name)
        decisions: list[Decision] = []
        for candidate in filter(
            triples_of, after_reading(extraction.candidates, messages)
        ):  # a comprehension cannot wait
            decisions.append((yield from self._long_term.remember(candidate, scope)))  # noqa: PERF401  (likewise)
        return tuple(decisions)

    def _check_kept(self, names: Iterable[str], scope: Scope) -> None:
        """Refuse names of which nothing would be kept that tells anybody apart.

        Raises:
            ConfigurationError: One is, or a policy makes of it, what stands in the place of a value.
        """
        owner = check_scope(scope)
        for name in names:
            kept = self._parts.sensitive.protect(check_text("name", name), "facts", scope=owner).text
            if is_stand_in(kept):
                msg = (
                    f"{kept!r} stands in the place of a sensitive value and is no name; pass the name by which they are"
                    " called, or the value under a policy that keeps it"
                )
                raise ConfigurationError(msg)

    def _graph(self, scope: Scope, moment: Moment, mode: MemoryMode | None) -> Flow[EntityGraph]:
        if check_scope(scope).is_anonymous:
            return EntityGraph(status="anonymous")
        if self._parts.effective_mode(scope, mode) == "off":
            return EntityGraph(status="off")
        asked = replace(moment, purpose=moment.purpose or self._parts.purpose)
        view = yield from self._views.open(scope) if asked.known_at is None else self._views.past(scope, asked.known_at)
        if not self._parts.may_read(view.head.consent, asked.purpose):
            return EntityGraph(status="no_consent")
        allowed = self._parts.consented(view.head.consent)
        return (yield from self._views.draw(view, asked, self._parts.clock(), allowed))

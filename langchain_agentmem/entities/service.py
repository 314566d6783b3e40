"""The entity graph as callers see it: read from the ledger, asked per scope, corrected by memories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from langchain_core.messages import BaseMessage

from langchain_agentmem._checks import check_instance, check_text, check_time
from langchain_agentmem._flow import arun, run
from langchain_agentmem.english.reading.relations import Cardinality
from langchain_agentmem.entities.flows import EntityFlows, EntityParts
from langchain_agentmem.entities.graph import EntityGraph
from langchain_agentmem.entities.records import AliasExplanation, Entity, EntityPath, EntityRelation, Neighbour
from langchain_agentmem.entities.saying import said_relation
from langchain_agentmem.entities.views import Moment
from langchain_agentmem.types import Decision, MemoryMode, Scope, Source
from langchain_agentmem.types.paging import DEFAULT_LIMIT, Order, Page, Place, check_limit

if TYPE_CHECKING:
    import networkx as nx


_RANKED: Final = Order("entities.list", (int, str, str))


class Entities:
    """Who and what a user's memories are about, and how that hangs together.

    The graph is a projection of long-term memory and is stored nowhere else: subject, relation and object of each
    memory, and what rules read in its words. What is forgotten or erased is gone from it; a correction supersedes.
    Without consent, with memory off and of a visitor it is empty, and `graph(...).status` says why.

    Times are those of memories: `at` asks what was true of the world, `known_at` what this system believed then.

    Raises (every method): `ScopeError` for anything but a `Scope`, `ConfigurationError` for an argument outside its
    range, `StorageError` when the database fails.
    """

    def __init__(self, made_of: EntityParts) -> None:
        """Compose; made by `AgentMemory`."""
        self._flows = EntityFlows(made_of)

    # ------------------------------------------------------------------------------------------------------------ read
    def graph(
        self,
        scope: Scope,
        *,
        at: datetime | None = None,
        known_at: datetime | None = None,
        purpose: str | None = None,
        mode: MemoryMode | None = None,
    ) -> EntityGraph:
        """Return the whole graph, which answers every question below, and exports itself, without waiting.

        Args:
            scope: Whose.
            at: What was true then; `None`: now.
            known_at: As it was known then, forgotten since or not, as the log tells it; `None`: as it is known now.
            purpose: What it is for; memories that name purposes are used only for those.
            mode: Stricter than the memory's own mode for this call: `off` reads nothing.
        """
        return run(self._flows.graph(scope, moment(at, known_at, purpose), mode))

    async def agraph(
        self,
        scope: Scope,
        *,
        at: datetime | None = None,
        known_at: datetime | None = None,
        purpose: str | None = None,
        mode: MemoryMode | None = None,
    ) -> EntityGraph:
        """Return the whole graph; see `graph`."""
        return await arun(self._flows.graph(scope, moment(at, known_at, purpose), mode))

    def get(self, name: str, *, scope: Scope, at: datetime | None = None) -> Entity | None:
        """Return the entity of a name; `None` where there is none, or where several could be meant."""
        return run(self._flows.graph(scope, moment(at))).get(name)

    async def aget(self, name: str, *, scope: Scope, at: datetime | None = None) -> Entity | None:
        """Return the entity of a name; see `get`."""
        return (await arun(self._flows.graph(scope, moment(at)))).get(name)

    def list(
        self,
        scope: Scope,
        *,
        type: str | None = None,
        at: datetime | None = None,
        limit: int = DEFAULT_LIMIT,
        cursor: str | None = None,
    ) -> Page[Entity]:
        """Return entities, those that most memories name first.

        Args:
            scope: Whose.
            type: Only of this sort, for example `person`.
            at: What was known to be true then; `None`: now.
            limit: At most so many, up to 1,000.
            cursor: Of the page before.
        """
        which = _Listed(type, check_limit(limit), _RANKED.start(cursor))
        return which.of(run(self._flows.graph(scope, moment(at))))

    async def alist(
        self,
        scope: Scope,
        *,
        type: str | None = None,
        at: datetime | None = None,
        limit: int = DEFAULT_LIMIT,
        cursor: str | None = None,
    ) -> Page[Entity]:
        """Return entities; see `list`."""
        which = _Listed(type, check_limit(limit), _RANKED.start(cursor))
        return which.of(await arun(self._flows.graph(scope, moment(at))))

    def about(self, name: str, *, scope: Scope, at: datetime | None = None) -> tuple[EntityRelation, ...]:
        """Return every relation of an entity, and what is said of it."""
        return run(self._flows.graph(scope, moment(at))).about(name)

    async def aabout(self, name: str, *, scope: Scope, at: datetime | None = None) -> tuple[EntityRelation, ...]:
        """Return every relation of an entity; see `about`."""
        return (await arun(self._flows.graph(scope, moment(at)))).about(name)

    def neighbours(
        self, name: str, *, scope: Scope, depth: int = 1, relation: str | None = None, at: datetime | None = None
    ) -> tuple[Neighbour, ...]:
        """Return the entities at most `depth` relations away, the nearest first; see `EntityGraph.neighbours`."""
        return run(self._flows.graph(scope, moment(at))).neighbours(name, depth=depth, relation=relation)

    async def aneighbours(
        self, name: str, *, scope: Scope, depth: int = 1, relation: str | None = None, at: datetime | None = None
    ) -> tuple[Neighbour, ...]:
        """Return the entities near another; see `neighbours`."""
        return (await arun(self._flows.graph(scope, moment(at)))).neighbours(name, depth=depth, relation=relation)

    def paths(
        self, one: str, other: str, *, scope: Scope, max_length: int = 3, at: datetime | None = None
    ) -> tuple[EntityPath, ...]:
        """Return ways from one entity to another, the shortest first; see `EntityGraph.paths`."""
        return run(self._flows.graph(scope, moment(at))).paths(one, other, max_length=max_length)

    async def apaths(
        self, one: str, other: str, *, scope: Scope, max_length: int = 3, at: datetime | None = None
    ) -> tuple[EntityPath, ...]:
        """Return ways from one entity to another; see `paths`."""
        return (await arun(self._flows.graph(scope, moment(at)))).paths(one, other, max_length=max_length)

    def subgraph(
        self, names: Sequence[str], *, scope: Scope, depth: int = 1, at: datetime | None = None
    ) -> EntityGraph:
        """Return the graph around some entities; see `EntityGraph.subgraph`."""
        return run(self._flows.graph(scope, moment(at))).subgraph(names, depth=depth)

    async def asubgraph(
        self, names: Sequence[str], *, scope: Scope, depth: int = 1, at: datetime | None = None
    ) -> EntityGraph:
        """Return the graph around some entities; see `subgraph`."""
        return (await arun(self._flows.graph(scope, moment(at)))).subgraph(names, depth=depth)

    def to_networkx(self, scope: Scope, *, at: datetime | None = None) -> nx.MultiDiGraph[str]:
        """Return the graph for algorithms; see `EntityGraph.to_networkx`."""
        return run(self._flows.graph(scope, moment(at))).to_networkx()

    async def ato_networkx(self, scope: Scope, *, at: datetime | None = None) -> nx.MultiDiGraph[str]:
        """Return the graph for algorithms; see `to_networkx`."""
        return (await arun(self._flows.graph(scope, moment(at)))).to_networkx()

    def draw(self, scope: Scope, *, at: datetime | None = None, ax: Any = None) -> Any:  # noqa: ANN401  (matplotlib's)
        """Draw the graph, for a notebook; see `EntityGraph.draw`."""
        return run(self._flows.graph(scope, moment(at))).draw(ax)

    async def adraw(self, scope: Scope, *, at: datetime | None = None, ax: Any = None) -> Any:  # noqa: ANN401  (likewise)
        """Draw the graph; see `draw`."""
        return (await arun(self._flows.graph(scope, moment(at)))).draw(ax)

    def explain_alias(self, name: str, *, scope: Scope) -> AliasExplanation:
        """Return which entity a name means, why each of its names is its own, and what else it might mean."""
        return run(self._flows.graph(scope, Moment())).explain_alias(name)

    async def aexplain_alias(self, name: str, *, scope: Scope) -> AliasExplanation:
        """Return which entity a name means, and why; see `explain_alias`."""
        return (await arun(self._flows.graph(scope, Moment()))).explain_alias(name)

    def cardinality(self, relation: str) -> Cardinality:
        """Return how many objects a subject has by a relation at a time; `relations=` of `AgentMemory` declares it."""
        return self._flows.cardinality(relation)

    # ----------------------------------------------------------------------------------------------------------- write
    def alias(self, name: str, other: str, *, scope: Scope, mode: MemoryMode | None = None) -> Decision:
        """Remember that two names are one entity, which is called by the second.

        A memory like any other: `long_term.why` explains it, `forget` undoes it and `restore` brings it back.

        Args:
            name: The other name ("Bob"). `other`: by which it is known ("Robert Berg").
            other: See `name`.
            scope: Whose.
            mode: Stricter than the memory's own mode for this call: `frozen` or `off` refuse.

        Raises:
            ConfigurationError: They are the same name, were called the same already, also by a chain of aliases, or
                were told apart: the message names the memory to forget first. Or one of them is masked (`[email]`), or
                would be by the policy for sensitive data, and tells nobody apart.
        """
        return run(self._flows.alias(name, other, scope, mode))

    async def aalias(self, name: str, other: str, *, scope: Scope, mode: MemoryMode | None = None) -> Decision:
        """Remember that two names are one entity; see `alias`."""
        return await arun(self._flows.alias(name, other, scope, mode))

    def distinguish(self, name: str, other: str, *, scope: Scope, mode: MemoryMode | None = None) -> Decision:
        """Remember that two names are different entities, so that no rule takes them for one.

        Raises:
            ConfigurationError: They are the same name, were told apart already, or were said to be the same; or one of
                them is masked, or would be.
        """
        return run(self._flows.distinguish(name, other, scope, mode))

    async def adistinguish(self, name: str, other: str, *, scope: Scope, mode: MemoryMode | None = None) -> Decision:
        """Remember that two names are different entities; see `distinguish`."""
        return await arun(self._flows.distinguish(name, other, scope, mode))

    def relate(
        self,
        subject: str,
        relation: str,
        object: str,
        *,
        scope: Scope,
        source: Source = "explicit",
        confidence: float = 0.9,
    ) -> Decision:
        """Remember a relation; of one that has one object at a time, another object supersedes the one before.

        Args:
            subject: Name of an entity; `user` for the user.
            relation: In words ("works at"); the usual spellings of a relation are one.
            object: Name of an entity, or what is said of the subject.
            scope: Whose.
            source: `explicit` where the user or the application says so, `inferred` where something concluded it.
            confidence: In [0, 1]; below 0.7 it is refused by default.

        Raises:
            ConfigurationError: A relation of something to itself, a name over 200 characters, or one with NUL.
        """
        candidate = said_relation(subject, relation, object, source, confidence)
        return run(self._flows.remember(candidate, scope))

    async def arelate(
        self,
        subject: str,
        relation: str,
        object: str,
        *,
        scope: Scope,
        source: Source = "explicit",
        confidence: float = 0.9,
    ) -> Decision:
        """Remember a relation; see `relate`."""
        candidate = said_relation(subject, relation, object, source, confidence)
        return await arun(self._flows.remember(candidate, scope))

    def extract(
        self, messages: Sequence[BaseMessage], *, scope: Scope, user_name: str | None = None
    ) -> tuple[Decision, ...]:
        """Remember the relations that a conversation states: found by the model, or by rules where there is none.

        Each is a candidate like any other, and the write policy decides.

        Args:
            messages: The conversation.
            scope: Whose.
            user_name: What to call the user in memories.
        """
        return run(self._flows.extract(messages, scope, user_name))

    async def aextract(
        self, messages: Sequence[BaseMessage], *, scope: Scope, user_name: str | None = None
    ) -> tuple[Decision, ...]:
        """Remember the relations that a conversation states; see `extract`."""
        return await arun(self._flows.extract(messages, scope, user_name))


def moment(at: datetime | None = None, known_at: datetime | None = None, purpose: str | None = None) -> Moment:
    """Return a moment of times from outside.

    Raises:
        ConfigurationError: A time is none, or naive; or the purpose is no text.
    """
    return Moment(
        at=None if at is None else check_time("at", at),
        known_at=None if known_at is None else check_time("known_at", known_at),
        purpose=None if purpose is None else check_text("purpose", purpose),
    )


@dataclass(frozen=True, slots=True)
class _Listed:
    """Which entities are listed, checked before any I/O; see `Entities.list`."""

    type: str | None
    limit: int
    after: Place | None

    def __post_init__(self) -> None:
        if self.type is not None:
            check_instance("type", self.type, str)

    def of(self, graph: EntityGraph) -> Page[Entity]:
        """Return them, those that most memories name first."""
        found = sorted((it for it in graph if self.type is None or it.type == self.type), key=_rank)
        behind = found if self.after is None else [it for it in found if _rank(it) > self.after]
        return _RANKED.page(behind, self.limit, _rank)


def _rank(entity: Entity) -> Place:
    return -len(entity.memory_ids), entity.name.casefold(), entity.id

"""`EntityGraph`: entities and relations of one user, as of one moment; everything asked of it waits for nothing."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from langchain_agentmem._checks import check_count, check_text
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.people.aliases import AMBIGUOUS, REASONS, AliasCandidate, AliasLink, Naming
from langchain_agentmem.english.reading.naming import MAX_NAME_CHARS, USER, key_of, role_in
from langchain_agentmem.english.reading.statements import canonical_relation
from langchain_agentmem.english.words.calendar_words import MONTHS
from langchain_agentmem.english.words.lexicon import MARKERS, STOP
from langchain_agentmem.entities import drawing, exporting
from langchain_agentmem.entities.records import (
    AliasExplanation,
    Entity,
    EntityPath,
    EntityRelation,
    GraphStatus,
    Neighbour,
)
from langchain_agentmem.errors import ConfigurationError

if TYPE_CHECKING:
    import networkx as nx

MAX_DEPTH: Final = 10
"""Relations from an entity: nobody is further from anybody in one user's memories."""

MAX_PATHS: Final = 100
MAX_LENGTH: Final = 6
"""Relations of a path at most: the number of paths multiplies with each, and longer ones say nothing."""

_LONGEST_NAME: Final = 6
_TOO_COMMON: Final = STOP | MARKERS.keys() | frozenset(MONTHS)
_WORDS: Final = lazy_pattern(r"[\w.@+#/&-]+(?:'s?(?=\s|$))?|'s")


class _Meant(NamedTuple):
    """Whom a name may mean that no memory says, by which rule, and which memory that follows from."""

    entity_id: str
    rule: str
    memory_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class EntityGraph:
    """What is known of entities, and how they are related.

    Attributes:
        entities: By id, in its order. `relations`: in the order of subject, relation and object.
        status: Why it is empty, where that is not because nothing is known.
        revision: Of the ledger that it was read from.
    """

    entities: Mapping[str, Entity] = field(default_factory=dict, repr=False)
    relations: tuple[EntityRelation, ...] = ()
    naming: Naming = field(default_factory=lambda: Naming({}, {}, {}), repr=False)
    status: GraphStatus = "ok"
    revision: int = 0

    def __len__(self) -> int:
        """Return the number of entities."""
        return len(self.entities)

    def __iter__(self) -> Iterator[Entity]:
        """Iterate over the entities, in the order of their ids."""
        return iter(self.entities.values())

    # ------------------------------------------------------------------------------------------------------------- ask
    def get(self, name: str) -> Entity | None:
        """Return the entity of a name; `None` where there is none, or where several could be meant.

        Raises:
            ConfigurationError: The name is no text that can be one.
        """
        key = checked_name(name)
        known = self.naming.entity.get(key)
        if known is not None:
            return self.entities.get(known)
        found = self._unsaid(key)
        return self.entities[found[0].entity_id] if len(found) == 1 else None

    def neighbours(self, name: str, *, depth: int = 1, relation: str | None = None) -> tuple[Neighbour, ...]:
        """Return the entities at most so many relations away, the nearest first, then by name.

        Args:
            name: Where to begin; what is unknown has no neighbours.
            depth: Relations, 1 to 10.
            relation: Only along this one, in either direction.

        Raises:
            ConfigurationError: An argument is outside its range.
        """
        check_count("depth", depth, 1, MAX_DEPTH)
        start = self.get(name)
        if start is None:
            return ()
        wanted = None if relation is None else canonical_relation(check_text("relation", relation))
        found = self._around(start.id, depth, wanted)
        near = (
            Neighbour(entity=self.entities[it], distance=distance, relations=tuple(steps))
            for it, (distance, steps) in found.items()
        )
        return tuple(sorted(near, key=lambda it: (it.distance, it.entity.name.casefold(), it.entity.id)))

    def paths(self, one: str, other: str, *, max_length: int = 3, limit: int = 20) -> tuple[EntityPath, ...]:
        """Return ways from one entity to another that visit nothing twice, the shortest first.

        Args:
            one: Where they begin. `other`: where they end.
            other: See `one`.
            max_length: Relations of a path, 1 to 6.
            limit: Paths at most, 1 to 100.

        Raises:
            ConfigurationError: An argument is outside its range.
        """
        check_count("max_length", max_length, 1, MAX_LENGTH)
        check_count("limit", limit, 1, MAX_PATHS)
        start, end = self.get(one), self.get(other)
        if start is None or end is None or start.id == end.id:
            return ()
        found: list[EntityPath] = []
        for path in self._ways(start.id, end.id, max_length):
            found.append(path)
            if len(found) == limit:
                break
        return tuple(found)

    def subgraph(self, names: Iterable[str], *, depth: int = 1) -> EntityGraph:
        """Return the graph around some entities: they, what is at most `depth` relations away, and all between.

        Args:
            names: Unknown ones are passed over.
            depth: Relations, 0 to 10.

        Raises:
            ConfigurationError: An argument is outside its range.
        """
        check_count("depth", depth, 0, MAX_DEPTH)
        kept: set[str] = set()
        for entity in map(self.get, names):
            if entity is not None:
                kept |= {entity.id, *(self._around(entity.id, depth) if depth else ())}
        relations = tuple(
            it for it in self.relations if it.subject in kept and (it.object is None or it.object in kept)
        )
        return replace(self, entities={it: self.entities[it] for it in sorted(kept)}, relations=relations)

    def about(self, name: str) -> tuple[EntityRelation, ...]:
        """Return every relation of an entity, and what is said of it."""
        entity = self.get(name)
        return () if entity is None else self.touching(entity.id)

    def named_in(self, text: str) -> tuple[Entity, ...]:
        """Return the entities that a text names, the user aside; of an ambiguous name, all that it may mean."""
        words = _WORDS.findall(text.replace("’", "'"))
        found: dict[str, None] = {}
        place = 0
        while place < len(words):
            length, ids = self._longest(words[place : place + _LONGEST_NAME])
            found |= dict.fromkeys(ids)
            place += max(1, length)
        return tuple(self.entities[it] for it in found if it != USER)

    def explain_alias(self, name: str) -> AliasExplanation:
        """Return which entity a name means, why each of its names is its own, and what else it might mean.

        Raises:
            ConfigurationError: The name is no text that can be one.
        """
        key, entity = checked_name(name), self.get(name)
        meant = None if entity is None else entity.id
        links = tuple(it for it in self.naming.links if meant is not None and self._entity_of(it.name) == meant)
        candidates = tuple(
            it
            for it in self.naming.candidates
            if {key_of(it.name), key_of(it.other)} & {key} or meant in self._ends(it)
        )
        for it in [] if key in self.naming.entity else self._unsaid(key):
            other = self.entities[it.entity_id].name
            if entity is not None:
                links = (*links, AliasLink(name, other, it.rule, REASONS[it.rule], it.memory_id))
            else:
                candidates = (*candidates, AliasCandidate(name, other, "ambiguous", AMBIGUOUS))
        return AliasExplanation(name=name, entity=entity, links=links, candidates=candidates)

    # ---------------------------------------------------------------------------------------------------------- export
    def to_networkx(self) -> nx.MultiDiGraph[str]:
        """Return a `networkx.MultiDiGraph`: a node per entity, an edge per relation between two, with all they carry.

        What is said of an entity is a list in the node's `facts`. Needs the extra `graph`.
        """
        return exporting.to_networkx(self.entities, self.relations)

    def to_graphml(self) -> str:
        """Return the graph as GraphML, which Gephi, yEd and networkx read; every value is escaped as XML wants it.

        What XML cannot hold is left out of values, and written as escapes in ids.
        """
        return exporting.to_graphml(self.entities, self.relations)

    def to_cypher(self) -> str:
        """Return statements that build the graph in a database that speaks Cypher; every value is an escaped literal.

        Running them twice makes nothing twice.
        """
        return exporting.to_cypher(self.entities, self.relations)

    def draw(self, ax: Any = None, *, seed: int = 7) -> Any:  # noqa: ANN401  (matplotlib's, which is not always there)
        """Draw the graph with matplotlib, for a notebook; needs the extra `graph`, and matplotlib.

        Args:
            ax: Axes to draw on; `None`: a new figure.
            seed: Of the layout: the same graph looks the same.

        Returns:
            The axes.
        """
        return drawing.draw(self.entities, self.relations, ax, seed)

    # --------------------------------------------------------------------------------------------------------- walking
    @cached_property
    def _touching(self) -> dict[str, list[EntityRelation]]:
        found: defaultdict[str, list[EntityRelation]] = defaultdict(list)
        for it in self.relations:
            found[it.subject].append(it)
            if it.object is not None:
                found[it.object].append(it)
        return dict(found)

    @cached_property
    def _begun(self) -> dict[str, set[str]]:
        """Entities by the first word of each of their names."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        for key, head in self.naming.entity.items():
            if " " in key and head in self.entities:
                found[key.split()[0]].add(head)
        return dict(found)

    def _unsaid(self, key: str) -> list[_Meant]:
        """Return whom a name that no memory says may mean: who is called so, or stands in that role to one known."""
        return [_Meant(it, "short_name") for it in self._people_called(key)] or self._in_role(key)

    def _in_role(self, key: str) -> list[_Meant]:
        """Return who is meant by "Ana's sister", where Ana is the user, or by "my sister's boss"."""
        role = role_in(key)
        known = None if role is None else self.naming.entity.get(role[0])
        owners = [known] if known is not None else [it.entity_id for it in self._unsaid(role[0])] if role else []
        if role is None or len(owners) != 1:
            return []
        holders = (it for it in self.touching(owners[0]) if (it.subject, it.relation) == (owners[0], role[1]))
        return [_Meant(it.object, "role", it.memory_ids[0]) for it in holders if it.object is not None]

    def _people_called(self, key: str) -> list[str]:
        """Return the people whose name begins with a word."""
        return sorted(it for it in self._begun.get(key, ()) if self.entities[it].type == "person")

    def _entity_of(self, name: str) -> str | None:
        return self.naming.entity.get(key_of(name))

    def _ends(self, candidate: Any) -> set[str | None]:  # noqa: ANN401  (an AliasCandidate)
        return {self._entity_of(candidate.name), self._entity_of(candidate.other)}

    def touching(self, entity_id: str) -> tuple[EntityRelation, ...]:
        """Return the relations of the entity of an id, and what is said of it."""
        return tuple(self._touching.get(entity_id, ()))

    def reached(
        self, entity_ids: Iterable[str], hops: int, *, past: frozenset[str] = frozenset()
    ) -> list[tuple[int, str]]:
        """Return entities and those near them, each with how many relations it is away, the nearest first.

        Args:
            entity_ids: Where to begin.
            hops: Relations at most.
            past: Ids of entities that no way leads through.
        """
        found = dict.fromkeys(entity_ids, 0)
        edge = list(found)
        for distance in range(1, hops + 1):
            near = (
                it.object if it.subject == here else it.subject
                for here in edge
                if here not in past
                for it in self._touching.get(here, ())
            )
            edge = [it for it in dict.fromkeys(near) if it is not None and it not in found]
            found |= dict.fromkeys(edge, distance)
        return [(distance, it) for it, distance in found.items()]

    def _around(
        self, start: str, depth: int, relation: str | None = None
    ) -> dict[str, tuple[int, list[EntityRelation]]]:
        """Return what is near, with its distance and the relations by which it is reached first."""
        found: dict[str, tuple[int, list[EntityRelation]]] = {start: (0, [])}
        queue = deque([start])
        while queue:
            here = queue.popleft()
            distance = found[here][0] + 1
            if distance > depth:
                continue
            for it in self._touching.get(here, ()):
                there = it.object if it.subject == here else it.subject
                if there is None or (relation is not None and it.relation != relation):
                    continue
                if there not in found:
                    found[there] = (distance, [])
                    queue.append(there)
                if found[there][0] == distance:
                    found[there][1].append(it)
        del found[start]
        return found

    def _ways(self, start: str, end: str, max_length: int) -> Iterator[EntityPath]:
        """Yield simple paths, breadth first: a limit keeps the shortest. A step that cannot arrive is not taken."""
        left = {end: 0, **{it: distance for it, (distance, _) in self._around(end, max_length).items()}}
        queue: deque[tuple[tuple[str, ...], tuple[EntityRelation, ...]]] = deque([((start,), ())])
        while queue:
            visited, steps = queue.popleft()
            if visited[-1] == end:
                yield EntityPath(entities=tuple(self.entities[it] for it in visited), relations=steps)
                continue
            for it in self._touching.get(visited[-1], ()):
                there = it.object if it.subject == visited[-1] else it.subject
                if there is None or there in visited:
                    continue
                if len(steps) + 1 + left.get(there, max_length) <= max_length:
                    queue.append(((*visited, there), (*steps, it)))

    def _longest(self, words: list[str]) -> tuple[int, list[str]]:
        """Return of how many words the longest name is that begins here, and what it may mean."""
        for length in range(len(words), 0, -1):
            text = _joined(words[:length])
            ids = [it for it in self._meant(text) if it in self.entities]
            if ids and not (length == 1 and text.casefold() in _TOO_COMMON and not text[0].isupper()):
                return length, ids
        return 0, []

    def _meant(self, text: str) -> list[str]:
        key = key_of(text)
        known = self.naming.entity.get(key) or self.naming.entity.get(key_of(text.removesuffix("'s").removesuffix("'")))
        if known is None:
            return [it.entity_id for it in self._unsaid(key.removesuffix("'s"))]
        return [known, *(it for it in self._people_called(key.removesuffix("'s")) if it != known)]


def _joined(words: list[str]) -> str:
    return " ".join(words).replace(" 's", "'s").strip(".")


def checked_name(name: str) -> str:
    """Return the key of a name from outside.

    Raises:
        ConfigurationError: It is no text, empty, over 200 characters, of marks only, or holds NUL.
    """
    key = key_of(check_text("name", name, max_chars=MAX_NAME_CHARS))
    if not key:
        msg = "this is no name; pass one with a letter or a digit in it"
        raise ConfigurationError(msg)
    return key

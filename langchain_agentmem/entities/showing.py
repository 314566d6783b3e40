"""A graph as it may be shown: sensitive names and values masked, who is who and what relates them as it was drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeAlias

from langchain_agentmem.english.people.aliases import AliasCandidate, AliasLink, Naming, Statement
from langchain_agentmem.english.reading.naming import key_of
from langchain_agentmem.entities.graph import EntityGraph
from langchain_agentmem.entities.records import Entity, EntityRelation
from langchain_agentmem.policies.sensitive import SensitivePolicy
from langchain_agentmem.policies.sensitive_records import Protector
from langchain_agentmem.types import Scope

_Show: TypeAlias = Callable[[str], str]


def shown_graph(graph: EntityGraph, policy: SensitivePolicy, scope: Scope) -> EntityGraph:
    """Return a graph with every text in it as it may be shown; two whose names are shown alike stay two."""
    if policy.is_idle("shown"):
        return graph
    show = Protector(policy, "shown", scope).text
    hidden = _hidden(graph.naming, show)
    ids = _ids(graph.naming, hidden, show)
    return replace(
        graph,
        entities={ids[it.id]: _entity(it, ids[it.id], show) for it in graph},
        relations=tuple(_relation(it, ids, show) for it in graph.relations),
        naming=_naming(graph.naming, hidden, ids, show),
    )


def _hidden(naming: Naming, show: _Show) -> frozenset[str]:
    """Return the keys of names that are not shown as they are written."""
    written = ((key_of(form), form) for forms in naming.names.values() for form in forms)
    keys = ((key, key) for key in naming.entity)
    return frozenset(key for key, text in (*written, *keys) if show(text) != text)


def _ids(naming: Naming, hidden: frozenset[str], show: _Show) -> dict[str, str]:
    """Return the id of each entity: its key, or what is shown of it with a number."""
    numbered = {head: number for number, head in enumerate(sorted(hidden & naming.names.keys()), start=1)}
    return {head: f"{show(naming.shown[head])} {numbered[head]}" if head in numbered else head for head in naming.names}


def _entity(entity: Entity, entity_id: str, show: _Show) -> Entity:
    return replace(
        entity,
        id=entity_id,
        name=show(entity.name),
        type=entity.type and show(entity.type),
        aliases=_each(entity.aliases, show),
        candidates=_each(entity.candidates, show),
    )


def _each(texts: Iterable[str], show: _Show) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(show, texts)))


def _relation(relation: EntityRelation, ids: dict[str, str], show: _Show) -> EntityRelation:
    return replace(
        relation,
        subject=ids[relation.subject],
        object=None if relation.object is None else ids[relation.object],
        value=relation.value and show(relation.value),
    )


def _naming(naming: Naming, hidden: frozenset[str], ids: dict[str, str], show: _Show) -> Naming:
    """Return the names that may be asked for, and what was said of them."""
    return Naming(
        entity={key: ids[head] for key, head in naming.entity.items() if key not in hidden},
        shown={ids[head]: show(name) for head, name in naming.shown.items()},
        names={ids[head]: _each(forms, show) for head, forms in naming.names.items()},
        links=tuple(AliasLink(show(it.name), show(it.other), *it[2:]) for it in naming.links),
        candidates=tuple(AliasCandidate(show(it.name), show(it.other), *it[2:]) for it in naming.candidates),
        apart=tuple(Statement(show(it.name), show(it.other), *it[2:]) for it in naming.apart),
    )

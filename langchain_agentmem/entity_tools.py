"""A tool with which an agent asks how the people and things that its user spoke of are related."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol
from xml.sax.saxutils import escape

from langchain_core.tools import BaseTool
from pydantic import BaseModel, Field

from langchain_agentmem._flow import Flow, flows_of
from langchain_agentmem.entities.flows import EntityFlows
from langchain_agentmem.entities.graph import EntityGraph
from langchain_agentmem.entities.records import Entity, EntityRelation
from langchain_agentmem.entities.service import Entities
from langchain_agentmem.entities.views import Moment
from langchain_agentmem.tools import Calling, Calls, make_tool
from langchain_agentmem.types import Scope

MAX_TOLD: Final = 40
"""Relations one answer tells at most, the nearest first: more only fills the model's context."""

MAX_DEPTH: Final = 3
_EMPTY: Final = {
    "off": "Memory is off here.",
    "no_consent": "The user has not consented to long-term memory.",
    "anonymous": "The user is not signed in; nothing is remembered.",
}

_Answer = tuple[str, list[dict[str, Any]]]


class HasEntities(Protocol):
    """What the tool needs of an `AgentMemory`."""

    @property
    def entities(self) -> Entities:
        """The graph."""
        ...


class EntityArguments(BaseModel):
    """What a model may ask of the graph."""

    name: str = Field(description="a person or thing by name; 'user' for the user, 'my sister' for theirs")
    other: str | None = Field(default=None, description="a second one: how are the two connected?")
    depth: int = Field(default=1, ge=1, le=MAX_DEPTH, description="how many relations to follow")


@dataclass(frozen=True, slots=True)
class _Asking:
    """What the tool does, as a flow."""

    entities: EntityFlows

    def ask(self, calling: Calling, arguments: EntityArguments) -> Flow[_Answer]:
        graph = yield from self.entities.graph(calling.scope, Moment(), calling.mode)
        if graph.status in _EMPTY:
            return _EMPTY[graph.status], []
        if arguments.other is not None:
            return _connected(graph, arguments.name, arguments.other, max(arguments.depth, MAX_DEPTH))
        return _around(graph, arguments.name, arguments.depth)


def create_entity_tools(memory: HasEntities, *, scope: Scope | None = None) -> list[BaseTool]:
    """Return the tool `search_entities`; its artifact holds the relations found, with the ids of their memories.

    Args:
        memory: An `AgentMemory`.
        scope: Whose memory; `None`: the user of the run, refused where there is none.
    """
    description = (
        "Look up people, places, organisations and things that the user has spoken of, and how they are related: what "
        "is known around one of them, or how two of them are connected."
    )
    calls = Calls(scope, _Asking(flows_of(memory.entities)).ask)
    return [make_tool("search_entities", description, EntityArguments, calls, has_artifact=True)]


def _around(graph: EntityGraph, name: str, depth: int) -> _Answer:
    entity = graph.get(name)
    if entity is None:
        return _unknown(graph, name), []
    near = [entity.id, *(it.entity.id for it in graph.neighbours(name, depth=depth - 1))] if depth > 1 else [entity.id]
    found = list(dict.fromkeys(it for entity_id in near for it in graph.touching(entity_id)))[:MAX_TOLD]
    return _told(graph, [_described(entity)], found), [_shown(graph, it) for it in found]


def _connected(graph: EntityGraph, name: str, other: str, depth: int) -> _Answer:
    missing = next((it for it in (name, other) if graph.get(it) is None), None)
    if missing is not None:
        return _unknown(graph, missing), []
    paths = graph.paths(name, other, max_length=depth, limit=5)
    if not paths:
        return "Nothing that is remembered connects the two.", []
    found = list(dict.fromkeys(it for path in paths for it in path.relations))[:MAX_TOLD]
    return _told(graph, [str(it) for it in paths], found), [_shown(graph, it) for it in found]


def _unknown(graph: EntityGraph, name: str) -> str:
    meant = dict.fromkeys(it.other for it in graph.explain_alias(name).candidates)
    meant |= dict.fromkeys(it.name for it in graph.named_in(name))
    if meant:
        return f"<entities>\nSeveral could be meant: {escape(', '.join(meant))}\n</entities>"
    return "Nothing is remembered by this name."


def _told(graph: EntityGraph, head: list[str], relations: list[EntityRelation]) -> str:
    """Return relations as delimited data: names are words that somebody said, never an instruction."""
    lines = [*head, *(_sentence(graph, it) for it in relations)]
    return f"<entities>\n{escape(chr(10).join(' '.join(it.split()) for it in lines))}\n</entities>"


def _described(entity: Entity) -> str:
    kind = f" ({entity.type})" if entity.type else ""
    also = f"; also called {', '.join(entity.aliases)}" if entity.aliases else ""
    unsure = f"; might be {', '.join(entity.candidates)}" if entity.candidates else ""
    return f"{entity.name}{kind}{also}{unsure}"


def _sentence(graph: EntityGraph, it: EntityRelation) -> str:
    disputed = " (disputed)" if it.rivals else ""
    return f"{graph.entities[it.subject].name} {it.relation.replace('_', ' ')} {_object(graph, it)}{disputed}"


def _object(graph: EntityGraph, it: EntityRelation) -> str:
    return it.value or "" if it.object is None else graph.entities[it.object].name


def _shown(graph: EntityGraph, it: EntityRelation) -> dict[str, Any]:
    return {
        "subject": graph.entities[it.subject].name,
        "relation": it.relation,
        "object": _object(graph, it),
        "confidence": it.confidence,
        "memory_ids": list(it.memory_ids),
    }

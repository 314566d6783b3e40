"""What each layer of memory has for a turn: one function per layer, each of which may be missing or fail."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from langchain_core.messages import BaseMessage
from langgraph.errors import GraphBubbleUp

from langchain_agentmem._flow import Flow, flows_of, step
from langchain_agentmem.context.history import viewed
from langchain_agentmem.context.running_summary import summary_in
from langchain_agentmem.context.summaries import summaries_of
from langchain_agentmem.context.summary_buffer import SummaryBuffer
from langchain_agentmem.context.tiers import Entry
from langchain_agentmem.entities.records import EntityRelation
from langchain_agentmem.entities.service import Entities
from langchain_agentmem.entities.views import Moment
from langchain_agentmem.errors import AgentMemError, ScopeError
from langchain_agentmem.extraction.record.conversation import is_of_user
from langchain_agentmem.long_term import LongTermMemory
from langchain_agentmem.long_term.recall.asking import united
from langchain_agentmem.long_term.said.turns import episode_ids
from langchain_agentmem.planning.dialogue import dialogue_of
from langchain_agentmem.policies.enforce import ActionContext, in_force, told
from langchain_agentmem.procedural.service import ProceduralMemory
from langchain_agentmem.profiles.goals import Goals
from langchain_agentmem.profiles.service import Profiles
from langchain_agentmem.sessions.base import Sessions
from langchain_agentmem.types import Hit, MemoryMode, Recall, RecallQuery, Scope
from langchain_agentmem.working.service import WorkingMemory

MAX_RELATIONS: Final = 20
"""Of whom and what is named: as many lines as a profile has facts in its default budget."""

OK: Final = "ok"
EMPTY: Final = "empty"
MISSING: Final = "missing"
FAILED: Final = "failed"

LOGGER: Final = logging.getLogger("langchain_agentmem")


class Layered(Protocol):
    """What is needed of an `AgentMemory`; each layer is looked up in the turn, and may fail to be made."""

    @property
    def long_term(self) -> LongTermMemory:
        """Facts and turns of conversations."""
        ...

    @property
    def profiles(self) -> Profiles[Any]:
        """Who each user is."""
        ...

    @property
    def entities(self) -> Entities:
        """Who and what memories are about."""
        ...

    @property
    def goals(self) -> Goals:
        """What each user pursues."""
        ...

    @property
    def working(self) -> WorkingMemory:
        """The state of each task."""
        ...

    @property
    def procedural(self) -> ProceduralMemory:
        """Policies."""
        ...

    @property
    def _sessions(self) -> Sessions:
        """Conversations."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a turn is about.

    Args:
        messages: What is given: the user's words, or the conversation up to them.
        before: What was said before, as it is stored.
        query: What every recall is asked with. Its `text` is asked in place of the user's words, where it has one.
        shown: Ids of memories that stand in the prompt already.
    """

    scope: Scope
    messages: tuple[BaseMessage, ...] = field(repr=False)
    before: tuple[BaseMessage, ...] = field(default=(), repr=False)
    query: RecallQuery = field(default_factory=RecallQuery)
    mode: MemoryMode | None = None
    shown: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """What the user said last."""
        said = [*self.before, *self.messages]
        return self.query.text or next((it.text for it in reversed(said) if is_of_user(it)), "")


class Found(NamedTuple):
    """What a layer has: fields of `ContextParts`, and how it went."""

    parts: Mapping[str, Any] = {}
    status: str = OK
    recall: Recall = Recall()
    receipt_ids: tuple[str, ...] = ()


Read: TypeAlias = Callable[[Layered, Turn], Flow[Found]]


def attempt(layer: str, read: Callable[[], Flow[Found]]) -> Flow[Found]:
    """Return what a layer has, or in what way it failed: that costs the layer, never the turn.

    A missing user or session is no such failure, nor is an interrupt: they propagate.
    """
    try:
        return (yield from read())
    except (ScopeError, GraphBubbleUp):
        raise
    except Exception as error:  # noqa: BLE001  (whatever a database, an embedder or an extension raises)
        LOGGER.warning("the layer %s failed in this turn: %s", layer, type(error).__name__)
        detail = f": {error}" if isinstance(error, AgentMemError) else ""  # others may quote what they were given
        return Found(status=f"{FAILED}: {type(error).__name__}{detail}")


def read_conversation(sessions: Sessions, turn: Turn, buffer: SummaryBuffer) -> Flow[Found]:
    """Return the summary and the last messages of the scope's session, without those that are given anyway."""
    if turn.scope.session_id is None:
        return Found(status=MISSING)

    def tail(last: int | None) -> Flow[list[BaseMessage]]:
        return sessions.read(turn.scope, last=last)

    view = yield from viewed(buffer, tail, turn.scope, summaries_of(sessions), turn.messages)
    given = {message.id for message in turn.messages if message.id is not None}
    kept = tuple(message for message in view.messages if message.id not in given and not _is_summary(message))
    status = view.status if view.status != OK or kept or view.summary else EMPTY
    return Found({"summary": view.summary, "messages": kept}, status)


def read_policies(memory: Layered, turn: Turn) -> Flow[Found]:
    """Return the policies that bind the agent and its user, in words."""
    procedural = memory.procedural
    policies = yield from step(procedural.policies, procedural.apolicies)
    scope = turn.scope
    user = None if scope.is_anonymous else scope.user_id
    bound = in_force(policies, ActionContext(agent_id=scope.agent_id, user_id=user, tenant_id=scope.tenant_id))
    return Found({"policies": tuple(Entry(it.name, told(it)) for it in bound)}, OK if bound else EMPTY)


def read_profile(memory: Layered, turn: Turn) -> Flow[Found]:
    """Return the user's profile."""
    profile = yield from flows_of(memory.profiles).get(turn.scope, turn.query.purpose, turn.mode)
    if profile.status != OK or not profile.to_context():
        return Found(status=EMPTY if profile.status == OK else profile.status)
    return Found({"profile": profile})


def read_memories(memory: Layered, turn: Turn) -> Flow[Found]:
    """Return what is recalled for the user's words, and every constraint in force."""
    if turn.scope.is_anonymous:
        return Found(status="anonymous")
    if not turn.text.strip():
        return Found(status=EMPTY)
    said = [*turn.before, *turn.messages]
    last = max((place for place, it in enumerate(said) if is_of_user(it)), default=len(said))
    dialogue = dialogue_of(turn.text, said[:last])
    recalls = yield from flows_of(memory.long_term).recall_each(
        dialogue, replace(turn.query, text=""), turn.scope, turn.mode, without=episode_ids(said, turn.scope)
    )
    found = united(recalls, max_tokens=turn.query.max_tokens)
    shown = {hit.memory.id for hit in found.constraints}
    memories = tuple(hit for hit in found.hits if hit.memory.id not in shown)
    receipts = tuple(recall.receipt_id for recall in recalls if recall.receipt_id is not None)
    standing = tuple(sorted(found.constraints, key=_standing))
    return Found({"memories": memories, "constraints": standing}, found.status, found, receipts)


def read_entities(memory: Layered, turn: Turn) -> Flow[Found]:
    """Return what is known of whom and what the user names, and does not stand among the memories anyway."""
    entities = memory.entities
    graph = yield from flows_of(entities).graph(turn.scope, Moment(purpose=turn.query.purpose), turn.mode)
    named = [entity.id for entity in graph.named_in(turn.text)]
    names = {entity.id: entity.name for entity in graph} if named else {}
    relations = dict.fromkeys(
        it for each in named for it in graph.touching(each) if not turn.shown.issuperset(it.memory_ids)
    )
    items = tuple(Entry(it.memory_ids[0], _line(it, names)) for it in relations)[:MAX_RELATIONS]
    return Found({"entities": items}, graph.status if graph.status != OK or items else EMPTY)


def read_goal(memory: Layered, turn: Turn) -> Flow[Found]:
    """Return the goal to go on with."""
    query = RecallQuery(purpose=turn.query.purpose)
    pursued = yield from flows_of(memory.goals).pursued(turn.scope, turn.mode, query)
    goal = pursued.first
    return Found({"goal": goal}, EMPTY if pursued.status == OK and goal is None else pursued.status)


def read_working(memory: Layered, turn: Turn) -> Flow[Found]:
    """Return the state of the task in the scope's session."""
    if turn.scope.session_id is None:
        return Found(status=MISSING)
    working = flows_of(memory.working)
    if working.mode(turn.scope, turn.mode) == "off":
        return Found(status="off")
    stored = yield from working.load(turn.scope, turn.mode)
    return Found({"working": None if stored is None else stored.state}, EMPTY if stored is None else OK)


LAYERS: Final[Mapping[str, Read]] = {
    "policies": read_policies,
    "profile": read_profile,
    "memories": read_memories,
    "entities": read_entities,
    "goal": read_goal,
    "working": read_working,
}
"""Every layer beside the conversation itself, in the order in which they are read."""


def read_layers(memory: Layered, turn: Turn) -> Flow[dict[str, Found]]:
    """Return what every layer has for a turn, by its name."""
    found: dict[str, Found] = {}
    for name, read in LAYERS.items():
        found[name] = yield from attempt(name, partial(read, memory, turn))
        shown = (*found[name].recall.constraints, *found[name].recall.hits)
        turn = replace(turn, shown=turn.shown.union(hit.memory.id for hit in shown))
    return found


def _standing(hit: Hit) -> tuple[float, Any, str]:
    """Return by what constraints are ordered: the same from turn to turn, and the most important first."""
    return -hit.memory.importance, hit.memory.created_at, hit.memory.id


def _line(relation: EntityRelation, names: Mapping[str, str]) -> str:
    """Return a relation in words: "Nora works at Acme"."""
    ends = (relation.subject, relation.object)
    subject, object_ = (names.get(end, end) if end is not None else relation.value or "" for end in ends)
    return f"{subject} {relation.relation.replace('_', ' ')} {object_}"


def _is_summary(message: BaseMessage) -> bool:
    return summary_in(message) is not None

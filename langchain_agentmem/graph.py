"""`create_memory_graph`: the whole loop as a LangGraph graph."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore

from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.nodes import (
    Act,
    BeforeAction,
    DetectIntent,
    Evaluate,
    Forget,
    MemoryInput,
    MemoryParts,
    MemoryState,
    NodeSettings,
    Reason,
    Retrieve,
    Update,
    Write,
)
from langchain_agentmem.nodes.act import MAX_ROUNDS, pending_calls
from langchain_agentmem.nodes.intent import Detector
from langchain_agentmem.nodes.looking import memory_tool_names
from langchain_agentmem.nodes.reason import ToolLike
from langchain_agentmem.policies.intent import detect_intent
from langchain_agentmem.types import MemoryMode, RecallQuery, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphOptions:
    """What of a memory graph can be chosen; every default works.

    Args:
        query: What every recall is asked with: kinds, limit, token budget, purpose.
        prompt: Replaces the packaged prompt `respond`.
        detector: Reads the intent of a message; by rules unless replaced.
        before_action: May forbid a tool's call, given what memory knows about the action.
        unguarded: Names of tools that run without a look at memory.
        max_rounds: Rounds of tools in one turn.
        agent_id: The agent that acts; with it, its own memories and those shared by the user's agents.
        scope: Fixes the user, for a graph that serves one only.
        on_missing_user: `raise` a `ScopeError`, or go on as for an `anonymous` visitor.
        delegated: The mode of runs that a tool of another agent starts: what a "user" says there was written by a
            model, and by default nothing is learned from it.
        context_schema: Type of the run's context. `store`: LangGraph's store for the tools. `name`: of the graph.
    """

    query: RecallQuery = field(default_factory=RecallQuery)
    prompt: str | None = None
    detector: Detector = detect_intent
    before_action: BeforeAction | None = None
    unguarded: Collection[str] = ()
    max_rounds: int = MAX_ROUNDS
    agent_id: str | None = None
    scope: Scope | None = None
    on_missing_user: Literal["raise", "anonymous"] = "raise"
    delegated: MemoryMode = "frozen"
    context_schema: type[Any] | None = None
    store: BaseStore | None = None
    name: str = "memory_graph"

    def __post_init__(self) -> None:
        """Check the numbers."""
        if isinstance(self.max_rounds, bool) or not isinstance(self.max_rounds, int) or self.max_rounds < 1:
            msg = f"max_rounds must be an int of at least 1, got {self.max_rounds!r}; for example {MAX_ROUNDS}"
            raise ConfigurationError(msg)


def create_memory_graph(
    model: BaseChatModel,
    tools: Sequence[ToolLike] = (),
    memory: MemoryParts | None = None,
    *,
    checkpointer: BaseCheckpointSaver[Any] | bool | None = None,
    mode: MemoryMode = "on",
    options: GraphOptions | None = None,
) -> CompiledStateGraph[MemoryState, Any, MemoryInput, MemoryState]:
    """Return an agent with memory: detect_intent, retrieve, reason and act in turns, evaluate, write, update, forget.

    Memory changes after outcomes, never before. The user comes from the run (`context` or `configurable`), and a run
    without one is refused. When memory fails, the turn is answered all the same, and `memory["status"]` says
    `degraded`. The result's `memory` lists what was recalled, written, refused, updated and forgotten.

    With `AgentMemory.checkpointer` a thread is its user's; a run of another one is refused before it reads anything.
    Other checkpointers know a thread by its id alone: give each user threads of their own there, because whoever may
    name a thread reads its conversation.

    Args:
        model: A chat model.
        tools: What it may call.
        memory: An `AgentMemory`.
        checkpointer: Keeps the conversation; of memory's words only what tools of memory answer, which is part of it.
        mode: `frozen` reads only, `off` does neither; a turn may be stricter with `memory_mode` in its context or
            `configurable`.
        options: Everything else.

    Raises:
        ConfigurationError: There is no memory, the model takes no tools, or an option has an impossible value.

    Example:
        ```python
        graph = create_memory_graph(model, tools=[deploy], memory=memory)
        graph.invoke({"messages": [("user", "Deploy it.")]}, context={"user_id": "alice"})
        ```
    """
    if memory is None or not hasattr(memory, "long_term"):
        msg = f"memory must be an AgentMemory, got {type(memory).__name__}; for example AgentMemory.in_memory()"
        raise ConfigurationError(msg)
    options = options or GraphOptions()
    settings = NodeSettings(
        mode=mode,
        agent_id=options.agent_id,
        scope=options.scope,
        query=options.query,
        on_missing_user=options.on_missing_user,
        delegated=options.delegated,
    )
    builder = StateGraph(MemoryState, context_schema=options.context_schema, input_schema=MemoryInput)
    for node in _nodes(model, tools, memory, settings, options):
        builder.add_node(node.name, node)
    _wire(builder)
    return builder.compile(checkpointer=checkpointer, store=options.store, name=options.name)


def route_after_reason(state: Mapping[str, Any]) -> Literal["act", "evaluate"]:
    """Return where the loop goes after the model: to its tools, or on when it has answered."""
    return "act" if pending_calls(state["messages"]) else "evaluate"


def route_after_act(state: Mapping[str, Any]) -> Literal["reason", "evaluate"]:
    """Return where the loop goes after tools: back to the model, or on when the rounds are used up."""
    last: BaseMessage = state["messages"][-1]
    return "evaluate" if isinstance(last, AIMessage) else "reason"


def _nodes(
    model: BaseChatModel,
    tools: Sequence[ToolLike],
    memory: MemoryParts,
    settings: NodeSettings,
    options: GraphOptions,
) -> list[Any]:
    act = Act(
        tools,
        memory,
        before_action=options.before_action,
        max_rounds=options.max_rounds,
        unguarded=options.unguarded,
        settings=settings,
    )
    return [
        DetectIntent(detector=options.detector, settings=settings),
        Retrieve(memory, settings=settings),
        Reason(model, memory, tools=tools, prompt=options.prompt, settings=settings),
        act,
        Evaluate(memory, ignore=memory_tool_names(tools), settings=settings),
        Write(memory, settings=settings),
        Update(memory, settings=settings),
        Forget(memory, settings=settings),
    ]


def _wire(builder: StateGraph[MemoryState, Any, MemoryInput, MemoryState]) -> None:
    builder.add_edge(START, "detect_intent")
    builder.add_edge("detect_intent", "retrieve")
    builder.add_edge("retrieve", "reason")
    builder.add_conditional_edges("reason", route_after_reason)
    builder.add_conditional_edges("act", route_after_act)
    for source, target in (("evaluate", "write"), ("write", "update"), ("update", "forget"), ("forget", END)):
        builder.add_edge(source, target)

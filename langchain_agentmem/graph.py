"""`create_memory_graph`: the whole loop as a LangGraph graph."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore

from langchain_agentmem._checks import check_count
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.nodes import (
    Act,
    BeforeAction,
    DetectIntent,
    Evaluate,
    Forget,
    MemoryInput,
    MemoryOutput,
    MemoryParts,
    MemoryState,
    NodeSettings,
    Reason,
    Retrieve,
    Update,
    UpdateWorkingMemory,
    WorkingMemoryOutput,
    WorkingMemoryState,
    Write,
)
from langchain_agentmem.nodes.act import MAX_ROUNDS, pending_calls
from langchain_agentmem.nodes.intent import Detector
from langchain_agentmem.nodes.looking import memory_tool_names
from langchain_agentmem.nodes.reason import ToolLike
from langchain_agentmem.nodes.stopping import MAX_REFUSALS
from langchain_agentmem.nodes.turn import MAX_SKILLS
from langchain_agentmem.nodes.working import check_rewriter, working_of
from langchain_agentmem.policies.intent import detect_intent
from langchain_agentmem.types import MemoryMode, RecallQuery, Scope
from langchain_agentmem.working.contract import Rewriter

Builder: TypeAlias = StateGraph[Any, Any, MemoryInput, Any]
"""Of a memory graph, with or without working memory."""


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
        max_refusals: How often the same call may be refused for the same reason before the turn ends with that.
        skills: How many skills of procedural memory the model is shown at most, found by what the user asks; 0: none.
        goal: Show the model the goal that the user pursues, and how far it has come, in every turn.
        working: Keep working memory: the state of the conversation's task is shown to the model, and rewritten and
            stored when it has answered; in the state as `working` and `working_report`.
        rewriter: Rewrites it, for example a `ModelRewriter`; by rules unless given.
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
    max_refusals: int = MAX_REFUSALS
    skills: int = MAX_SKILLS
    goal: bool = True
    working: bool = False
    rewriter: Rewriter | None = None
    agent_id: str | None = None
    scope: Scope | None = None
    on_missing_user: Literal["raise", "anonymous"] = "raise"
    delegated: MemoryMode = "frozen"
    context_schema: type[Any] | None = None
    store: BaseStore | None = None
    name: str = "memory_graph"

    def __post_init__(self) -> None:
        """Check the numbers, and that a rewriter has something to rewrite."""
        check_count("max_refusals", self.max_refusals)
        check_rewriter(self.rewriter, is_used=self.working)
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
) -> CompiledStateGraph[MemoryState, Any, MemoryInput, MemoryOutput]:
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
        skills=options.skills,
        goal=options.goal,
        working=options.working,
    )
    state, output = (WorkingMemoryState, WorkingMemoryOutput) if options.working else (MemoryState, MemoryOutput)
    builder: Builder = StateGraph(
        state, context_schema=options.context_schema, input_schema=MemoryInput, output_schema=output
    )
    nodes = _nodes(model, tools, memory, settings, options)
    if options.working:
        nodes.append(UpdateWorkingMemory(working_of(memory), rewriter=options.rewriter, settings=settings))
    for node in nodes:
        builder.add_node(node.name, node)
    _wire(builder, [node.name for node in nodes])
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
        Reason(
            model,
            memory,
            tools=tools,
            prompt=options.prompt,
            max_refusals=options.max_refusals,
            settings=settings,
        ),
        act,
        Evaluate(memory, ignore=memory_tool_names(tools), prompt=options.prompt or "", settings=settings),
        Write(memory, settings=settings),
        Update(memory, settings=settings),
        Forget(memory, settings=settings),
    ]


def _wire(builder: Builder, names: Sequence[str]) -> None:
    builder.add_edge(START, "detect_intent")
    builder.add_edge("detect_intent", "retrieve")
    builder.add_edge("retrieve", "reason")
    builder.add_conditional_edges("reason", route_after_reason)
    builder.add_conditional_edges("act", route_after_act)
    after = names[names.index("evaluate") :]
    for source, target in pairwise([*after, END]):
        builder.add_edge(source, target)

"""`create_memory_graph`: the whole loop as a LangGraph graph."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore

from langchain_agentmem._checks import check_choice, check_count, check_options, given
from langchain_agentmem.checkpoint.runs import ForRuns
from langchain_agentmem.errors import ConfigurationError, ScopeError
from langchain_agentmem.identity import MODES
from langchain_agentmem.nodes import (
    Act,
    AgentOptions,
    Approve,
    Ask,
    AskConsent,
    DetectIntent,
    Evaluate,
    Forget,
    MemoryInput,
    MemoryOutput,
    MemoryState,
    Queue,
    Reason,
    Retrieve,
    Update,
    UpdateWorkingMemory,
    WorkingMemoryOutput,
    WorkingMemoryState,
    Write,
)
from langchain_agentmem.nodes.act import MAX_ROUNDS, is_answered, pending_calls
from langchain_agentmem.nodes.approving import ApprovingParts
from langchain_agentmem.nodes.intent import intent_of
from langchain_agentmem.nodes.looking import memory_tool_names
from langchain_agentmem.nodes.reason import ToolLike
from langchain_agentmem.nodes.settling import SettlingParts
from langchain_agentmem.nodes.turn import begin
from langchain_agentmem.nodes.working import working_of
from langchain_agentmem.types import MemoryMode

Builder: TypeAlias = StateGraph[Any, Any, MemoryInput, Any]
"""Of a memory graph, with or without working memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphOptions(AgentOptions):
    """What of a memory graph can be chosen; every default works.

    Args: those of `AgentOptions`, which the middleware has too, and
        max_rounds: Rounds of tools in one turn.
        context_schema: Type of the run's context.
        approvals: When a person is asked about what waits for approval: `later`, by whoever uses `memory.approvals`;
            `turn`: the run is interrupted, before it ends, with what this turn would have remembered (with
            `writes="inline"`); `user`: with all that waits for this user. Both need a checkpointer.
        store: LangGraph's store for the tools.
        name: Of the graph.
    """

    max_rounds: int = MAX_ROUNDS
    approvals: Literal["later", "turn", "user"] = "later"
    context_schema: type[Any] | None = None
    store: BaseStore | None = None
    name: str = "memory_graph"

    def __post_init__(self) -> None:
        """Check what can be checked before anything is built."""
        AgentOptions.__post_init__(self)
        check_count("max_rounds", self.max_rounds)
        check_choice("approvals", self.approvals, ("later", "turn", "user"))


def create_memory_graph(
    model: BaseChatModel,
    tools: Sequence[ToolLike] = (),
    memory: SettlingParts | None = None,
    *,
    checkpointer: BaseCheckpointSaver[Any] | bool | None = None,
    mode: MemoryMode = "on",
    options: GraphOptions | None = None,
) -> CompiledStateGraph[MemoryState, Any, MemoryInput, MemoryOutput]:
    """Return an agent with memory: detect_intent, retrieve, reason and act in turns, evaluate, write, update, forget.

    Memory changes after outcomes, never before: by default as a durable job behind the answer, with `writes="inline"`
    before the run ends, and then the result's `memory` lists what was written, refused and updated. The user comes from
    the run (`context` or `configurable`). A run without one is a visitor's, without long-term memory; with
    `on_missing_user="raise"` it is refused. When memory fails, the turn is answered all the same, and
    `memory["status"]` says `degraded`.

    With `AgentMemory.checkpointer` a thread is its user's; a run of another one is refused before it reads anything.
    Other checkpointers know a thread by its id alone: give each user threads of their own there, because whoever may
    name a thread reads its conversation. Where the database of a thread is away LangGraph raises, whatever graph it is:
    `AnsweringGraph(graph)` answers.

    Args:
        model: A chat model.
        tools: What it may call.
        memory: An `AgentMemory`.
        checkpointer: Keeps the conversation; of memory's words only what tools of memory answer, which is part of it.
        mode: As in the options; the stricter of both holds.
        options: Everything else; the middleware has the same, under the same names and with the same defaults.

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
    if not callable(getattr(model, "ainvoke", None)):
        msg = f"model must be a chat model, got {given(model)}; for example init_chat_model('provider:name')"
        raise ConfigurationError(msg)
    options = check_options(options, GraphOptions)
    check_choice("mode", mode, MODES)
    options = replace(options, mode=max(mode, options.mode, key=MODES.index))
    state, output = (WorkingMemoryState, WorkingMemoryOutput) if options.working else (MemoryState, MemoryOutput)
    builder: Builder = StateGraph(
        state, context_schema=options.context_schema, input_schema=MemoryInput, output_schema=output
    )
    nodes = [*_before(model, tools, memory, options), *_after(tools, memory, options)]
    for node in nodes:
        builder.add_node(node.name, node)
    direct = frozenset(it.name for it in tools if isinstance(it, BaseTool) and it.return_direct)
    _wire(builder, [node.name for node in nodes], options, direct)
    if options.on_missing_user == "raise" and options.scope is None and isinstance(checkpointer, ForRuns):
        checkpointer = checkpointer.requiring_user()  # the input is stored before the first node runs
    return builder.compile(checkpointer=checkpointer, store=options.store, name=options.name)


def _before(
    model: BaseChatModel, tools: Sequence[ToolLike], memory: SettlingParts, options: GraphOptions
) -> Iterator[Any]:
    """Yield the nodes up to the answer."""
    if options.consent_request is not None:
        yield AskConsent(memory, options.consent_request, options)
    yield DetectIntent(detector=options.detector, settings=options, memory=memory)
    yield Retrieve(memory, settings=options)
    yield Reason(model, memory, tools=tools, prompt=options.prompt, max_refusals=options.max_refusals, settings=options)
    yield Act(
        tools,
        memory,
        before_action=options.before_action,
        max_rounds=options.max_rounds,
        unguarded=options.unguarded,
        settings=options,
    )


def _after(tools: Sequence[ToolLike], memory: SettlingParts, options: GraphOptions) -> Iterator[Any]:
    """Yield the nodes behind the answer, in the order in which they run."""
    ignore = memory_tool_names(tools)
    yield Evaluate(memory, ignore=ignore, settings=options)
    yield Write(memory, settings=options)
    yield Update(memory, settings=options)
    yield Forget(memory, settings=options)
    yield Queue(memory, ignore=ignore, settings=options)
    if options.working:
        yield UpdateWorkingMemory(working_of(memory), rewriter=options.rewriter, settings=options)
    if options.approvals != "later":
        yield from _asking(memory, options)


def _asking(memory: SettlingParts, options: GraphOptions) -> Iterator[Any]:
    """Yield the nodes that wait for a person.

    Raises:
        ConfigurationError: The memory has no approvals.
    """
    if not isinstance(memory, ApprovingParts):
        msg = f"approvals={options.approvals!r} needs an AgentMemory, got {type(memory).__name__}"
        raise ConfigurationError(msg)
    if options.approvals == "user":
        yield Ask(memory, settings=options)
    yield Approve(memory, settings=options)


def _wire(builder: Builder, names: Sequence[str], options: GraphOptions, direct: Collection[str]) -> None:
    for source, target in pairwise([START, *names[: names.index("retrieve")]]):
        builder.add_edge(source, target)
    builder.add_edge("detect_intent", "retrieve")
    builder.add_edge("retrieve", "reason")

    def ending(state: Mapping[str, Any]) -> str:
        """Return where an answered turn goes: what follows is done, or waits."""
        return "evaluate" if options.writes == "inline" or _asks_to_forget(state, options) else "queue"

    def after_reason(state: Mapping[str, Any]) -> str:
        return "act" if pending_calls(state["messages"]) else ending(state)

    def after_act(state: Mapping[str, Any]) -> str:
        """Return to the model, or go on where the rounds are used up, or what the tools answered is the answer."""
        is_over = isinstance(state["messages"][-1], AIMessage) or is_answered(state["messages"], direct)
        return ending(state) if is_over else "reason"

    builder.add_conditional_edges("reason", after_reason, ["act", "evaluate", "queue"])
    builder.add_conditional_edges("act", after_act, ["reason", "evaluate", "queue"])
    after = names[names.index("evaluate") :]
    for source, target in pairwise([*after, END]):
        builder.add_edge(source, target)


def _asks_to_forget(state: Mapping[str, Any], options: GraphOptions) -> bool:
    """Whether the user asks to forget something in the turn that a state is of; it may have begun by `update_state`."""
    try:
        return intent_of(begin(state, None, options)).is_forget_request
    except ScopeError:  # an update of the state by somebody who names no user: the run that goes on will
        return bool(state.get("memory", {}).get("intent", {}).get("is_forget_request"))

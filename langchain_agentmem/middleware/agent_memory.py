"""`MemoryMiddleware`: memory in an agent made by LangChain's `create_agent`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from langchain.agents.middleware.internal_call_transformer import InternalCallTransformer, internal_call_metadata
from langchain.agents.middleware.types import (
    AgentMiddleware,
    AgentState,
    ExtendedModelResponse,
    ModelRequest,
    ToolCallRequest,
    TracePolicy,
    omit_payload,
)
from langchain_core.messages import ToolMessage
from langgraph.runtime import Runtime
from langgraph.types import Command

from langchain_agentmem._checks import check_known, check_options
from langchain_agentmem._flow import arun, run
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.extraction.proposing.structured import INTERNAL
from langchain_agentmem.middleware.options import MiddlewareOptions
from langchain_agentmem.middleware.running import AgentTurns
from langchain_agentmem.middleware.state import MemoryAgentState, WorkingAgentState
from langchain_agentmem.nodes.settling import SettlingParts
from langchain_agentmem.tools import create_memory_tools

INTERNAL["metadata"].update(internal_call_metadata())  # so that LangChain knows our calls of models for internal ones

ModelCall = Callable[[ModelRequest[Any]], Any]
ToolRun = Callable[[ToolCallRequest], Any]
"""Called in one colour, awaited in the other."""

ToolResult = ToolMessage | Command[Any]
Update = dict[str, Any] | None


class MemoryMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Gives an agent a memory of its user: recalled before it answers, asked before it acts, written after it.

    * Whose memory comes from the run (`context` or `configurable`). A run without a user is a visitor's, without
      long-term memory; with `on_missing_user="raise"` it is refused.
    * Before the first call of the model what the turn needs is recalled. It stands in the request alone, as data: what
      seldom changes in the system message, the rest right before the user's last message. No checkpoint holds it.
    * Before a tool runs, its past failures and every constraint are looked up. What the model had not seen holds the
      call once, so that it decides anew.
    * After the answer the turn is judged, and what it leaves is written by the write policy, as a durable job that any
      process may do (`memory.jobs.run()`), at the latest before the user's next recall.
    * One agent has one of it; agents that are to share memory, or to keep it apart, say so by `agent_id`.
    * When memory fails the agent answers all the same, and `memory["status"]` of the result says `degraded`.

    Args:
        memory: An `AgentMemory`.
        options: Everything else.

    Raises:
        ConfigurationError: It is no `AgentMemory`.

    Example:
        ```python
        agent = create_agent(model, tools=[deploy], middleware=[memory.middleware()], checkpointer=memory.checkpointer)
        agent.invoke({"messages": [("user", "Deploy it.")]}, config, context={"user_id": "alice"})
        ```
    """

    state_schema: type[AgentState[Any]] = MemoryAgentState
    trace_policy: TracePolicy | None = TracePolicy(process_inputs=omit_payload, process_outputs=omit_payload)
    transformers = (InternalCallTransformer,)

    def __init__(self, memory: SettlingParts, options: MiddlewareOptions | None = None) -> None:
        """Compose; nothing is opened yet."""
        super().__init__()
        if not hasattr(memory, "long_term"):
            msg = f"memory must be an AgentMemory, got {type(memory).__name__}; for example AgentMemory.in_memory()"
            raise ConfigurationError(msg)
        options = check_options(options, MiddlewareOptions)
        if options.working:
            self.state_schema = WorkingAgentState
        self.tools = create_memory_tools(memory, scope=options.scope) if options.tools else []
        self._turns = AgentTurns(memory, options, {tool.name for tool in self.tools})

    def before_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> Update:
        """Begin a turn: whose it is, and a report in which nothing has happened yet.

        Raises:
            ScopeError: The run has no user, or a malformed one.
        """
        return run(self._turns.begin(state))

    async def abefore_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> Update:
        """Begin a turn; see `before_agent`."""
        return await arun(self._turns.begin(state))

    def wrap_model_call(self, request: ModelRequest[Any], handler: ModelCall) -> ExtendedModelResponse[Any]:
        """Call the model with what memory has for the turn."""
        return run(self._turns.ask(request, handler))

    async def awrap_model_call(self, request: ModelRequest[Any], handler: ModelCall) -> ExtendedModelResponse[Any]:
        """Call the model with what memory has for the turn; see `wrap_model_call`."""
        return await arun(self._turns.ask(request, handler))

    def wrap_tool_call(self, request: ToolCallRequest, handler: ToolRun) -> ToolResult:
        """Run a tool after a look at memory; what it returns or raises passes through."""
        result: ToolResult = run(self._turns.act(request, handler))
        return result

    async def awrap_tool_call(self, request: ToolCallRequest, handler: ToolRun) -> ToolResult:
        """Run a tool after a look at memory; see `wrap_tool_call`."""
        result: ToolResult = await arun(self._turns.act(request, handler))
        return result

    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> Update:
        """Write what the turn leaves, or queue it. Nothing is raised, unless `raise_on_error` asks for it."""
        return run(self._turns.end(state))

    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> Update:
        """Write what the turn leaves, or queue it; see `after_agent`."""
        return await arun(self._turns.end(state))


def create_memory_middleware(memory: SettlingParts, given: Mapping[str, Any]) -> MemoryMiddleware:
    """Return a middleware; an unknown option is refused by its name."""
    check_known(given, MiddlewareOptions)
    return MemoryMiddleware(memory, MiddlewareOptions(**given))

"""`ApprovalMiddleware`: the turns of an agent wait for a person's word on what they would have remembered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, NotRequired

from langchain.agents.middleware.types import AgentMiddleware, AgentState, PrivateStateAttr, TracePolicy, omit_payload
from langchain_core.runnables.config import ensure_config
from langgraph.runtime import Runtime

from langchain_agentmem._checks import check_choice
from langchain_agentmem._flow import Flow, arun, flows_of, run
from langchain_agentmem.errors import ConfigurationError, ScopeError
from langchain_agentmem.middleware.state import MemoryAgentState
from langchain_agentmem.nodes.approving import MAX_ASKED, ApprovingParts, approve_flow, waiting_flow
from langchain_agentmem.nodes.settings import NodeSettings
from langchain_agentmem.nodes.state import Asked
from langchain_agentmem.nodes.turn import Failure, Turn, attempt, begin


class ApprovalAgentState(MemoryAgentState):
    """State of an agent whose user is asked; `memory_waiting` is what waited when the turn began."""

    memory_waiting: NotRequired[Annotated[list[Asked], PrivateStateAttr]]


class ApprovalMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Interrupts the run after the answer with all that waits for a person, and goes on with what they decide.

    It stands before `memory.middleware(writes="inline")` in the list, so that it comes after it when a turn ends, and
    needs a checkpointer. What it interrupts with, and what it goes on with, is told in `nodes.approving`.

    Args:
        memory: An `AgentMemory`, with an `approval=` policy.
        asks: `turn`: about what this turn would have remembered; `user`: also about all that waited for this user when
            the turn began, for example since a turn that was written in the background.
        settings: For whom, as of the memory's middleware.

    Raises:
        ConfigurationError: It is no `AgentMemory`, or `asks` is unknown.

    Example:
        ```python
        middleware = [ApprovalMiddleware(memory), memory.middleware(writes="inline")]
        agent = create_agent(model, tools=[deploy], middleware=middleware, checkpointer=memory.checkpointer)
        ```
    """

    state_schema: type[AgentState[Any]] = ApprovalAgentState
    trace_policy: TracePolicy | None = TracePolicy(process_inputs=omit_payload, process_outputs=omit_payload)

    def __init__(
        self,
        memory: ApprovingParts,
        *,
        asks: Literal["turn", "user"] = "turn",
        settings: NodeSettings | None = None,
    ) -> None:
        """Compose; nothing is opened yet."""
        super().__init__()
        if not hasattr(memory, "approvals"):
            msg = f"memory must be an AgentMemory, got {type(memory).__name__}; for example AgentMemory.in_memory()"
            raise ConfigurationError(msg)
        self._approvals = flows_of(memory.approvals)
        check_choice("asks", asks, ("turn", "user"))
        self._asks_all = asks == "user"
        self._settings = settings or NodeSettings()

    def before_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Note what waits already, where that is asked about."""
        return run(self._note(state))

    async def abefore_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Note what waits already; see `before_agent`."""
        return await arun(self._note(state))

    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Interrupt with what waits, if anything does; then write what was decided."""
        return run(self._ask(state))

    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Interrupt with what waits; see `after_agent`."""
        return await arun(self._ask(state))

    def _note(self, state: AgentState[Any]) -> Flow[dict[str, Any] | None]:
        waiting: Sequence[Asked] | Failure = []
        turn = self._turn(state, is_opening=True) if self._asks_all else None
        if turn is not None and turn.may_write:
            waiting = yield from attempt(waiting_flow, self._approvals, turn)
        return {"memory_waiting": [] if isinstance(waiting, Failure) else [*waiting]}

    def _ask(self, state: Any) -> Flow[dict[str, Any] | None]:  # noqa: ANN401  (a state of any agent's)
        turn = self._turn(state)
        report = state.get("memory")
        if turn is None or report is None:
            return None
        asked = {it["id"]: it for it in (*state.get("memory_waiting", ()), *report.get("asking", ()))}
        changes = yield from approve_flow(self._approvals, turn, [*asked.values()][:MAX_ASKED])
        return {"memory": {"turn": report["turn"], **changes}} if changes else None

    def _turn(self, state: Any, *, is_opening: bool = False) -> Turn | None:  # noqa: ANN401  (as above)
        try:
            return begin(state, ensure_config(None), self._settings, is_opening=is_opening)
        except (ScopeError, ConfigurationError):  # nobody's turn: the memory's own middleware says so
            return None

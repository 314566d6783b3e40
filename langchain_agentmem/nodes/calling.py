"""How a round of tools runs: what one call has done is kept, so that no interrupt of another makes it run again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from langchain_core.messages import ToolCall
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config, patch_config
from langgraph.prebuilt import ToolNode

from langchain_agentmem._flow import Flow
from langchain_agentmem.identity import in_tool
from langchain_agentmem.nodes.state import wrapped
from langchain_agentmem.nodes.turn import Turn
from langchain_agentmem.procedural.keeping import IN_GRAPH, KeptCalls, Ran


@dataclass(frozen=True, slots=True)
class Round:
    """The calls of one message of the model, in order, and which of them may run."""

    turn: Turn
    calls: Sequence[ToolCall]
    allowed: Sequence[bool]


@dataclass(frozen=True, slots=True)
class ToolRunner:
    """Runs the calls of a round at once, each as a step of its own where a checkpointer can keep its answer."""

    tools: ToolNode

    def run_flow(self, given: Round) -> Flow[Ran]:
        """Return what the calls led to; see `KeptCalls`."""
        kept = KeptCalls(partial(self._run, given.turn), partial(self._arun, given.turn))
        return (yield from kept.run_flow(given.calls, given.allowed, given.turn.config))

    def _run(self, turn: Turn, calls: Sequence[ToolCall]) -> Any:  # noqa: ANN401  (what a ToolNode returns)
        with in_tool(turn.mode, turn.scope.agent_id):
            return self.tools.invoke(_state(turn, calls), _config(turn))

    async def _arun(self, turn: Turn, calls: Sequence[ToolCall]) -> Any:  # noqa: ANN401  (as above)
        with in_tool(turn.mode, turn.scope.agent_id):
            return await self.tools.ainvoke(_state(turn, calls), _config(turn))


def _state(turn: Turn, calls: Sequence[ToolCall]) -> dict[str, Any]:
    ids = {call["id"] for call in calls}
    places = range(len(turn.messages) - 1, -1, -1)
    place = next(it for it in places if ids & {call["id"] for call in getattr(turn.messages[it], "tool_calls", ())})
    asked = turn.messages[place].model_copy(update={"tool_calls": list(calls)})  # LangGraph reads the last of the model
    return {**wrapped(turn.state), "messages": [*turn.messages[:place], *turn.messages[place + 1 :], asked]}


def _config(turn: Turn) -> RunnableConfig:
    """Return the config of the step that runs a tool; tools see the turn's own mode."""
    config = ensure_config() if IN_GRAPH in turn.config.get("configurable", {}) else turn.config
    return patch_config(config, configurable={**config.get("configurable", {}), "memory_mode": turn.mode})

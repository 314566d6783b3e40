"""How a round of tools runs: what one call has done is kept, so that no interrupt of another makes it run again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import wait
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from langchain_core.messages import ToolCall
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config, patch_config
from langgraph.errors import GraphInterrupt
from langgraph.func import task
from langgraph.prebuilt import ToolNode

from langchain_agentmem._flow import Flow, step
from langchain_agentmem.identity import in_tool
from langchain_agentmem.nodes.state import wrapped
from langchain_agentmem.nodes.turn import Turn

TASK: Final = "tool"
"""Name of the step as which LangGraph keeps what one of several calls has done."""

_KEEP: Final[Callable[..., Any]] = task(name=TASK)
_IN_GRAPH: Final = "__pregel_call"
_CHECKPOINTER: Final = "__pregel_checkpointer"


@dataclass(frozen=True, slots=True)
class Round:
    """The calls of one message of the model, in order, and which of them may run."""

    turn: Turn
    calls: Sequence[ToolCall]
    allowed: Sequence[bool]

    @property
    def is_kept(self) -> bool:
        """Whether each call's answer is kept: one call alone has no other that could interrupt it."""
        configurable = self.turn.config.get("configurable", {})
        is_able = _IN_GRAPH in configurable and configurable.get(_CHECKPOINTER) is not None
        return is_able and len(self.calls) > 1


@dataclass(frozen=True, slots=True)
class Ran:
    """What a round led to: `result` as a `ToolNode` returns it, and which calls it answers."""

    result: Any
    done: Sequence[bool]


@dataclass(frozen=True, slots=True)
class ToolRunner:
    """Runs the calls of a round at once, each as a step of its own where a checkpointer can keep its answer."""

    tools: ToolNode

    def run_flow(self, given: Round) -> Flow[Ran]:
        """Return what the calls led to.

        A call that ran before an interrupt is not run again, whatever is said to it now: its answer is returned.
        """
        if given.is_kept:
            results = yield from step(partial(self._kept, given), partial(self._akept, given))
            return Ran(_united(results), [result is not None for result in results])
        if not any(given.allowed):
            return Ran({"messages": []}, given.allowed)
        calls = [call for call, is_allowed in zip(given.calls, given.allowed, strict=True) if is_allowed]
        result = yield from step(partial(self._run, given.turn, calls), partial(self._arun, given.turn, calls))
        return Ran(result, given.allowed)

    def _kept(self, given: Round) -> list[Any]:
        futures = [_KEEP(_blocking(self._run, given.turn, asked))() for asked in _asked(given)]
        wait(futures)  # one that interrupts must not hide what another does
        return _answered([future.exception() or future.result() for future in futures])

    async def _akept(self, given: Round) -> list[Any]:
        futures = [_KEEP(_awaited(self._arun, given.turn, asked))() for asked in _asked(given)]
        return _answered(await asyncio.gather(*futures, return_exceptions=True))

    def _run(self, turn: Turn, calls: Sequence[ToolCall]) -> Any:  # noqa: ANN401  (what a ToolNode returns)
        with in_tool(turn.mode, turn.scope.agent_id):
            return self.tools.invoke(_state(turn, calls), _config(turn))

    async def _arun(self, turn: Turn, calls: Sequence[ToolCall]) -> Any:  # noqa: ANN401  (as above)
        with in_tool(turn.mode, turn.scope.agent_id):
            return await self.tools.ainvoke(_state(turn, calls), _config(turn))


def _asked(given: Round) -> list[list[ToolCall]]:
    """Return each call alone; nothing in the place of one that may not run: LangGraph knows steps by their places."""
    return [[call] if is_allowed else [] for call, is_allowed in zip(given.calls, given.allowed, strict=True)]


def _answered(results: list[Any]) -> list[Any]:
    """Return what each call led to, if all are done; else a failure is raised, or all that calls ask, at once.

    Whoever resumes the graph must see every question: LangGraph takes an answer without an id where there is one.
    """
    failures = [result for result in results if isinstance(result, BaseException)]
    for failure in failures:
        if not isinstance(failure, GraphInterrupt):
            raise failure
    if failures:
        raise GraphInterrupt([question for failure in failures for question in failure.args[0]])
    return results


def _blocking(run: Callable[..., Any], turn: Turn, calls: Sequence[ToolCall]) -> Callable[[], Any]:
    def tool() -> Any:  # noqa: ANN401  (what a ToolNode returns)
        return run(turn, calls) if calls else None

    return tool


def _awaited(run: Callable[..., Awaitable[Any]], turn: Turn, calls: Sequence[ToolCall]) -> Callable[[], Awaitable[Any]]:
    async def tool() -> Any:  # noqa: ANN401  (as above)
        return await run(turn, calls) if calls else None

    return tool


def _state(turn: Turn, calls: Sequence[ToolCall]) -> dict[str, Any]:
    ids = {call["id"] for call in calls}
    places = range(len(turn.messages) - 1, -1, -1)
    place = next(it for it in places if ids & {call["id"] for call in getattr(turn.messages[it], "tool_calls", ())})
    asked = turn.messages[place].model_copy(update={"tool_calls": list(calls)})  # LangGraph reads the last of the model
    return {**wrapped(turn.state), "messages": [*turn.messages[:place], *turn.messages[place + 1 :], asked]}


def _config(turn: Turn) -> RunnableConfig:
    """Return the config of the step that runs a tool; tools see the turn's own mode."""
    config = ensure_config() if _IN_GRAPH in turn.config.get("configurable", {}) else turn.config
    return patch_config(config, configurable={**config.get("configurable", {}), "memory_mode": turn.mode})


def _united(results: Sequence[Any]) -> Any:  # noqa: ANN401  (as a ToolNode returns it)
    """Return several results of a `ToolNode` as one."""
    results = [result for result in results if result is not None]
    commands = [item for result in results if isinstance(result, list) for item in result]
    messages = [message for result in results if isinstance(result, dict) for message in result["messages"]]
    return [*commands, {"messages": messages}] if commands else {"messages": messages}

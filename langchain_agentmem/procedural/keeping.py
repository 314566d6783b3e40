"""How calls of one message run at once: what each has done is kept, so that no interrupt of another runs it again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import wait
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from langchain_core.messages import ToolCall
from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphInterrupt
from langgraph.func import task

from langchain_agentmem._flow import Flow, step

TASK: Final = "tool"
"""Name of the step as which LangGraph keeps what one of several calls has done."""

IN_GRAPH: Final = "__pregel_call"
_KEEP: Final[Callable[..., Any]] = task(name=TASK)
_CHECKPOINTER: Final = "__pregel_checkpointer"


@dataclass(frozen=True, slots=True)
class Ran:
    """What calls led to: a result of a `ToolNode` for each or for all of them, and which of them were done."""

    results: Sequence[Any]
    done: Sequence[bool]

    @property
    def result(self) -> Any:  # noqa: ANN401  (as a `ToolNode` returns it)
        """All of it as one result."""
        if len(self.results) == 1:
            return self.results[0]
        commands = [item for result in self.results if isinstance(result, list) for item in result]
        messages = [message for result in self.results if isinstance(result, dict) for message in result["messages"]]
        return [*commands, {"messages": messages}] if commands else {"messages": messages}


@dataclass(frozen=True, slots=True)
class KeptCalls:
    """Runs the calls of one message at once, each as a step of its own where a checkpointer can keep its answer.

    Args:
        run: Runs some of them, and returns what a `ToolNode` does. `arun`: the same, awaited.
    """

    run: Callable[[Sequence[ToolCall]], Any]
    arun: Callable[[Sequence[ToolCall]], Awaitable[Any]]

    def run_flow(self, calls: Sequence[ToolCall], allowed: Sequence[bool], config: RunnableConfig) -> Flow[Ran]:
        """Return what the calls led to.

        A call that ran before an interrupt is not run again, whatever is said to it now: its answer is returned.
        """
        if _is_kept(calls, config):
            asked = [[call] if is_allowed else [] for call, is_allowed in zip(calls, allowed, strict=True)]
            results = yield from step(partial(self._kept, asked), partial(self._akept, asked))
            return Ran([it for it in results if it is not None], [it is not None for it in results])
        wanted = [call for call, is_allowed in zip(calls, allowed, strict=True) if is_allowed]
        if not wanted:
            return Ran([], allowed)
        return Ran([(yield from step(partial(self.run, wanted), partial(self.arun, wanted)))], allowed)

    # `asked`: each call alone, and nothing in the place of one that may not run: LangGraph knows steps by their places
    def _kept(self, asked: Sequence[Sequence[ToolCall]]) -> list[Any]:
        futures = [_KEEP(_blocking(self.run, calls))() for calls in asked]
        wait(futures)  # one that interrupts must not hide what another does
        return _answered([future.exception() or future.result() for future in futures])

    async def _akept(self, asked: Sequence[Sequence[ToolCall]]) -> list[Any]:
        futures = [_KEEP(_awaited(self.arun, calls))() for calls in asked]
        return _answered(await asyncio.gather(*futures, return_exceptions=True))


def _is_kept(calls: Sequence[ToolCall], config: RunnableConfig) -> bool:
    """Whether each call's answer is kept: one call alone has no other that could interrupt it."""
    configurable = config.get("configurable", {})
    return IN_GRAPH in configurable and configurable.get(_CHECKPOINTER) is not None and len(calls) > 1


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


def _blocking(run: Callable[[Sequence[ToolCall]], Any], calls: Sequence[ToolCall]) -> Callable[[], Any]:
    def tool() -> Any:  # noqa: ANN401  (what a ToolNode returns)
        return run(calls) if calls else None

    return tool


def _awaited(
    run: Callable[[Sequence[ToolCall]], Awaitable[Any]], calls: Sequence[ToolCall]
) -> Callable[[], Awaitable[Any]]:
    async def tool() -> Any:  # noqa: ANN401  (as above)
        return await run(calls) if calls else None

    return tool

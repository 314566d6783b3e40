"""An agent that hands over to another one: its turn ends there, and handing over is no deed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from langchain_core.messages import ToolMessage
from langgraph.types import Command

from langchain_agentmem.extraction.record.conversation import MARK

HANDOFF: Final = "handoff"
"""Mark of a tool's answer that says that another agent goes on: nobody learns from it."""


def is_handoff(result: Any) -> bool:  # noqa: ANN401  (what a ToolNode or a tool returns)
    """Whether a tool leaves its graph for the one around it."""
    return any(it.graph == Command.PARENT for it in _commands(result))


def handed_over(result: Any, ids: Collection[str | None], update: Mapping[str, Any]) -> Any:  # noqa: ANN401  (as above)
    """Return what tools returned as the graph around takes it.

    Args:
        result: As a ToolNode or a tool returns it.
        ids: Of the calls: in a handoff, answers to them are marked.
        update: What the agent's turn left in its state: a handoff takes it along.
    """
    if isinstance(result, list):
        return [handed_over(it, ids, update) for it in result]
    if not (is_handoff(result) and isinstance(result.update, Mapping)):
        return result
    told = {name: _marked(it, ids) if name == "messages" else it for name, it in result.update.items()}
    return replace(result, update={**told, **update})


def marked(answer: ToolMessage, mark: str) -> ToolMessage:
    """Return an answer marked as one that is no word of a tool about a deed."""
    return answer.model_copy(update={"additional_kwargs": {**answer.additional_kwargs, MARK: mark}})


def _marked(messages: Any, ids: Collection[str | None]) -> Any:  # noqa: ANN401  (messages, or one)
    if isinstance(messages, list):
        return [_marked(it, ids) for it in messages]
    is_own = isinstance(messages, ToolMessage) and messages.tool_call_id in ids
    return marked(messages, HANDOFF) if is_own else messages


def _commands(result: Any) -> Iterator[Command[Any]]:  # noqa: ANN401  (as above)
    if isinstance(result, Command):
        yield result
    elif isinstance(result, list):
        for it in result:
            yield from _commands(it)

"""Calls of tools that nobody answered, because the conversation went on without them.

Whoever types on in place of approving a call, or comes back after a crash, leaves it without an answer. Providers
refuse such a conversation, in that turn and in every later one; so the next turn answers the call before it begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, RemoveMessage, ToolMessage, convert_to_messages
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from langchain_agentmem.nodes.looking import refused_call
from langchain_agentmem.nodes.turn import Turn

ABANDONED: Final = (
    "Not run to its end: the conversation went on before this call was approved or answered. Do not take it for done."
)
"""A call that waited for a person never began; one whose tool asked something itself may have begun."""

MARK_ABANDONED: Final = "abandoned"


def answered_calls(turn: Turn) -> dict[str, Any]:
    """Return the update of the state in which every call that was left behind has its answer; mostly, there is none.

    Answers stand behind their calls, where providers want them, so that all messages are given anew, under their ids.
    """
    messages = convert_to_messages(turn.state["messages"])
    answered = list(_answered(messages))
    if len(answered) == len(messages):
        return {}
    return {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), *answered]}


def _answered(messages: Sequence[BaseMessage]) -> Iterator[BaseMessage]:
    """Yield messages, and behind the answers to each message of the model those that are missing.

    The calls of the last message of the model wait for their answers, unless somebody has spoken since.
    """
    missing: list[ToolMessage] = []
    for place, message in enumerate(messages):
        if missing and not isinstance(message, ToolMessage):
            yield from missing
            missing = []
        yield message
        if isinstance(message, AIMessage) and message.tool_calls:
            missing = list(_missing(message, messages[place + 1 :]))


def _missing(asking: AIMessage, later: Sequence[BaseMessage]) -> Iterator[ToolMessage]:
    """Yield answers to the calls that have none before the model speaks again: a later call may have the same id."""
    ends = (place for place, message in enumerate(later) if isinstance(message, AIMessage))
    known = {it.tool_call_id for it in later[: next(ends, len(later))] if isinstance(it, ToolMessage)}
    for call in asking.tool_calls:
        if (call["id"] or "") not in known:
            yield refused_call(call, MARK_ABANDONED, ABANDONED)

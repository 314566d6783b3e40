"""Calls of tools and their answers, wherever in a conversation these stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage

M = TypeVar("M", bound=BaseMessage)


def has_any(messages: Sequence[BaseMessage], kind: type[BaseMessage]) -> bool:
    """Whether one of messages is of a kind; asked of each of thousands, pydantic takes long."""
    return any(issubclass(it, kind) for it in set(map(type, messages)))


def unanswered(asking: AIMessage, later: Iterable[BaseMessage]) -> list[ToolCall]:
    """Return the calls of a message that have no answer behind it; a later call may have the same id."""
    waiting = {call["id"] or "" for call in asking.tool_calls}
    lost: set[str] = set()
    for message in later:
        if not waiting:
            break
        if isinstance(message, ToolMessage):
            waiting.discard(message.tool_call_id)
        elif isinstance(message, AIMessage) and message.tool_calls:
            again = waiting & {call["id"] or "" for call in message.tool_calls}
            waiting, lost = waiting - again, lost | again
    return [call for call in asking.tool_calls if (call["id"] or "") in waiting | lost]


def waiting_in(messages: Sequence[BaseMessage]) -> Iterator[tuple[int, list[ToolCall]]]:
    """Yield the place of each message of the model whose calls wait for an answer, and those calls; the last one first.

    Of messages that call nothing any number may stand behind it: whoever resumes a run may add some.
    """
    for place in reversed(range(len(messages))):
        message = messages[place]
        if isinstance(message, AIMessage) and message.tool_calls:
            calls = unanswered(message, messages[place + 1 :])
            if calls:
                yield place, calls


def while_waiting(messages: Sequence[BaseMessage], *, is_over: bool = False) -> Iterator[int]:
    """Yield the places that stand between a call and its answer, or behind a call that waits for one.

    Args:
        messages: A conversation.
        is_over: Whether the run ends: then no call waits any more, and what stands behind an open one came without it.
    """
    waiting: dict[str, list[int]] = {}
    for place, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            yield from waiting.pop(message.tool_call_id, ())
            continue
        for between in waiting.values():
            between.append(place)
        if isinstance(message, AIMessage):
            waiting |= {call["id"] or "": [] for call in message.tool_calls}
    if not is_over:
        yield from (place for between in waiting.values() for place in between)


def in_order(messages: Sequence[M]) -> list[M]:
    """Return messages with every answer right behind its call, as providers demand; mostly, they stand so."""
    if not has_any(messages, ToolMessage):
        return list(messages)
    blocks: list[list[M]] = []
    places: dict[str, int] = {}
    for message in messages:
        place = places.pop(message.tool_call_id, None) if isinstance(message, ToolMessage) else None
        if place is not None:
            blocks[place].append(message)
            continue
        if isinstance(message, AIMessage):
            places |= {call["id"] or "": len(blocks) for call in message.tool_calls}
        blocks.append([message])
    return [message for block in blocks for message in block]

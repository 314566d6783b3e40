"""The end of a turn in which the model asks for what is refused, again and again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final

from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage

from langchain_agentmem.extraction.record.conversation import MARK
from langchain_agentmem.nodes.turn import Turn

MAX_REFUSALS: Final = 3
"""Of one call, for one reason, in one turn: once to learn of it, once to misread it; the third will not be the last."""

MAX_VAIN_ROUNDS: Final = 10
"""Rounds of tools, one after the other, in which nothing ran: as many as a turn of `create_memory_graph` has at all."""

STUCK: Final = "I stopped here: {tool} was refused again and again. {reason}"

_REFUSED: Final = frozenset({"block", "unknown"})
"""Marks of answers to calls that did not run, and never will: forbidden, or of a tool that does not exist."""

_VAIN: Final = _REFUSED | {"hold"}


def stopped(turn: Turn, max_refusals: int) -> AIMessage | None:
    """Return the answer that ends a turn, in place of the model's; `None` where it may go on.

    It ends when the same call was refused so often for the same reason, or when nothing has run for ten rounds.
    """
    new = turn.messages[turn.new_from :]
    last = list(takewhile(lambda message: isinstance(message, ToolMessage), reversed(new)))
    refused = [answer for answer in last if isinstance(answer, ToolMessage) and _mark(answer) in _REFUSED]
    counts = Counter(_refusals(new))
    calls = _calls(new)
    for answer in refused:
        asked = _asked(calls.get(answer.tool_call_id), answer)
        if counts[asked] >= max_refusals:
            return _answer(answer)
    is_vain = bool(refused) and _vain_rounds(new) >= MAX_VAIN_ROUNDS
    return _answer(refused[0]) if is_vain else None


def _refusals(messages: Sequence[BaseMessage]) -> Iterator[tuple[str, str, str]]:
    calls: dict[str | None, ToolCall] = {}  # as they stand when they are answered: an id may come again
    for message in messages:
        if isinstance(message, AIMessage):
            calls |= {call["id"]: call for call in message.tool_calls}
        elif isinstance(message, ToolMessage) and _mark(message) in _REFUSED:
            yield _asked(calls.get(message.tool_call_id), message)


def _calls(messages: Sequence[BaseMessage]) -> dict[str | None, ToolCall]:
    found = [call for it in messages if isinstance(it, AIMessage) for call in it.tool_calls]
    return {call["id"]: call for call in found}


def _asked(call: ToolCall | None, answer: ToolMessage) -> tuple[str, str, str]:
    args = "" if call is None else json.dumps(call["args"], default=str, sort_keys=True)
    return answer.name or "", args, answer.text


def _vain_rounds(messages: Sequence[BaseMessage]) -> int:
    """Return in how many rounds, up to the last one, no tool ran."""
    rounds = 0
    for message in reversed(messages):
        if isinstance(message, ToolMessage) and _mark(message) not in _VAIN:
            break
        rounds += isinstance(message, AIMessage)
    return rounds


def _answer(refused: ToolMessage) -> AIMessage:
    text = STUCK.format(tool=refused.name or "the tool", reason=refused.text)
    return AIMessage(text, response_metadata={MARK: "stopped"})


def _mark(message: BaseMessage) -> object:
    return message.additional_kwargs.get(MARK)

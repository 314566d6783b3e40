"""Where memories stand in a model's request: as data, in places that keep caches and the order of messages valid.

What seldom changes stands in the system message, in a content block of its own: providers cache a prompt's beginning.
What concerns the turn stands in one message right before the user's last one, so that all before it stays as it was in
the turn before, and no call of a tool is parted from its answer. Neither is ever in an agent's state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, Final, NamedTuple, cast

from langchain_core.messages import AnyMessage, BaseMessage, HumanMessage, SystemMessage

from langchain_agentmem.extraction.record.calls import in_order
from langchain_agentmem.extraction.record.conversation import MARK, is_of_user
from langchain_agentmem.nodes.telling import remarks
from langchain_agentmem.nodes.turn import Turn

NOTE: Final = "Note of the application, for this turn:\n{said}"

_STANDING: Final = ("standing", "goal")
_PASSING: Final = ("skills", "working", "prompt")


class Placed(NamedTuple):
    """A request's system message and its other messages."""

    system: SystemMessage | None
    messages: list[AnyMessage]


def placed(given: Placed, turn: Turn, prompt: str) -> Placed:
    """Return a request that tells the model what memory has for a turn; what is given is not changed.

    An answer to a call stands right behind it, whatever came in while it waited.

    Args:
        given: Of the application and the conversation.
        turn: Its words of memory, and its status.
        prompt: What memories are.
    """
    text: Mapping[str, Any] = turn.state.get("memory_text") or {}
    standing = [prompt, *(text.get(name, "") for name in _STANDING)]
    passing = [*remarks(turn, turn.report["status"], text), *(text.get(name, "") for name in _PASSING)]
    said = "\n\n".join(filter(None, passing))
    return Placed(with_blocks(given.system, list(filter(None, standing))), with_note(in_order(given.messages), said))


def parted(messages: Sequence[BaseMessage]) -> Placed:
    """Return a conversation with the system messages before it as one, a block for each."""
    own = list(takewhile(lambda message: isinstance(message, SystemMessage), messages))
    lead = own[0] if own and isinstance(own[0], SystemMessage) else None
    others = [block for message in own[1:] for block in _blocks(message)]
    system = lead if lead is None or not others else lead.model_copy(update={"content": [*_blocks(lead), *others]})
    return Placed(system, cast("list[AnyMessage]", list(messages[len(own) :])))


def with_blocks(message: SystemMessage | None, texts: Sequence[str]) -> SystemMessage | None:
    """Return a system message with each text as a block of its own behind what it says."""
    if not texts:
        return message
    added: list[str | dict[Any, Any]] = [{"type": "text", "text": text} for text in texts]
    if message is None:
        return SystemMessage(content=added)
    return message.model_copy(update={"content": [*_blocks(message), *added]})


def with_note(messages: Sequence[AnyMessage], said: str) -> list[AnyMessage]:
    """Return messages with a note before the user's last one; marked, so that nobody takes it for something said."""
    if not said:
        return list(messages)
    note = HumanMessage(NOTE.format(said=said), additional_kwargs={MARK: "memories"})
    place = place_of_note(messages)
    return [*messages[:place], note, *messages[place:]]


def place_of_note(messages: Sequence[BaseMessage]) -> int:
    """Return where a note may stand: before the user's last message, or the last of a harness, or at the beginning."""
    backwards = range(len(messages) - 1, -1, -1)
    own = next((place for place in backwards if is_of_user(messages[place])), None)
    return next((it for it in backwards if isinstance(messages[it], HumanMessage)), 0) if own is None else own


def _blocks(message: BaseMessage) -> Iterator[str | dict[Any, Any]]:
    """Yield what a message says, in blocks; those of a provider stay as they are."""
    yield from [{"type": "text", "text": message.content}] if isinstance(message.content, str) else message.content

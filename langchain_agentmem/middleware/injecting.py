"""Where memories stand in a model's request: as data, in places that keep caches and the order of messages valid.

What seldom changes stands in the system message, in a content block of its own: providers cache a prompt's beginning.
What concerns the turn stands in one message right before the user's last one, so that all before it stays as it was in
the turn before, and no call of a tool is parted from its answer. Neither is ever in the agent's state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from langchain.agents.middleware.types import ModelRequest
from langchain_core.messages import AnyMessage, BaseMessage, HumanMessage, SystemMessage

from langchain_agentmem.extraction.conversation import MARK
from langchain_agentmem.nodes.turn import is_of_user

NOTE: Final = "Note of the application, for this turn:\n{said}"


def with_memory(request: ModelRequest[Any], standing: Sequence[str], passing: Sequence[str]) -> ModelRequest[Any]:
    """Return a request that tells the model what memory has.

    Args:
        request: As it came; it is not changed.
        standing: What stays the same from turn to turn.
        passing: What is of this turn.
    """
    blocks = [text for text in standing if text]
    said = "\n\n".join(text for text in passing if text)
    system = with_blocks(request.system_message, blocks)
    return request.override(system_message=system, messages=with_note(request.messages, said))


def with_blocks(message: SystemMessage | None, texts: Sequence[str]) -> SystemMessage | None:
    """Return a system message with each text as a block of its own behind what it says."""
    if not texts:
        return message
    added: list[str | dict[Any, Any]] = [{"type": "text", "text": text} for text in texts]
    if message is None:
        return SystemMessage(content=added)
    own: list[str | dict[Any, Any]] = (
        [{"type": "text", "text": message.content}] if isinstance(message.content, str) else list(message.content)
    )
    return message.model_copy(update={"content": [*own, *added]})


def with_note(messages: Sequence[AnyMessage], said: str) -> list[AnyMessage]:
    """Return messages with a note before the user's last one; marked, so that nobody takes it for something said."""
    if not said:
        return list(messages)
    note = HumanMessage(NOTE.format(said=said), additional_kwargs={MARK: "memories"})
    place = place_of_note(messages)
    return [*messages[:place], note, *messages[place:]]


def place_of_note(messages: Sequence[BaseMessage]) -> int:
    """Return where a note may stand: before the user's last message, or the last of a harness, or at the beginning."""
    human = [place for place, message in enumerate(messages) if isinstance(message, HumanMessage)]
    own = [place for place in human if is_of_user(messages[place])]
    return next(iter([*own[-1:], *human[-1:]]), 0)

"""What of a callback's values is kept: messages whole, everything else as JSON or as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from langchain_core.messages import BaseMessage, convert_to_messages, message_to_dict
from langgraph.types import Command

MAX_CHARS: Final = 20_000
"""Of one text beside messages; longer ones are cut, and say so."""

MAX_ITEMS: Final = 200
_DEPTH: Final = 6


def messages_in(value: Any) -> list[BaseMessage]:  # noqa: ANN401  (whatever a node is given or returns)
    """Return the messages that a node was given, or puts into the state."""
    if isinstance(value, BaseMessage):
        return [value]
    if isinstance(value, Command):
        return messages_in(value.update)
    if isinstance(value, Mapping):
        return _of_channel(value.get("messages"))
    if isinstance(value, list | tuple):
        pairs = [it[1] for it in value if isinstance(it, tuple) and len(it) == 2 and it[0] == "messages"]  # noqa: PLR2004  (channel and value)
        found = [message for it in pairs for message in _of_channel(it)]
        return found + [message for it in value if not isinstance(it, tuple) for message in messages_in(it)]
    return _of_channel(getattr(value, "messages", None))


def _of_channel(value: Any) -> list[BaseMessage]:  # noqa: ANN401  (as above)
    if value is None:
        return []
    every = value if isinstance(value, list) else [value]
    try:
        return convert_to_messages(every)
    except (NotImplementedError, TypeError, ValueError):
        return [it for it in every if isinstance(it, BaseMessage)]


def kept_messages(messages: Iterable[BaseMessage]) -> list[Any]:
    """Return the form in which messages are kept."""
    return [plain(message_to_dict(it), whole=True) for it in messages]


def plain(value: Any, depth: int = 0, *, whole: bool = False) -> Any:  # noqa: ANN401  (JSON)
    """Return a value as JSON has it; what has no form there as text, and never longer than is useful."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return clean(value) if whole else cut(clean(value))
    if depth >= _DEPTH and not whole:
        return cut(clean(repr(value)))
    if isinstance(value, Mapping):
        return {clean(str(name)): plain(it, depth + 1, whole=whole) for name, it in value.items()}
    if isinstance(value, BaseMessage):
        return plain(message_to_dict(value), depth + 1, whole=True)
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [plain(it, depth + 1, whole=whole) for it in (value if whole else value[:MAX_ITEMS])]
    return cut(clean(repr(value)))


def cut(text: str) -> str:
    """Return a text, or its beginning."""
    return text if len(text) <= MAX_CHARS else f"{text[:MAX_CHARS]}… ({len(text) - MAX_CHARS} characters more)"


def clean(text: str) -> str:
    """Return a text that can be stored."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()

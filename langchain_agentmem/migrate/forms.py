"""The forms in which others store a message, read without constructing anything but messages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, convert_to_messages, messages_from_dict
from langchain_core.messages.tool import default_tool_parser
from pydantic import ValidationError

from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.sessions.messages import check_message, decode, encode

TYPES: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{f"{name}Message": name.lower() for name in ("Human", "System", "Chat", "Function", "Tool")},
        "AIMessage": "ai",
        **{f"{name}MessageChunk": f"{name}MessageChunk" for name in ("Human", "AI", "System", "Chat", "Tool")},
        "FunctionMessageChunk": "FunctionMessageChunk",
    }
)
"""The type that each of LangChain's classes of messages has in a dictionary."""

_MAX_TYPE_CHARS: Final = 40
"""Of what a stranger calls a type of message, so much is repeated in a reason."""


class UnreadableError(Exception):
    """A stored message cannot be read; the text says why and holds nothing of the message."""


def read_message(form: object) -> BaseMessage:
    """Return the message that stands in one of the known forms, as a history stores it.

    These are LangChain's `message_to_dict` (`{"type", "data"}`), `dumpd` (`{"lc": 1, …}`) and `model_dump`
    (`{"type", "content", …}`), and that of OpenAI's interface (`{"role", "content", …}`).

    Raises:
        UnreadableError: It is none of them, or no message that a history could store.
    """
    if isinstance(form, BaseMessage):
        return _storable(form)
    if not isinstance(form, Mapping):
        msg = f"it is no JSON object but {type(form).__name__}"
        raise UnreadableError(msg)
    try:
        message = _of_role(form) if "role" in form and "type" not in form else _of_type(*_typed(form))
    except UnreadableError:
        raise
    except ValidationError as error:
        fields = sorted({str(problem["loc"][0]) for problem in error.errors() if problem["loc"]})
        msg = f"a message of {_type_of(form)} lacks, or has malformed: {', '.join(fields)}"
        raise UnreadableError(msg) from None  # the error quotes the message
    except Exception as error:  # noqa: BLE001  (a form may be wrong in any way; the other messages are read)
        msg = f"{_type_of(form)} cannot be read as a message ({type(error).__name__})"
        raise UnreadableError(msg) from None
    return _storable(message)


def _typed(form: Mapping[Any, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return type and fields of a message in one of LangChain's own forms."""
    if form.get("lc") == 1:
        path, fields = form.get("id"), form.get("kwargs")
        name = TYPES.get(str(path[-1])) if isinstance(path, list) and path else None
        if name is None or not isinstance(fields, Mapping):
            msg = "it is a serialised object, but no message"
            raise UnreadableError(msg)
        return name, fields
    fields = form.get("data", form)
    if not isinstance(form.get("type"), str) or not isinstance(fields, Mapping):
        msg = "it has neither a type nor a role"
        raise UnreadableError(msg)
    return form["type"], fields


def _of_type(type_: str, fields: Mapping[str, Any]) -> BaseMessage:
    known = {name: value for name, value in fields.items() if name != "type"}
    [message] = messages_from_dict([{"type": type_, "data": known}])
    return message


def _of_role(form: Mapping[Any, Any]) -> BaseMessage:
    """Read OpenAI's form; arguments of a tool call that are no JSON become an invalid tool call."""
    calls = form.get("tool_calls") or []
    parsed, invalid = default_tool_parser([call for call in calls if "function" in call])
    ready = [call for call in calls if "function" not in call]
    given = {name: value for name, value in form.items() if name != "tool_calls" and value is not None}
    given["content"] = form.get("content") or ""
    if parsed or ready:
        given["tool_calls"] = [*parsed, *ready]
    [message] = convert_to_messages([given])
    if isinstance(message, AIMessage):
        message.invalid_tool_calls = invalid
    return message


def _storable(message: BaseMessage) -> BaseMessage:
    try:
        return decode(encode(check_message(message)))
    except ConfigurationError as error:
        raise UnreadableError(str(error)) from error


def _type_of(form: Mapping[Any, Any]) -> str:
    name = form.get("role", form.get("type"))
    return f"type {name[:_MAX_TYPE_CHARS]!r}" if isinstance(name, str) else "an unknown type"

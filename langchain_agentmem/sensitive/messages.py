"""Sensitive data in messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from langchain_core.messages import BaseMessage

from langchain_agentmem.policies.sensitive_records import Protector

_CALLS: Final = ("tool_calls", "invalid_tool_calls", "tool_call_chunks")
_FIELDS: Final = ("content", "name", "role", *_CALLS, "additional_kwargs", "response_metadata", "artifact")
"""Fields of a message that hold what was said, by whom, asked or observed; ids and numbers are elsewhere."""


def protect_fields(fields: Mapping[str, Any], protector: Protector) -> dict[str, Any]:
    """Return the fields of a message, as it is stored, with its texts protected."""
    made = {name: _protected(name, fields[name], protector) for name in _FIELDS if fields.get(name)}
    return {**fields, **made}


def protect_message(message: BaseMessage, protector: Protector) -> BaseMessage:
    """Return a message with its texts protected: the same one where nothing is to be changed, else a copy."""
    changes: dict[str, Any] = {}
    for name in _FIELDS:
        value = getattr(message, name, None)
        if value and (made := _protected(name, value, protector)) != value:
            changes[name] = made
    return message.model_copy(update=changes) if changes else message


def _protected(name: str, value: Any, protector: Protector) -> Any:  # noqa: ANN401  (a field of a message)
    if name in _CALLS:  # a call keeps its name and its id
        return [{**call, "args": protector.value(call["args"])} for call in value]
    return protector.value(value)

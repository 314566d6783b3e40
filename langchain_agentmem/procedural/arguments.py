"""How a call's arguments read: as the model wrote them, and as the tool takes them, defaults in place in both."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial
from typing import Any, Final

MAX_DEPTH: Final = 20
"""Of a JSON schema that refers to itself."""


class Reader:
    """Reads the arguments of one tool's calls.

    Args:
        tool: What is called; of something that describes no arguments, they read as they are.
    """

    def __init__(self, tool: object) -> None:
        self._schema = getattr(tool, "args_schema", None)
        self._tool = tool

    def read(self, args: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return arguments as they were written, and as the tool reads them (`"yes"` is true to it, and `1` may be).

        What is left out stands in both as the tool's default. Arguments that the tool does not take read as they are.
        """
        if isinstance(self._schema, Mapping):
            filled = _filled(dict(args), self._schema, self._schema, MAX_DEPTH)
            return filled, filled
        parsed = next((it for it in map(partial(_parsed, args), self._models) if it is not None), None)
        if parsed is None:
            plain = {**_plain_defaults(self._schema), **args}
            return plain, plain
        return {**parsed, **args}, {**args, **parsed}

    @cached_property
    def _models(self) -> tuple[Any, ...]:
        """The tool's models; the second has no fields that LangGraph fills in itself."""
        return (self._schema, getattr(self._tool, "tool_call_schema", None))


def _parsed(args: Mapping[str, Any], model: Any) -> dict[str, Any] | None:  # noqa: ANN401  (a pydantic model, or none)
    try:
        found: dict[str, Any] = model.model_validate(dict(args)).model_dump(mode="json", fallback=str)
    except Exception:  # noqa: BLE001  (validators are the user's own code; the tool raises the same again)
        return None
    return found


def _plain_defaults(schema: object) -> dict[str, Any]:
    fields = getattr(schema, "model_fields", {})
    defaults = {name: field.default for name, field in fields.items()}
    return {name: value for name, value in defaults.items() if isinstance(value, str | int | float | list | dict)}


def _filled(value: Any, schema: Any, root: Mapping[str, Any], depth: int) -> Any:  # noqa: ANN401  (JSON, and its schema)
    """Return a value with the defaults that a JSON schema names, at any depth."""
    schema = _resolved(schema, root)
    if depth == 0 or not isinstance(value, dict) or not isinstance(schema, Mapping):
        return value
    properties = {name: _resolved(each, root) for name, each in (schema.get("properties") or {}).items()}
    known = {name: each for name, each in properties.items() if isinstance(each, Mapping)}
    given = {name: each["default"] for name, each in known.items() if "default" in each}
    return {
        name: _filled(item, properties[name], root, depth - 1) if name in properties else item
        for name, item in {**given, **value}.items()
    }


def _resolved(schema: Any, root: Mapping[str, Any]) -> Any:  # noqa: ANN401  (as above)
    """Return what a schema refers to, where it does, with what stands beside the reference."""
    if not isinstance(schema, Mapping) or not str(schema.get("$ref", "")).startswith("#/"):
        return schema
    found: Any = root
    for part in str(schema["$ref"])[2:].split("/"):
        found = found.get(part) if isinstance(found, Mapping) else None
    return {**found, **schema, "$ref": ""} if isinstance(found, Mapping) else schema

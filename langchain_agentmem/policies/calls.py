"""Tool calls in the shapes that they have in the field: where the tool's name stands, and where its arguments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.errors import ConfigurationError

_ARGUMENTS: Final = ("args", "arguments", "input")
"""LangChain, Gemini; OpenAI, MCP, Ollama; Anthropic."""

_BESIDE: Final = frozenset(
    "id call_id type index status error extras description cache_control caller namespace _meta".split()
)
"""What stands beside name and arguments in one of them, and is no part of what the tool is given."""

_STRING: Final = lazy_pattern(r'"((?:[^"\\]++|\\.)*+)"?', re.DOTALL)
_ESCAPED: Final = lazy_pattern(r"\\(?:u(?![dD][89a-fA-F])([0-9a-fA-F]{4})|([nrt\"\\/]))", re.ASCII)
"""A letter of JSON that is written as its number, or by a name; halves of those beyond 16 bits stay as they are."""
_NAMED: Final = {"n": "\n", "r": "\r", "t": "\t"}


class ReadCall(NamedTuple):
    """A tool call as it was read; what its arguments say is in `text` where they are no JSON."""

    tool: str
    args: Mapping[str, Any]
    text: str


def read_call(given: Mapping[Any, Any]) -> ReadCall | None:
    """Return what a tool call says, or None where it names no tool.

    Arguments stand in `args`, `arguments` or `input`, as a dict or as JSON; those of OpenAI with the name within
    `function`. A key that is not known may hold what the tool is to do, and is refused: nothing may pass unread.

    Raises:
        ConfigurationError: A key is unknown, or arguments stand at two places.
    """
    outer, call = given, given
    if "name" not in given and isinstance(given.get("function"), Mapping):
        call = given["function"]
        _check_keys(outer, ("function",))
    name = call.get("name")
    if not isinstance(name, str):
        return None
    _check_keys(call, ("name", *_ARGUMENTS))
    places = [key for key in _ARGUMENTS if call.get(key) is not None]
    if len(places) > 1:
        msg = f"the tool call has arguments in {places[0]!r} and in {places[1]!r}; keep one of them"
        raise ConfigurationError(msg)
    return _read(name, call[places[0]] if places else None)


def _check_keys(call: Mapping[Any, Any], known: Iterable[str]) -> None:
    names = (*known, *_BESIDE)
    unknown = next((key for key in call if key not in names), None)
    if unknown is not None:
        msg = (
            f"the tool call has the unknown key {str(unknown)[:40]!r}; arguments stand in 'args', 'arguments' or "
            "'input', for example {'name': 'shell', 'args': {'command': 'ls'}}: rename it, or leave it out"
        )
        raise ConfigurationError(msg)


def _read(name: str, given: object) -> ReadCall:
    """Read arguments; text that is no JSON, or says a name twice, counts as words: its reader may read it otherwise."""
    if isinstance(given, str):
        try:
            said = json.loads(given, strict=False, object_pairs_hook=_once) if given.strip() else None
        except (ValueError, RecursionError):
            return ReadCall(name, {}, _said(given))
        return _read_value(name, said)
    return _read_value(name, given)


def _read_value(name: str, value: object) -> ReadCall:
    if value is None:
        return ReadCall(name, {}, "")
    return ReadCall(name, value if isinstance(value, Mapping) else {"args": value}, "")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError  # parsers differ in which of them they take
    return made


def _said(text: str) -> str:
    """Return broken JSON with what its strings say, each on a line of its own, and together: as a tool may mend it."""
    strings = [_ESCAPED.sub(_letter, found) for found in _STRING.findall(text)]
    return "\n".join((text, *strings, "call " + " ".join(strings))) if strings else _ESCAPED.sub(_letter, text)


def _letter(escaped: re.Match[str]) -> str:
    number, name = escaped.groups()
    return chr(int(number, 16)) if number else _NAMED.get(name, name)

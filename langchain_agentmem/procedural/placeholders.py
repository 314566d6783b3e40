"""What stands in a skill's arguments for what is given and found when it runs: `{inputs.x}` and `{results.step}`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from langchain_agentmem._lazy_pattern import lazy_pattern

_PLACEHOLDER: Final = lazy_pattern(r"\{(inputs|results)\.([^{}]*)\}")
_LIKE_ONE: Final = lazy_pattern(r"(?i)\{[ \t]*(?:inputs?|results?)[ \t]*\.[^{}]*\}")


def placeholders(value: Any) -> Iterator[re.Match[str]]:  # noqa: ANN401  (arguments of any shape)
    """Yield what is to be put in place in arguments."""
    for text in _texts(value):
        yield from _PLACEHOLDER.finditer(text)


def wrong_placeholder(args: Mapping[str, Any], results: Collection[str]) -> str:
    """Return why a placeholder in arguments can never be filled; empty: all may be.

    Args:
        args: The arguments.
        results: Names of the steps before.
    """
    for text in _texts(args):
        for found in _LIKE_ONE.finditer(text):
            exact = _PLACEHOLDER.fullmatch(found[0])
            if exact is None:
                return f"{found[0]} is no placeholder; write {{inputs.name}} or {{results.step}}"
            if exact[1] == "results" and exact[2] not in results:
                return f"{found[0]} names no step before it; there is: {', '.join(results) or 'none'}"
    key = next((key for key in _keys(args) if _LIKE_ONE.search(key)), None)
    return "" if key is None else f"{key} is a key, and placeholders are filled in values alone"


def filled(value: Any, inputs: Mapping[str, Any], results: Mapping[str, Any]) -> Any:  # noqa: ANN401  (as above)
    """Return arguments with what was given and found put in place; one that is a placeholder keeps its type.

    Raises:
        KeyError: A placeholder stands for nothing that is known; the error has it.
    """
    known = {"inputs": inputs, "results": results}

    def given(found: re.Match[str]) -> Any:  # noqa: ANN401  (as above)
        if found[2] not in known[found[1]]:
            raise KeyError(found[0])
        return known[found[1]][found[2]]

    def fill(value: Any) -> Any:  # noqa: ANN401  (as above)
        if isinstance(value, Mapping):
            return {name: fill(item) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return [fill(item) for item in value]
        if not isinstance(value, str):
            return value
        whole = _PLACEHOLDER.fullmatch(value)
        return given(whole) if whole else _PLACEHOLDER.sub(lambda found: str(given(found)), value)

    return fill(value)


def _texts(value: Any) -> Iterator[str]:  # noqa: ANN401  (as above)
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str):
        yield value


def _keys(value: Any) -> Iterator[str]:  # noqa: ANN401  (as above)
    if isinstance(value, Mapping):
        yield from map(str, value)
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from _keys(item)

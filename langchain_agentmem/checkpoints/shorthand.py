"""Names that LangGraph gives in every graph, in one character each: where a task stands, which branch is taken.

A name that begins with such a character itself is marked. The characters are part of the format: none may ever stand
for something else, and new ones may only be added.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

_ITSELF: Final = "\x01"
_PHRASES: Final = MappingProxyType({_ITSELF: "", "\x02": "~__pregel_pull, ", "\x03": "branch:to:"})
_CODES: Final = tuple((phrase, code) for code, phrase in _PHRASES.items() if phrase)


def shorthand(name: str) -> str:
    """Return a name as it is stored."""
    for phrase, code in _CODES:
        if name.startswith(phrase):
            return code + name[len(phrase) :]
    return _ITSELF + name if name[:1] in _PHRASES else name


def longhand(stored: str) -> str:
    """Return the name of `shorthand`; what was stored before there was any is the name itself."""
    phrase = _PHRASES.get(stored[:1])
    return stored if phrase is None else phrase + stored[1:]

"""White space of any length made short, with the way back to where each character stood.

A reader of patterns tries every blank of a gap against every other, and what it reads may be laid out by anybody: a
pasted table, or four thousand new lines. Nothing is said by how wide a gap is, so readers are shown a narrow one.
"""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.text.folding import Folded

MAX_GAP: Final = 8
"""Characters of white space that are read as they stand; a wider gap is read as one new line, or as one blank."""

_WIDE: Final = lazy_pattern(rf"\s\s{{{MAX_GAP}}}\s*+")  # the first blank alone: a search jumps from one to the next


def gathered(text: str) -> Folded:
    """Return a text without wide gaps, and for each of its characters the place it came from.

    Example:
        >>> gathered("I live in            York").span(10, 14)
        (21, 25)
    """
    pieces: list[str] = []
    places: list[int] = []
    start = 0
    for gap in _WIDE.finditer(text):
        narrow = _narrow(gap)
        pieces += (text[start : gap.start()], narrow)
        places += (*range(start, gap.start()), gap.start() + max(0, gap[0].find(narrow)))
        start = gap.end()
    if not pieces:
        return Folded(text, range(len(text)))
    return Folded("".join((*pieces, text[start:])), (*places, *range(start, len(text))))


def _narrow(gap: re.Match[str]) -> str:
    return "\n" if "\n" in gap[0] else " "

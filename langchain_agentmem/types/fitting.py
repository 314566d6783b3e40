"""Sections of lines under one budget of tokens: what matters least is left out, and how much of it is said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple
from xml.sax.saxutils import escape

CHARS_PER_TOKEN: Final = 4
"""The same estimate as `langchain_core.messages.utils.count_tokens_approximately`."""

_OMITTED_CHARS: Final = len(' omitted="9999"')
_CUT: Final = "…"


class Section(NamedTuple):
    """Lines under a name, in the order in which they are shown.

    Attributes:
        are_newest_kept: Of lines that do not all fit, the last ones stay; else the first ones.
    """

    name: str
    lines: Sequence[str]
    are_newest_kept: bool = True


class Fitted(NamedTuple):
    """What fits of a section, ready to be shown, and what it takes."""

    text: str
    chars: int


def tokens_of(text: str) -> int:
    """Return about how many tokens a text takes."""
    return -(-len(text) // CHARS_PER_TOKEN)


def fitted(frame: tuple[str, str], sections: Sequence[Section], max_tokens: int) -> str:
    """Return sections between the two lines of a frame, the most important first, in at most `max_tokens`.

    Each section takes what it needs of what those before it left. Of one that does not fit whole, lines stay as long as
    they fit, one after the other, and `omitted` says how many are missing. Lines are escaped here. Empty where not even
    one section fits.
    """
    left = max_tokens * CHARS_PER_TOKEN - sum(len(line) + 1 for line in frame)
    shown: list[str] = []
    for section in sections:
        found = _fitted(section, left)
        if found.text:
            shown.append(found.text)
            left -= found.chars
    return "\n".join([frame[0], *shown, frame[1]]) if shown else ""


def shortened(text: str, max_chars: int) -> str:
    """Return text of at most so many characters once it is escaped; what is cut off is marked."""
    if len(escape(text)) <= max_chars:
        return text
    kept = text[: max(max_chars - len(_CUT), 0)]
    while kept and len(escape(kept)) + len(_CUT) > max_chars:
        kept = kept[: min(len(kept) - 1, len(kept) * max_chars // len(escape(kept)))]
    return kept.rstrip() + _CUT if kept else ""


def _fitted(section: Section, left: int) -> Fitted:
    room = left - len(f"<{section.name}>\n</{section.name}>\n") - _OMITTED_CHARS
    kept: list[str] = []
    for line in reversed(section.lines) if section.are_newest_kept else section.lines:
        written = escape(line)
        room -= len(written) + 1
        if room < 0:
            break
        kept.append(written)
    if not kept:
        return Fitted("", 0)
    missing = len(section.lines) - len(kept)
    omitted = f' omitted="{missing}"' if missing else ""
    ordered = kept[::-1] if section.are_newest_kept else kept
    text = "\n".join([f"<{section.name}{omitted}>", *ordered, f"</{section.name}>"])
    return Fitted(text, len(text) + 1)

"""Text made plain for pattern matching, with the way back to the original.

Full-width and Arabic-Indic digits, typographic dashes and quotes, ligatures and invisible characters are one and the
same to a reader; to a pattern they are not. `fold` removes the difference and remembers where each character stood.
Source: Unicode Standard Annex 15 (NFKC) and the default-ignorable characters of chapter 5.21.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.text.sentences import split_sentences

_SINGLE_QUOTES: Final = "\u2018\u2019\u201a\u201b\u2032\u02bc"
_DOUBLE_QUOTES: Final = "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb"
_MINUS: Final = "\u2212"
# Letters of Cyrillic and Greek that are drawn like Latin ones (a small part of Unicode Technical Standard 39).
_LOOK_ALIKES: Final = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u051b\u051d\u04bb\u03bf\u03b1\u03b9\u03bd\u03c1\u03c5",
    "aeopcyxijsdqwhoaivpu",
)
_QUOTED: Final = lazy_pattern(
    r"\"[^\"\n]{1,1000}\"|`[^`\n]{1,1000}`|(?<!\w)'[^'\n]{1,300}(?:'\w[^'\n]{0,300}){0,4}'(?!\w)"
)
_SENTENCE_END: Final = lazy_pattern(r"(?<=[.!?])[\"')\]]*\s+|\n+|(?<=;)\s+")


@dataclass(frozen=True, slots=True)
class Folded:
    """Plain text and, for each of its characters, the place it came from."""

    text: str
    places: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where `text[start:end]` stands in the original; the span is not empty."""
        return self.places[start], self.places[end - 1] + 1


def fold(text: str) -> Folded:
    """Return `text` with compatibility forms, digits, dashes, quotes and spaces made plain; letters keep their case."""
    if text.isascii():
        return Folded(text, range(len(text)))
    pieces: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        plain = _plain(char)
        pieces.append(plain)
        places.extend([place] * len(plain))
    return Folded("".join(pieces), places)


def fold_case(text: str) -> str:
    """Return `text` folded as by `fold` and without case, for matching words where no place is needed."""
    return fold(text).text.casefold()


def fold_look_alikes(text: str) -> str:
    """Return `fold_case(text)` with foreign letters that are drawn like Latin ones replaced by them."""
    return fold_case(text).translate(_LOOK_ALIKES)


def in_one_line(text: str) -> str:
    """Return a text as it is compared: its words in one line, without case."""
    return " ".join(text.casefold().split())


def without_quotes(text: str) -> str:
    """Return folded `text` with quoted parts blanked: what others said or what is called so is not the statement.

    Where nothing but a quotation is there, it is the statement and stays.
    """
    bare = _QUOTED.sub(" it ", text)
    rest = _QUOTED.sub("", text)
    return bare if any(char.isalnum() for char in rest) else text.replace('"', " ")


def sentences(text: str) -> list[str]:
    """Return the sentences of folded `text`, stripped, none empty."""
    return [part.strip() for part in split_sentences(text, _SENTENCE_END) if part and part.strip()]


@lru_cache(maxsize=8192)
def _plain(char: str) -> str:
    if char.isascii():
        return char
    if char in _SINGLE_QUOTES:
        return "'"
    if char in _DOUBLE_QUOTES:
        return '"'
    digit = unicodedata.decimal(char, None)
    if digit is not None:
        return str(digit)
    category = unicodedata.category(char)
    if category == "Cf" or "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef":
        return ""
    if category == "Pd" or char == _MINUS:
        return "-"
    if category == "Zs":
        return " "
    return "\n" if category in {"Zl", "Zp"} else unicodedata.normalize("NFKC", char)

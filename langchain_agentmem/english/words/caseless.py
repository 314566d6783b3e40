"""The words of a text as a pattern without case takes them: a cheap question before the dear one of the pattern.

Whoever asks some dozens of patterns of each sentence finds most of them in vain. Each of these holds one word at least
of a few, and a sentence that has none of them need not be searched.
"""

from __future__ import annotations

from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern

_WORD: Final = lazy_pattern(r"\w+")
_AS_ASCII: Final = str.maketrans("\u0130\u0131\u017f", "iis")
"""Letters that `re.IGNORECASE` takes for an i or an s, and `str.lower` does not."""


def caseless_words(text: str) -> frozenset[str]:
    """Return the words of a text in small letters, each from one boundary of a word to the next.

    Example:
        >>> sorted(caseless_words("I don't eat Tofu-Burgers"))
        ['burgers', 'don', 'eat', 'i', 't', 'tofu']
    """
    return frozenset(_WORD.findall(text.translate(_AS_ASCII).lower()))

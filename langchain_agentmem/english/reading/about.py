"""Whom or what a sentence is led by: "Emma is not diabetic" is about Emma, and about nobody who is not named so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from langchain_agentmem._held_texts import of_texts
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.reading.reading import OWNS, Token, read
from langchain_agentmem.english.words.lexicon import COMMON_FIRST_WORDS, LIGHT, NEGATORS, STOP

_OF_THINGS: Final = frozenset("the a an for on in at of about use uses using 's".split())
"""Before a name that is a thing's: "uses Postgres for Atlas", and neither "plays with Emma" nor "likes Emma"."""

_KEPT: Final = 1_024
_NO_LONGER: Final = lazy_pattern(r"\bno longer\b|\bany ?(?:more|longer)\b", re.IGNORECASE)


def is_elliptical(text: str, words: Iterable[str], *values: str | None) -> bool:
    """Whether a sentence has no words but a value and the wrong one: what is so "no longer" has a verb as well.

    Example:
        >>> is_elliptical(
        ...     "Actually TypeScript, not JavaScript", ["typescript", "javascript"], "javascript", "typescript"
        ... )
        True
    """
    given = {word for value in values for word in (value or "").split()}
    return given.issuperset(words) and not _NO_LONGER.search(text)


def leading(tokens: Sequence[Token]) -> frozenset[str]:
    """Return the terms of the name, or of the one word, that leads a sentence; none where it is a word of any sentence.

    Example:
        >>> leading(read("Tom Smith is not vegan")) == {"tom", "smith"}, leading(read("Use dark mode"))
        (True, frozenset())
    """
    led: set[str] = set()
    for token in tokens:
        if token.kind == "word" and token.norm in COMMON_FIRST_WORDS and not led and not token.is_name:
            if token.norm not in STOP and token.norm not in LIGHT and token.norm not in NEGATORS:
                return frozenset()
        elif token.is_content and token.norm not in LIGHT and token.norm not in NEGATORS:
            if token.kind != "word" or (led and not token.is_name):
                break
            led.add(token.term)
            if not token.is_name:
                break
        elif led or token.kind == "number":
            break
    return frozenset(led)


@of_texts(_KEPT)
def things_in(text: str) -> frozenset[str]:
    """Return the terms of a text that may be things: words, and names that stand where no person does.

    Example:
        >>> sorted(things_in("I use Postgres for Atlas and live with Emma"))
        ['atlas', 'live', 'postgresql', 'use']
    """
    tokens = read(text)
    before = [Token("."), *tokens]
    return frozenset(
        it.term
        for last, it in pairwise(before)
        if it.is_content and it.norm != OWNS and (not it.is_name or last.norm in _OF_THINGS)
    )

"""Whether an answer that repeats a plain sentence repeats what it tells, or puts something else in that place.

"My dog's name is Rex" tells "Rex": the last word of a part, with the names and numbers right before it. Who answers
"Your dog's name is Max" has most of the words of it, and not the one that counts.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import tokenize

_BREAK: Final = lazy_pattern(r"[.!?] ")
_ASIDE: Final = lazy_pattern(
    r"[,;(]? ?\b(?:because|since|so that|although|though|while|which|who|unless|except|instead of|rather than|over|not"
    r"|but)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_LINK: Final = lazy_pattern(
    r" (?:in|on|at|for|with|to|from|before|after|by|during|near|under|until|when|whenever|if|as|and|via|per) ",
    re.IGNORECASE,
)


class _Part(NamedTuple):
    """A stretch between two prepositions: its terms, those of what it tells, and whether that is a name or number."""

    terms: frozenset[str]
    told: frozenset[str]
    is_named: bool


def tells_another(said: str, answer: str) -> bool:
    """Whether an answer lacks what a sentence tells, and has something else to tell.

    Of a text of several sentences that is not known, and so not so.

    Args:
        said: One plain sentence.
        answer: Words that share some of its.

    Example:
        >>> (
        ...     tells_another("My dog's name is Rex", "Your dog's name is Max."),
        ...     tells_another("It runs on Vault", "Vault."),
        ... )
        (True, False)
    """
    parts = _parts(said)
    terms, own = frozenset(tokenize(answer)), frozenset(tokenize(said))
    if not parts or terms <= own:
        return False
    named = [it for it in parts if it.is_named]
    if not named:
        return parts[0].told.isdisjoint(terms) or parts[-1].terms.isdisjoint(terms)
    if named[-1].told.isdisjoint(terms):
        return True
    return any(it.told.isdisjoint(terms) for it in named) and not _names(answer) <= own


def _parts(said: str) -> list[_Part]:
    line = " ".join(said.split())
    if "\n" in said.strip() or _BREAK.search(line):
        return []
    texts = _LINK.split(_ASIDE.sub("", line))
    found = (_part(it, is_first=not place) for place, it in enumerate(texts))
    return [it for it in found if it is not None]


def _part(text: str, *, is_first: bool) -> _Part | None:
    words = [it for it in text.split() if tokenize(it)]
    if not words:
        return None
    start = len(words) - 1
    while start > is_first and _is_named(words[start - 1]):  # the first word has its capital from the sentence
        start -= 1
    told = words[start:]
    return _Part(frozenset(tokenize(text)), frozenset(tokenize(" ".join(told))), any(map(_is_named, told)))


def _names(answer: str) -> frozenset[str]:
    """Return the terms of names and numbers in an answer that begin no sentence."""
    words = (it for sentence in re.split(r"[.!?:]\s|\n", answer) for it in sentence.split()[1:])
    return frozenset(term for it in words if _is_named(it) for term in tokenize(it))


def _is_named(word: str) -> bool:
    return any(it.isupper() or it.isdigit() for it in word)

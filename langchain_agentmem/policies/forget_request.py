"""Which memories a request to forget means: those that say what the user named, and no others.

A memory matches when it holds every word of content the user named, stemmed, words of liking taken as one, and both
deny it or neither does. Nearness of vectors is no evidence: "allergic" and "not allergic" are neighbours. What is
missed can be named again; what is forgotten too much may not be noticed.
"""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._terms import tokenize
from langchain_agentmem.policies.statements import parse_statement

# Ways to say that one likes something: a request rarely repeats the very word that was remembered.
_LIKING: Final = frozenset(tokenize("like love prefer enjoy favor favorite favourite adore fond preference"))
# Words by which a request names memory itself or the speaker, not what is remembered.
_EMPTY: Final = frozenset(
    tokenize(
        "user remember remembered know knew tell told say said mention mentioned thing things everything anything"
        " something stuff fact facts detail details memory memories info information please ever"
    )
)
_LIKED: Final = "like"
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n+")
_FORGETS: Final = re.compile(r"\b(?:forget|delete|remove|erase|drop)\b", re.IGNORECASE)
_AGREES: Final = re.compile(
    r"\W*(?:yes|yeah|yep|sure|ok|okay|right|please|go ahead|do (?:it|so|that)|forget|delete|remove|erase)\b",
    re.IGNORECASE,
)
_DECLINES: Final = re.compile(r"\b(?:no|not|never|don.?t|but|except|keep|wait)\b", re.IGNORECASE)


def is_meant(what: str, content: str) -> bool:
    """Whether a request to forget `what` means the memory `content`.

    Example:
        >>> is_meant("that I like sushi", "Alice loves sushi")
        True
        >>> is_meant("that I like sushi", "Alice is allergic to sushi rice")
        False
    """
    return is_named(what, content) and parse_statement(what).negations % 2 == parse_statement(content).negations % 2


def is_said_in(what: str, spoken: str) -> bool:
    """Whether a request to forget `what` means what was said in a conversation: one of its sentences."""
    return any(is_meant(what, sentence) for sentence in _SENTENCE.split(spoken))


def is_named(what: str, content: str) -> bool:
    """Whether a request to forget `what` names all that it means in the words of `content`, denied there or not."""
    wanted = _words(what)
    return bool(wanted) and wanted <= _words(content)


def is_agreed(question: str, answer: str, content: str) -> bool:
    """Whether an answer agrees to forget a memory, which the question had named.

    Example:
        >>> is_agreed("Shall I forget that Alice likes sushi?", "Yes, please.", "Alice likes sushi")
        True
        >>> is_agreed("Shall I forget that Alice likes sushi?", "No, keep it.", "Alice likes sushi")
        False
    """
    if not _AGREES.match(answer) or _DECLINES.search(answer):
        return False
    return any(_FORGETS.search(it) and is_meant(content, it) for it in _SENTENCE.split(question))


def _words(text: str) -> frozenset[str]:
    return frozenset(_LIKED if term in _LIKING else term for term in tokenize(text) if term not in _EMPTY)

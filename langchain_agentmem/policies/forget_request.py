"""Which memories a request to forget means: those that say what the user named, and no others.

A memory matches when it holds every word of content the user named, stemmed, words of liking taken as one, and both
deny it or neither does. Nearness of vectors is no evidence: "allergic" and "not allergic" are neighbours. What is
missed can be named again; what is forgotten too much may not be noticed. A turn of a conversation matches as well
where the assistant answered with it: "Dark mode." says by its question that somebody prefers it.
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

MAX_BESIDE: Final = 2
"""Words of an answer besides what was asked for ("as far as I know, Oslo"); with more it says something of its own."""

_REPLY: Final = "\nassistant: "
"""Between the two sides of a turn; see `Episode.content`."""

_ASKS_OF_ONESELF: Final = re.compile(
    r"\b(?:(?:do|did|am|was|have|had) (?:I|we)|my|our|mine|about me)\b[^.!\n]*(?:\?|$)", re.IGNORECASE
)
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
    r"""Whether a request to forget `what` means a turn of a conversation: one of its sentences, or what it answers.

    An answer says by itself only what was asked for. It is meant where the question was about the user and both
    together hold every word, or where it consists of nothing but what is liked.

    Example:
        >>> is_said_in("that I live in Oslo", "user: Where do I live?\nassistant: Oslo.")
        True
        >>> is_said_in("that I live in Oslo", "user: Where is the opera?\nassistant: Oslo.")
        False
    """
    if any(is_meant(what, sentence) for sentence in _SENTENCE.split(spoken)):
        return True
    question, _, reply = spoken.partition(_REPLY)
    return any(_is_answered(what, question, sentence) for sentence in _SENTENCE.split(reply))


def _is_answered(what: str, question: str, answer: str) -> bool:
    wanted, said, asked = _words(what), _words(answer), _words(question)
    if not (wanted - asked) & said or parse_statement(what).negations % 2 != parse_statement(answer).negations % 2:
        return False
    if said <= wanted <= said | {_LIKED}:
        return True
    is_own = _ASKS_OF_ONESELF.search(question) is not None
    return is_own and wanted <= said | asked | {_LIKED} and len(said - wanted - asked) <= MAX_BESIDE


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

"""Turns of a conversation that resemble a question because they ask the same: that alone answers nothing.

"Which language should I use?" – "No idea." has every word of the question when it comes back, and stands above the
memory that answers it: it was left open. "Which language should I use?" – "Python." may be what is looked for, but all
of its words are the question's own: it counts half. English replies; a turn that nobody answered is left open in any
language.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.text.sentences import split_sentences
from langchain_agentmem.english.words.word_forms import has_any

_KNOWS_NOT: Final = (
    r"(?:i(?:'m| am) (?:not sure|unsure|afraid)|i have (?:no|not)|(?:i have )?no (?:idea|clue)|not sure|unknown"
    r"|i (?:really |currently |honestly )?(?:do not|don't) (?:know|remember|recall|have|see|think i (?:know|have))"
    r"|i (?:can ?not|can't|could not|couldn't|am unable to|'m unable to)"
    r" (?:say|tell|find|answer|recall|remember|help|know|see|determine)"
    r"|you (?:have not|haven't|did not|didn't|never) (?:told|tell|mention\w*|said|say|share\w*|specif\w+)"
    r"|(?:that|it) (?:has not|hasn't|was not|wasn't) (?:been )?(?:mentioned|told|said|shared)"
    r"|there is (?:no|nothing)|hard to say|it depends)"
)
_SORRY: Final = (
    r"(?:(?:oh|hmm+|well|um+|uh|unfortunately|sorry|apologies|my apologies|i(?:'m| am) sorry|i apologi[sz]e|but"
    r"|honestly|good question)\b[,.!\u2026\s]*)"
)
_OPEN: Final = lazy_pattern(rf"\W*(?:{_SORRY}*{_KNOWS_NOT}\b|{_SORRY}+\W*$)", re.IGNORECASE)
_OFFERS: Final = lazy_pattern(
    r"\W*(?:(?:could|can|would|will) you\b|please\b|let me know\b|if you\b|feel free\b"
    r"|(?:but )?i(?:'d| would) be (?:happy|glad)|i(?:'ll| will) remember|(?:but )?i can (?:help|look))",
    re.IGNORECASE,
)
_BUT: Final = lazy_pattern(r"\w\W+(?:but|however|though|although|except|only)\b", re.IGNORECASE)
_ABOUT_ASKING: Final = lazy_pattern(r"\b(?:ask|asks|asked|asking|question|questions|wonder|wondered)\b", re.IGNORECASE)
_MARKS: Final = ("?", "\uff1f", "\u061f")


def is_left_open(text: str, reply: str) -> bool:
    """Whether a turn only asks, and the reply says no more than that nobody knows.

    A turn without a reply may be answered by the next one: it is not left open.

    Example:
        >>> is_left_open("Which language should I use?", "I don't know, sorry. Could you tell me more?")
        True
        >>> is_left_open("Which language should I use?", "I don't know your team. You prefer Python.")
        False
    """
    answered = split_sentences(reply)
    if not answered or not _only_asks(text):
        return False
    return any(map(_OPEN.match, answered)) and all(_says_nothing(it) for it in answered)


def is_echo(text: str, reply: str, terms: Collection[str]) -> bool:
    """Whether a turn only asks, and has the words of what is asked for in that alone: in no form in its reply.

    Example:
        >>> is_echo("Which language should I use?", "Python.", ["languag"])
        True
        >>> is_echo("Which language should I use?", "Any language that your team knows.", ["languag"])
        False
    """
    return bool(reply) and _only_asks(text) and has_any(text, terms) and not has_any(reply, terms)


def asks_what_was_asked(query: str) -> bool:
    """Whether a question is about questions: turns that only ask may answer it.

    Example:
        >>> asks_what_was_asked("What did I ask you last week?")
        True
    """
    return _ABOUT_ASKING.search(query) is not None


def _only_asks(text: str) -> bool:
    asked = split_sentences(text)
    return bool(asked) and all(it.strip(" \"')\u201d").endswith(_MARKS) for it in asked)


def _says_nothing(sentence: str) -> bool:
    said = sentence.strip(" \"')\u201d")
    if said.endswith(_MARKS) or _OFFERS.match(said):
        return True
    return _OPEN.match(said) is not None and _BUT.search(said) is None

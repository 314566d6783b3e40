"""Whom one talks to, and slang that says nothing, at the end: "I live in Hull love", "I'm a plumber fr"."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.text.vocatives import ENDEARMENT
from langchain_agentmem.english.words.number_words import TWO_OR_MORE
from langchain_agentmem.english.words.patterns import PLAIN_CAPITALIZED

_SLANG: Final = lazy_pattern(
    r"(?<=[\w)%]),? (?:(?<!speak )(?<!learning )(?<!study )(?<!in )(?<!to )fr(?: fr)?|frfr|no cap|ong|on god|innit"
    r"|deadass)$",
    re.IGNORECASE,
)
_ADDRESS: Final = lazy_pattern(rf"(?P<comma>,)? (?:{ENDEARMENT}|dude|duck)$")
"""In small letters: "My name is Love" and "Dear" on a list are names."""

_COMPLETE: Final = lazy_pattern(
    rf"(?:^|[\s'])(?:(?:\d+|{TWO_OR_MORE}|some|no) [\w-]+s"
    r"|(?:live|living|born|work|working|from|m|am|staying|grew up|based|moved)(?: (?:in|near|from|at|to|for))?"
    r" (?!(?:my|the|an?|his|her|our|your|this|that|true|real|pure|deep|one|first|no|any|some|in|for|with|from|at|old"
    r"|too|\w+ing)\b)"
    rf"[\w'-]+|{PLAIN_CAPITALIZED}|nights|days|now|today|alone|too|here|there|any ?more|alright|fine|okay|ok|myself)$",
    re.IGNORECASE,
)
"""What needs no noun behind it: "two cats", "in Hull", "diabetic". Behind an article the noun may be meant."""


def without_vocative(text: str) -> str:
    """Return a statement without whom it is said to, and without slang that only assures that it is so.

    Example:
        >>> without_vocative("I live in Hull love"), without_vocative("I have a running mate")
        ('I live in Hull', 'I have a running mate')
    """
    text = _SLANG.sub("", text)
    address = _ADDRESS.search(text)
    if address is None:
        return text
    said = text[: address.start()]
    return said if address["comma"] or _COMPLETE.search(said) else text

"""The questions of a message, one by one: "Where do I live, and what do I like?" asks two things.

A part is told from another where it could be asked alone: a question word with its verb, or a verb with its subject. So
"when I moved and when I came back" stays whole. English; other languages are told apart by their question marks only.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.text.sentences import split_sentences

__all__ = ["meant", "questions_in"]

_VERB: Final = (
    r"(?:do|does|did|don't|doesn't|didn't|is|are|am|was|were|isn't|aren't|wasn't|weren't|can|could|can't|couldn't"
    r"|should|shouldn't|would|wouldn't|will|won't|has|have|had|hasn't|haven't|hadn't|may|might|must|shall)"
)
_SUBJECT: Final = r"(?:(?:i|you|we|they|he|she|it|my|our|your|his|her|their|its|the|there|that|this|any|these|those)\b)"
_NO_SUBJECT: Final = r"(?!(?:i|you|we|they|he|she|it|my|our|your|his|her|their|its|the|there|a|an)(?![\w]))"
_ASKS: Final = (
    r"(?:"
    rf"(?:what|which|whose|how)(?:\s+{_NO_SUBJECT}[\w'-]+){{0,3}}?\s+{_VERB}\s"
    rf"|(?:where|when|who|whom|why)\s+{_VERB}\s"
    r"|(?:what|where|when|who|why|how)(?:'s|'re|'d|'ll|'ve)\s"
    rf"|who\s+(?!{_VERB}\b){_NO_SUBJECT}\w|what\s+(?:happen|chang|went|came|made|cause)"
    rf"|{_VERB}\s+{_SUBJECT}"
    r")"
)
_WONDERED: Final = r"(?:what|where|when|who|whom|whose|which|why|how)\s"

_SENTENCE: Final = lazy_pattern(r"(?<=[.!?;])[\"')\]]?\s+|(?<=[\u3002\uff01\uff1f])|\n+")
_BULLET: Final = lazy_pattern(r"^\s*(?:[-*\u2022]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s+", re.IGNORECASE)
_LISTED: Final = lazy_pattern(
    rf"(?:^|(?<=\s))\(?(?P<number>\d{{1,2}}|[a-h](?=\)))[.)]\s+(?={_ASKS}|{_WONDERED})", re.IGNORECASE
)
_OPENS: Final = lazy_pattern(rf"(?:and |so |also |but |then |ok |hi |hey )?{_ASKS}", re.IGNORECASE)
_WONDERS: Final = lazy_pattern(
    r"(?:please )?(?:(?:can|could|would|will) you (?:please )?)?(?:tell me|remind me|let me know"
    r"|do you (?:know|remember)|i(?:'d| would) (?:like|love) to know|i (?:want|need) to know|i wonder|i'm wondering)"
    rf" (?:again )?(?={_WONDERED})",
    re.IGNORECASE,
)
_ASK: Final = lazy_pattern(rf"\b{_ASKS}", re.IGNORECASE)
_JOINT: Final = r"(?:[,;]?\s+(?:and|or|plus|also|as well as)\s+(?:also |then )?|[,;]\s+)"
_ASKED_NEXT: Final = lazy_pattern(rf"{_JOINT}(?={_ASKS})", re.IGNORECASE)
_WONDERED_NEXT: Final = lazy_pattern(rf"{_JOINT}(?={_WONDERED})", re.IGNORECASE)

_LEAST_LISTED: Final = 2  # a single number may count something else

_EMPTY_WORDS: Final = """
exactly thing stuff time day date long much many often kind sort type way one ones else again too also really actually
about happen happened know remember please tell remind wonder let mean meant
"""
_EMPTY: Final = frozenset(tokenize(_EMPTY_WORDS))
"""Words that ask, and by which nothing is found."""


def questions_in(text: str) -> tuple[str, ...]:
    """Return the questions of a message that asks more than one thing; a single one is the message itself: `()`.

    Example:
        >>> questions_in("Where do I live, and what is my cat called?")
        ('Where do I live?', 'what is my cat called?')
        >>> questions_in("What did I do when I moved and when I came back?")
        ()
    """
    parts: list[str] = []
    for sentence in split_sentences(_in_lines(text.replace("\u2019", "'")), _SENTENCE):
        bare = _BULLET.sub("", sentence).strip(" ,\"'")
        for part in _parts(bare, is_listed=bare != sentence.strip(" ,\"'")):
            if parts and not meant(part):  # "and why?" is about what was asked before
                parts[-1] = f"{parts[-1].rstrip('?')}, {part}"
            else:
                parts.append(part)
    return tuple(_whole(part) for part in parts) if len(parts) > 1 else ()


def _in_lines(text: str) -> str:
    """Return a text with each question of a numbered list on a line of its own."""
    starts: list[int] = []
    for found in _LISTED.finditer(text):
        number = found["number"].casefold()
        if (int(number) if number.isdecimal() else ord(number) - ord("a") + 1) == len(starts) + 1:
            starts.append(found.start())
    if len(starts) < _LEAST_LISTED:
        return text
    return "\n".join(text[start:end] for start, end in pairwise((0, *starts, len(text))))


def _whole(part: str) -> str:
    if part.endswith("\uff1f"):
        return part
    return f"{part.rstrip(' ?') if part.endswith('?') else part.rstrip(' .!,;')}?"


def meant(text: str) -> list[str]:
    """Return the terms of a question by which something can be found."""
    return [term for term in tokenize(text) if term not in _EMPTY]


def _parts(sentence: str, *, is_listed: bool) -> list[str]:
    """Return the questions of one sentence; none where it asks nothing."""
    wonders = _WONDERS.match(sentence) is not None
    is_asked = sentence.endswith(("?", "\uff1f")) or (not sentence.endswith("!") and _OPENS.match(sentence) is not None)
    is_item = is_listed and re.match(_WONDERED, sentence, re.IGNORECASE) is not None
    if not (wonders or is_asked or is_item):
        return []
    pieces = (_WONDERED_NEXT if wonders else _ASKED_NEXT).split(sentence)
    if len(pieces) > 1 and not wonders and _ASK.search(f"{pieces[0]} ") is None:
        pieces = [f"{pieces[0]}, {pieces[1]}", *pieces[2:]]  # "in May, where …"
    return [part.strip(" ,;") for part in pieces if part.strip(" ,;?.!")]

"""What is left of a claim of which only a part is denied: "takes ramipril and a statin", "no longer takes the statin".

What stands beside another is told by the form alone: an "and", an "or", or a comma with the same preposition, the same
verb form or a number behind it. Nothing that is read here is put into words: it only shows that something is left.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.people.beings import NAME, OWNER, WHO
from langchain_agentmem.english.words.calendar_words import MONTHS, SEASONS, WEEKDAYS
from langchain_agentmem.english.words.number_words import TWO_OR_MORE

_MAX_CHARS: Final = 300
"""Of a claim; a longer one tells a story."""

_MAX_PARTS: Final = 12
_PREPOSITION: Final = r"(?:in|on|at|for|from|with|to|by|of|as|under|near|after|before|during|because of)"
_DEED: Final = lazy_pattern(
    rf"(?:{OWNER} [\w-]+|{WHO}|{NAME}) (?:(?:also|now|still|really|often|usually|always|never|only|no longer) )*"
    rf"(?P<deed>(?:is|am|are) (?:not )?(?:(?:[a-z]+ )?{_PREPOSITION}(?= ))?|(?:has|have)(?= )"
    r"|(?:(?:does|do|can) not )?[\w'-]+)",
    re.IGNORECASE,
)
"""Who does it, and what is done."""

_WHY: Final = lazy_pattern(
    r",? \b(?:who|which|that|because|if|when|while|so|but|where|since|although|though|unless|until)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_LIST_JOINT: Final = lazy_pattern(r",? (?:and|or|as well as|plus|&) (?:also )?|, (?:also )?", re.IGNORECASE)
_BY_WORD: Final = lazy_pattern(r" (?:and|or|as well as|plus|&) ", re.IGNORECASE)
_NESTED: Final = lazy_pattern(rf" (?P<by>{_PREPOSITION}) (?P<what>[^,;]+)$", re.IGNORECASE)
_LED: Final = lazy_pattern(rf"(?:[a-z]+ )?(?P<by>{_PREPOSITION}) ", re.IGNORECASE)
_NUMBER: Final = lazy_pattern(r"\d")
_COUNTED: Final = lazy_pattern(rf"(?:\d{{1,2}}|{TWO_OR_MORE}) [a-z]", re.IGNORECASE)
_MARKED: Final = lazy_pattern(r"(?:the|my|our|their|his|her) |(?P<one>an? )", re.IGNORECASE)
_TIMES: Final = frozenset(
    tokenize(
        " ".join((*WEEKDAYS, *(f"{day}s" for day in WEEKDAYS), *MONTHS, *SEASONS))
        + " off free morning afternoon evening night noon weekend week day month year daily weekly monthly lunch dinner"
        " breakfast weekends"
    )
)
_OWN_VERB: Final = lazy_pattern(rf"(?:also |then )?[a-z]+ (?:{_PREPOSITION}|an?|the|my|their) ")
_COMPANY: Final = "with"
_OVER: Final = frozenset(tokenize("user longer anymore more stopped stop quit gave give up never"))
"""Words of a denial that tell of nothing which is denied."""


def is_part_denied(claim: str, denial: str) -> bool:
    """Whether a denial names some of the things that a claim tells of, and leaves others.

    Example:
        >>> is_part_denied("The user works at Fiat and Lidl", "The user no longer works at Lidl")
        True
        >>> is_part_denied("The user works at Fiat and Lidl", "The user no longer works at Fiat or Lidl")
        False
        >>> is_part_denied("The user plays golf with her son and daughter", "The user no longer plays golf")
        False
    """
    deed, parts = _parts(claim) if len(claim) <= _MAX_CHARS else ("", [])
    if not 1 < len(parts) <= _MAX_PARTS:
        return False
    said, denied = list(map(_terms, parts)), _terms(denial)
    are_named = [bool((_alone(place, said) or it) & denied) for place, it in enumerate(said)]
    if not any(are_named):
        is_of_deed = denied - _OVER <= _terms(deed)
        return is_of_deed and any(map(_OWN_VERB.match, parts[1:]))
    is_first = are_named[0] and sum(are_named) == 1
    if is_first and (_is_within(parts[0], parts[1], denied) or _names_all(parts)):
        return False
    left = [it for it, is_named in zip(said, are_named, strict=True) if not is_named]
    are_times = all(it <= _TIMES for it, is_named in zip(said, are_named, strict=True) if is_named)
    return any(are_times or not it <= _TIMES for it in left)


def _terms(text: str) -> frozenset[str]:
    return frozenset(tokenize(text))


def _alone(place: int, said: Sequence[frozenset[str]]) -> frozenset[str]:
    """Return the words of one thing that are of none of the others: "blue" of a red car and a blue car."""
    return said[place].difference(*(it for other, it in enumerate(said) if other != place))


def _is_within(part: str, after: str, denied: frozenset[str]) -> bool:
    """Whether an "and" joins what stands behind a preposition, of which nothing is denied: "golf with Tom and Ann"."""
    nested = _NESTED.search(part)
    if nested is None or not _terms(nested["what"]).isdisjoint(denied):
        return False
    head, within, beside = map(_sort, (part, nested["what"], after))
    return nested["by"].casefold() == _COMPANY or within == beside != head


def _names_all(parts: Sequence[str]) -> bool:
    """Whether the first part tells how many there are, and the others their names: "two kids, Tom and Ann"."""
    return _COUNTED.match(parts[0]) is not None and all(it[:1].isupper() for it in parts[1:])


def _sort(text: str) -> str:
    """Return what sort of words something is told in; "and" joins what is of one."""
    marked = _MARKED.match(text)
    if _terms(text) <= _TIMES:
        return "time"
    if marked is not None:
        return "one" if marked["one"] else "own"
    return "led" if _LED.match(text) else "name" if text[:1].isupper() else "bare"


def _parts(claim: str) -> tuple[str, list[str]]:
    """Return who does what in a claim, and what stands beside each other in it: the things that it is done with."""
    text = _WHY.sub("", " ".join(claim.split())).rstrip(". ")
    head = _DEED.match(text)
    if head is None:
        return "", []
    parts, start, has_word = list[str](), head.end(), _BY_WORD.search(text, head.end()) is not None
    for joint in _LIST_JOINT.finditer(text, head.end()):
        before, behind = text[start : joint.start()].strip(), text[joint.end() :]
        if has_word or _is_beside(before, behind):
            parts.append(before)
            start = joint.end()
    parts.append(text[start:].strip())
    return head["deed"], [parts[0] or head["deed"], *parts[1:]]


def _is_beside(before: str, behind: str) -> bool:
    """Whether what stands behind a comma is like what stands before it: no name of a place, and no remark."""
    led = _LED.match(behind)
    if led is not None:
        return re.search(rf"(?:^| ){led['by']} ", before, re.IGNORECASE) is not None
    return _NUMBER.match(behind) is not None and _NUMBER.search(before) is not None

"""Values that are put right in the same breath: "on the 3rd, wait no the 4th" says the 4th, and never said the 3rd."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.calendar_words import MONTH, SHORT_MONTH, WEEKDAY
from langchain_agentmem.english.number_words import counts

_JOINT: Final = r"(?:\s*(?:,|\.{2,3}|\u2026|\s[-\u2013\u2014])\s*)"
_EDIT: Final = rf"{_JOINT}(?:(?:oh|ah|er+|uh+|um+|hmm|ugh)[\s,]+)?"
_GOES_ON: Final = (
    r"(?!\s+(?:about|but|if|that|i(?! mean)|we(?! mean)|staff|times?|lists?|until|till"
    r"|(?:to|for)(?! the\b)(?=\s(?-i:[a-z])))\b)"
)
"""Behind what takes nothing back: "no, sorry to disappoint", "no wait for it"."""

_TAKEN_BACK: Final = (
    rf"(?:(?:no[\s,]+wait|wait[\s,]+no|no[\s,]+sorry){_GOES_ON}|sorry[\s,]+no(?={_JOINT})"
    rf"|(?:scratch|strike|scrap) that){_JOINT}?"
)
_DOUBTED: Final = r"(?:sorry[\s,]+no|no(?!\s+\w+days\b)|wait|sorry|oops|whoops|correction|or rather)"
_SAID: Final = r"(?P<link>(?:(?:on|at|in|by|for|to|from|with|as|until) )?(?:(?:the|an?) )?)"
_MAX_WORDS: Final = 5
_SURE: Final = lazy_pattern(rf"{_EDIT}{_TAKEN_BACK}\s*(?:I mean\s+|make (?:it|that)\s+|it's\s+)?", re.IGNORECASE)
_UNSURE: Final = lazy_pattern(rf"{_EDIT}{_DOUBTED}(?:{_JOINT}|\s+)", re.IGNORECASE)

_DENIED: Final = lazy_pattern(r"(?:(?:no|sorry|oops|wait),? ){0,2}not\b", re.IGNORECASE)

_MONTH: Final = rf"(?:{MONTH}|{SHORT_MONTH}\b)"
_UNIT: Final = r"(?:k|%| ?(?:kg|lbs|km|cm|mg|ml|euros?|pounds|dollars))"
_TYPES: Final = tuple(
    rf"(?<![\w.,:£$€]){value}(?![\w:]|[.,]\d)"
    for value in (
        rf"(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?)(?:,? (?:19|20)\d\d)?",
        r"\d{1,2}(?:st|nd|rd|th)",
        r"\d{1,2}(?:[:.]\d\d)? ?(?:am|pm)|\d{1,2}:\d\d",
        rf"(?:(?:next|this|last) )?{WEEKDAY}s?",
        _MONTH,
        rf"(?:[£$€]\s?)?(?:\d[\d.,]*\d|\d|{'|'.join(counts(2, 20))})(?P<unit>{_UNIT})?",
    )
)
"""Values of which one can only stand for another of the same sort; the longest first."""

_NAME: Final = r"(?<!\w)(?-i:[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2})(?!\w)"
_LAST_NAME: Final = lazy_pattern(rf"{_NAME}$", re.IGNORECASE)


def repaired(text: str) -> str:
    """Return a clause with the value that it ends with in the place of the one that it takes back.

    What takes itself back in so many words, and of which nobody can tell the right one, says nothing.

    Example:
        >>> repaired("My exam is on the 3rd, wait no the 4th"), repaired("I can't come on Friday, sorry Tom")
        ('My exam is on the 4th', "I can't come on Friday, sorry Tom")
    """
    if _DENIED.match(text):  # names what was wrong before, and is no statement
        return text
    found = _last(_SURE, text)
    if found is not None:
        return _with_right(text[: found.start()], text[found.end() :], may_be_name=True) or ""
    found = _last(_UNSURE, text)
    return (found and _with_right(text[: found.start()], text[found.end() :])) or text


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    return max(pattern.finditer(text), key=lambda it: it.start(), default=None)


def _with_right(said: str, right: str, *, may_be_name: bool = False) -> str | None:
    """Return what was said with the one value of the same sort replaced, or `None` where it is not one."""
    right = right.strip(" .!,")
    if not said or not right or len(right.split()) > _MAX_WORDS:
        return None
    for sort in _TYPES:
        value = re.fullmatch(rf"{_SAID}(?P<value>{sort})(?P<of>(?: [a-z]{{2,}}){{0,2}})", right, re.IGNORECASE)
        if value is not None:
            return _replaced(said, sort, value)
    named = re.fullmatch(rf"{_SAID}(?P<value>{_NAME})", right, re.IGNORECASE) if may_be_name else None
    last = _LAST_NAME.search(said) if named else None
    return None if named is None or last is None or last.start() == 0 else f"{said[: last.start()]}{named['value']}"


def _replaced(said: str, sort: str, value: re.Match[str]) -> str | None:
    """Return what was said with its one value of a sort, and of the same thing, replaced; a unit stays."""
    of = re.compile(rf"{re.escape(value['of'])}(?!\w)", re.IGNORECASE)
    wrong = [it for it in re.finditer(sort, said, re.IGNORECASE) if not value["of"] or of.match(said, it.end())]
    if len(wrong) != 1:
        return None
    unit = "" if value.groupdict().get("unit") else wrong[0].groupdict().get("unit") or ""
    return f"{said[: wrong[0].start()]}{value['value']}{unit}{said[wrong[0].end() :]}"

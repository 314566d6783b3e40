"""Values that are put right in the same breath: "on the 3rd, wait no the 4th" says the 4th, and never said the 3rd."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.people.beings import BEING
from langchain_agentmem.english.text.vocatives import ENDEARMENT
from langchain_agentmem.english.words.calendar_words import MONTH, SHORT_MONTH, WEEKDAY
from langchain_agentmem.english.words.kin_words import KIN, any_of
from langchain_agentmem.english.words.number_words import counts
from langchain_agentmem.english.words.patterns import CAPITAL, LINKED
from langchain_agentmem.extraction.sentences.slips import NO_VALUE, is_choice, last_word
from langchain_agentmem.extraction.words.given_names import is_spoken_to

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

_NAME: Final = rf"(?<!\w)(?-i:{CAPITAL}[\w'-]+(?: {LINKED}{CAPITAL}[\w'-]+){{0,2}})(?!\w)"
_DATE: Final = rf"(?:{WEEKDAY}|{MONTH}|{SHORT_MONTH})\b"
_LAST: Final = rf"(?!{_DATE}){_NAME}(?=(?: (?:in|on|since|last) (?:{_DATE}|(?:19|20)\d\d\b))?$)"
_LAST_NAME: Final = lazy_pattern(_LAST, re.IGNORECASE)
_OF_SOMEBODY: Final = lazy_pattern(rf"\b(?:called|named|name(?:'s| is)|{BEING}(?:'s| is)) $", re.IGNORECASE)
"""Before the name of somebody, or of an animal."""

_LINK: Final = lazy_pattern(_SAID, re.IGNORECASE)
_ARTICLE: Final = lazy_pattern(r"\b(?:an?|the) \Z", re.IGNORECASE)
_NO_NAME: Final = lazy_pattern(rf"(?:{WEEKDAY}|{ENDEARMENT}|{any_of(KIN)})\b", re.IGNORECASE)
"""Words with a capital that take no name's place: a day, and whoever is spoken to."""

_PLACED: Final = lazy_pattern(rf"\b(?:in|at|from|near|to|for|with|is|called|named) {_LAST}", re.IGNORECASE)
"""Ends with a name for which another may stand: "I live in Leeds", and not "ask Tom"."""

_NOT_A_WORD: Final = lazy_pattern(rf"{NO_VALUE.pattern}|(?:{'|'.join(counts(2, 20))})\b", re.IGNORECASE | re.DOTALL)
_NOT: Final = lazy_pattern(r"\b(?:not|never|no)\b|n't\b", re.IGNORECASE)


def repaired(text: str) -> str:
    """Return a clause with the value that it ends with in the place of the one that it takes back.

    What takes itself back in so many words, and of which nobody can tell the right one, says nothing.

    Example:
        >>> repaired("My exam is on the 3rd, wait no the 4th"), repaired("I can't come on Friday, sorry Tom")
        ('My exam is on the 4th', "I can't come on Friday, sorry Tom")
        >>> repaired("I live in Leeds, sorry, York"), repaired("I live in Leeds, sorry, Kate")
        ('I live in York', 'I live in Leeds')
        >>> repaired("I live in Leeds, scratch that, York"), repaired("I live in Leeds, scratch that, Claude")
        ('I live in York', '')
    """
    if _DENIED.match(text):  # names what was wrong before, and is no statement
        return text
    found = _last(_SURE, text)
    if found is not None:
        said, right = text[: found.start()], _bare(text[found.end() :])
        right = "" if _is_spoken_to(said, right) else right
        return _with_right(said, right) or _with_name(said, right) or _with_word(said, right) or ""
    found = _last(_UNSURE, text)
    if found is None:
        return text
    said, right = text[: found.start()], _bare(text[found.end() :])
    if _is_spoken_to(said, right):
        return said
    return _with_right(said, right) or (_is_of_name(said, found, right) and _with_name(said, right)) or text


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    return max(pattern.finditer(text), key=lambda it: it.start(), default=None)


def _bare(right: str) -> str:
    """Return what stands in the place of a value; nothing where it is too long to be one."""
    right = right.strip(" .!,")
    return right if len(right.split()) <= _MAX_WORDS else ""


def _is_spoken_to(said: str, right: str) -> bool:
    """Whether a name behind what is taken back is of whoever is spoken to: "I live in Leeds, sorry, Claude"."""
    last = _LAST_NAME.search(said)
    of_somebody = last is not None and _OF_SOMEBODY.search(said, 0, last.start()) is not None
    return last is not None and is_spoken_to(right, beside=last[0], of_somebody=of_somebody)


def _with_right(said: str, right: str) -> str | None:
    """Return what was said with the one value of the same sort replaced, or `None` where it is not one."""
    if not said or not right:
        return None
    for sort in _TYPES:
        value = re.fullmatch(rf"{_SAID}(?P<value>{sort})(?P<of>(?: [a-z]{{2,}}){{0,2}})", right, re.IGNORECASE)
        if value is not None:
            return _replaced(said, sort, value)
    return None


def _with_name(said: str, right: str) -> str | None:
    """Return what was said with another name in the place of that at its end, or `None` where it is not one."""
    named = re.fullmatch(rf"{_SAID}(?P<value>{_NAME})", right, re.IGNORECASE)
    last = _LAST_NAME.search(said) if named else None
    if named is None or last is None or last.start() == 0:
        return None
    return f"{said[: last.start()]}{named['value']}{said[last.end() :]}"


def _is_of_name(said: str, doubt: re.Match[str], right: str) -> bool:
    """Whether a name behind a doubt, set off from it, is no one spoken to: "I live in Leeds, sorry, York"."""
    is_set_off = doubt.group().rstrip()[-1:] in ",-\u2013\u2014\u2026."
    is_of_kin = _NO_NAME.match(right[_LINK.match(right).end() :]) is not None  # type: ignore[union-attr]  # may be empty
    return is_set_off and _PLACED.search(said) is not None and not is_of_kin and _NOT.search(said) is None


def _with_word(said: str, right: str) -> str | None:
    """Return what was said with another word in the place of that at its end, or `None` where it is not one."""
    word, value = last_word(said), right[_LINK.match(right).end() :]  # type: ignore[union-attr]  # may be empty
    if not word.islower() or not value.islower() or not is_choice(value) or _NOT_A_WORD.match(value):
        return None
    head, article = said[: len(said) - len(word)], _ARTICLE.search(said, 0, len(said) - len(word))
    if article is None:
        return f"{head}{value}"
    is_any = article.group().casefold() != "the "
    return f"{said[: article.start()]}{('an ' if value[0] in 'aeiou' else 'a ') if is_any else 'the '}{value}"


def _replaced(said: str, sort: str, value: re.Match[str]) -> str | None:
    """Return what was said with its one value of a sort, and of the same thing, replaced; a unit stays."""
    of = re.compile(rf"{re.escape(value['of'])}(?!\w)", re.IGNORECASE)
    wrong = [it for it in re.finditer(sort, said, re.IGNORECASE) if not value["of"] or of.match(said, it.end())]
    if len(wrong) != 1:
        return None
    unit = "" if value.groupdict().get("unit") else wrong[0].groupdict().get("unit") or ""
    return f"{said[: wrong[0].start()]}{value['value']}{unit}{said[wrong[0].end() :]}"

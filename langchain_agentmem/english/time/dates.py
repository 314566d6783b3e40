"""Days, months and years that a question names, exactly ("8 May 2023") or by the clock ("last Tuesday").

English. What is said of an event mostly follows it, so that a span is where to look first, and never a filter. What has
two readings ("6/10/2026") is read as both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime
from typing import Final, NamedTuple

from langchain_agentmem._held_texts import of_texts
from langchain_agentmem._search import NamedDate, Period
from langchain_agentmem.english.time import counted_dates as _counted_dates
from langchain_agentmem.english.time import named_dates as _named_dates
from langchain_agentmem.english.time.beside_dates import Moved, moved
from langchain_agentmem.english.time.named_dates import Dates, days_of, period
from langchain_agentmem.english.words.calendar_words import MONTHS

__all__ = ["dates_in", "days_of", "meets", "numbers_of_days", "period", "without_counted", "without_dates"]

_READ: Final = "\x00"
"""Stands in the place of what was read."""

SOON_DAYS: Final = 10
"""What happened is told within days: how long after a date something that is said may be of it."""

SHORT_DAYS: Final = 7
"""A time of so many days says when something was said; a longer one hardly does."""

_MONTHS: Final = {name[:3]: name for name in MONTHS}

_KEPT: Final = 4
"""Readings that are kept: whoever plans a question asks several times for the dates of the same words."""


class _Phrase(NamedTuple):
    """A part of a text, what it names by itself, and what with the words beside it: "since", "before"."""

    start: int
    end: int
    dates: tuple[Dates, ...]
    is_counted: bool
    meant: tuple[Dates, ...]


def dates_in(question: str, now: datetime | None = None) -> tuple[NamedDate | Period, ...]:
    """Return the days and months that a question names; those counted from `now` only where it is given.

    Example:
        >>> dates_in("What did we plan between 3 and 4 May?")
        (NamedDate(month=5, day=3, year=None, weight=1.0), NamedDate(month=5, day=4, year=None, weight=1.0))
    """
    words = question.casefold()
    found = sorted(_phrases(words, _day_of(now)), key=_order)
    return tuple(dict.fromkeys(it for phrase in found for it in phrase.meant))


def without_counted(question: str, now: datetime | None = None, said: Period | None = None) -> str:
    """Return a question, case-folded, without the words of those days that are counted from `now`.

    "Last Tuesday" says nothing of what was said then, and whoever says it means another Tuesday. "Last summer" stays:
    it says little of when, and whoever tells of it may have called it just that.

    Args:
        question: In the user's words.
        now: What is counted from; `None`: nothing is.
        said: From when to when anything was said. A date that lies outside says nothing of when, and its words stay.
    """
    words = question.casefold()
    for phrase in _phrases(words, _day_of(now)):
        if phrase.is_counted and all(map(_is_short, phrase.dates)) and any(meets(it, said) for it in phrase.dates):
            words = _masked(words, phrase)
    return words.replace(_READ, " ")


def without_dates(question: str, now: datetime | None = None) -> str:
    """Return a question, case-folded, without the words of any time it names, those counted from `now` included."""
    words = question.casefold()
    for phrase in _phrases(words, _day_of(now)):
        words = _masked(words, phrase)
    return words.replace(_READ, " ")


def numbers_of_days(question: str) -> dict[str, frozenset[str]]:
    """Return the numbers of days that a question names with their month, each with the names of that.

    Example:
        >>> sorted(numbers_of_days("What did we eat on 8 April?")["8"])
        ['apr', 'april']
    """
    words, found = question.casefold(), dict[str, frozenset[str]]()
    phrases = [it for it in _phrases(words, None) if not it.is_counted]
    rest = words
    for phrase in phrases:
        rest = _masked(rest, phrase)
    for phrase in phrases:
        told = words[phrase.start : phrase.end]
        months = {
            name
            for it in re.findall(r"[a-z]{3,9}", told)
            if it[:3] in _MONTHS
            for name in (it, _MONTHS[it[:3]], it[:3])
        }
        for number in re.findall(r"\b[0-3]?\d(?:st|nd|rd|th)?\b", told) if months else ():
            if re.search(rf"\b{number}\b", rest) is None:
                found[number] = found.get(number, frozenset()) | months
    return found


def meets(named: Dates, said: Period | None) -> bool:
    """Whether anything may have been said of a date, where it was said from one day to another; `None`: not known."""
    if said is None or not isinstance(named, Period):
        return True
    return named.first - named.slack <= said.last and named.last + max(named.slack, SOON_DAYS) >= said.first


def _is_short(named: Dates) -> bool:
    return not isinstance(named, Period) or named.last - named.first + named.slack < SHORT_DAYS


def _day_of(now: datetime | None) -> date | None:
    """Return the day where the clock is: two times that are equal may be on two days."""
    return None if now is None else now.date()


@of_texts(_KEPT)
def _phrases(words: str, today: date | None) -> tuple[_Phrase, ...]:
    """Return what names a date; no part of a text is read twice."""
    return tuple(_found(words, today))


def _found(words: str, today: date | None) -> Iterator[_Phrase]:
    left = words.replace(_READ, " ")
    counted = () if today is None else _counted_dates.RULES
    rules: tuple[_named_dates.Rule | _counted_dates.Rule, ...] = (*_named_dates.RULES, *counted)
    for rule in rules:
        for match in rule.pattern.finditer(left):
            phrase = _phrase(left, match, rule, today)
            if phrase is not None:
                left = _masked(left, phrase)
                yield phrase


def _phrase(
    text: str, match: re.Match[str], rule: _named_dates.Rule | _counted_dates.Rule, today: date | None
) -> _Phrase | None:
    """Return what a match names, together with the words beside it; `None` where it is no date."""
    dates, (start, end) = _dates_of(rule, match, today), match.span()
    if not dates:
        return None
    found = Moved(dates) if today is None else moved(text, (start, end), dates, today)
    is_counted = isinstance(rule, _counted_dates.Rule)
    return _Phrase(start - found.before, end + found.after, dates, is_counted, found.dates)


def _dates_of(
    rule: _named_dates.Rule | _counted_dates.Rule, match: re.Match[str], today: date | None
) -> tuple[Dates, ...]:
    try:
        if isinstance(rule, _named_dates.Rule):
            return tuple(rule.read(match))
        return () if today is None else tuple(rule.read(match, today))
    except (OverflowError, ValueError):  # "31 February", or "99 years ago" in the year 7
        return ()


def _masked(words: str, phrase: _Phrase) -> str:
    return words[: phrase.start] + _READ * (phrase.end - phrase.start) + words[phrase.end :]


def _order(phrase: _Phrase) -> tuple[bool, int]:
    return phrase.is_counted, phrase.start

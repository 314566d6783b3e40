"""Days and months that a question names, exactly ("8 May 2023") or by the clock ("last Tuesday", "two weeks ago").

English. What is said of an event mostly follows it, so that a span is where to look first, and never a filter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Final

from langchain_agentmem._search import NamedDate, Period

_NAMES: Final = "january february march april may june july august september october november december".split()
_MONTHS: Final = {name: number for number, name in enumerate(_NAMES, 1)}
_MONTH: Final = "|".join(_NAMES)
_SURE_MONTH: Final = _MONTH.replace("|may|", "|")
"""Months that are no common word."""

_WEEKDAYS: Final = "monday tuesday wednesday thursday friday saturday sunday".split()
_COUNTS: Final = {"couple": 2} | {
    word: number
    for number, words in enumerate("a,an,one two three four five six seven eight nine ten".split(), 1)
    for word in words.split(",")
}
_UNIT_DAYS: Final = {"day": (1, 0), "week": (7, 3), "month": (30, 10), "year": (365, 45)}
"""Days that a unit has, and how many days "three of them ago" may be off."""

_MAX_COUNT: Final = 100
_EPOCH: Final = date(1970, 1, 1)

_DAY_MONTH: Final = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b,? ?(\d{{4}})?")
_MONTH_DAY: Final = re.compile(rf"\b({_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?\b,? ?(\d{{4}})?")
_ISO: Final = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_MONTH_ALONE: Final = re.compile(rf"\b({_SURE_MONTH}|may(?=,? \d{{4}}))(?:,? (\d{{4}}))?\b")
_AGO: Final = re.compile(r"\b(\d{1,3}|[a-z]+) (?:of )?(day|week|month|year)s? ago\b")
_LAST_WEEKDAY: Final = re.compile(rf"\blast ({'|'.join(_WEEKDAYS)})\b")
_YESTERDAY: Final = re.compile(r"\byesterday\b|\blast night\b")
_TODAY: Final = re.compile(r"\b(?:earlier )?today\b|\bthis morning\b")


def dates_in(question: str, now: datetime | None = None) -> tuple[NamedDate | Period, ...]:
    """Return the days and months that a question names; those counted from `now` only where it is given."""
    words = question.casefold()
    named = list(_days(words)) or list(_months(words))
    try:
        counted = () if now is None else tuple(_counted(words, now.date()))
    except OverflowError:  # "99 years ago" in the year 7
        counted = ()
    return (*named, *counted)


def _days(words: str) -> Iterator[NamedDate]:
    for day, month, year in _DAY_MONTH.findall(words):
        yield from _named(year, _MONTHS[month], int(day))
    for month, day, year in _MONTH_DAY.findall(words):
        yield from _named(year, _MONTHS[month], int(day))
    for year, month, day in _ISO.findall(words):
        yield from _named(year, int(month), int(day))


def _named(year: str, month: int, day: int) -> Iterator[NamedDate]:
    try:
        date(int(year) if year else 2000, month, day)  # a leap year, where none is named
    except ValueError:
        return  # "31 February", or a number that only looked like a day
    yield NamedDate(month=month, day=day, year=int(year) if year else None)


def _months(words: str) -> Iterator[NamedDate]:
    for month, year in _MONTH_ALONE.findall(words):
        yield NamedDate(month=_MONTHS[month], year=int(year) if year else None)


def _counted(words: str, today: date) -> Iterator[Period]:
    if _YESTERDAY.search(words):
        yield _period(today - timedelta(1))
    if _TODAY.search(words):
        yield _period(today)
    yield from _ago(words, today)
    for weekday in _LAST_WEEKDAY.findall(words):
        back = (today.weekday() - _WEEKDAYS.index(weekday) - 1) % 7 + 1
        yield _period(today - timedelta(back))
    if re.search(r"\blast week\b", words):
        monday = today - timedelta(today.weekday() + 7)
        yield _period(monday, monday + timedelta(6))
    if re.search(r"\blast weekend\b", words):
        saturday = today - timedelta(today.weekday() + 2)
        yield _period(saturday, saturday + timedelta(1))
    if re.search(r"\blast month\b", words):
        end = today.replace(day=1) - timedelta(1)
        yield _period(end.replace(day=1), end)


def _ago(words: str, today: date) -> Iterator[Period]:
    for number, unit in _AGO.findall(words):
        count = int(number) if number.isdigit() else _COUNTS.get(number, 0)
        if 0 < count < _MAX_COUNT:
            days, slack = _UNIT_DAYS[unit]
            middle = today - timedelta(days * count)
            yield _period(middle - timedelta(slack), middle + timedelta(slack))


def _period(first: date, last: date | None = None) -> Period:
    return Period(first=(first - _EPOCH).days, last=((last or first) - _EPOCH).days)

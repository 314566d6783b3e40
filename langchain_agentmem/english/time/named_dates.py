"""Dates that stand in a text: days, months, seasons, years, and spans of them. English."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, timedelta
from typing import Final, NamedTuple, TypeAlias

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._search import NamedDate, Period
from langchain_agentmem.english.words.calendar_words import (
    ANY_MONTH,
    MONTH,
    MONTH_NUMBERS,
    SEASON,
    SEASONS,
    SHORT_WEEKDAY,
    SURE_MONTH,
    WEEKDAY,
)

Dates: TypeAlias = NamedDate | Period

EPOCH: Final = date(1970, 1, 1)
LONG_DAYS: Final = 62
LONG_WEIGHT: Final = 0.5
"""A span of more days says little of a turn: a season, a year. What it weighs then."""

EITHER_WEIGHT: Final = 0.8
"""6/10 is two days, one of which is meant."""

MAX_DAYS: Final = 31
"""A span without a year is read as so many days of any year at most."""

_DAY: Final = r"\d{1,2}(?:st|nd|rd|th)?"
AFTER_WEEKDAY: Final = (
    rf"(?:on )?\b(?:{WEEKDAY}(?: (?:morning|afternoon|evening|night))?|{SHORT_WEEKDAY}\b\.?),? (?:the )?"
)
"""A weekday before a date belongs to it: "Saturday, 14 November" is one day."""

_ON_WEEKDAY: Final = rf"(?:{AFTER_WEEKDAY})?"

_YEAR: Final = r"(?:,? ?(?:of )?(\d{4})\b)?"
_ONE_DAY: Final = (
    rf"{_ON_WEEKDAY}(?:the )?(?:{_DAY}(?: of)? {ANY_MONTH}(?:,? ?\d{{4}}\b)?|{ANY_MONTH} {_DAY}\b(?:,? ?\d{{4}}\b)?"
    r"|\d{4}-\d\d-\d\d)"
)
_TO: Final = r" ?(?:to|until|till|through|-|\u2013) ?"
_FROM_TO: Final = rf"(?:\b(?:between|from) {{}}(?: and |{_TO}){{}}|\b{{}}{_TO}{{}})"

_PARTS: Final = {
    **dict.fromkeys(("early", "beginning", "start"), (1, 10)),
    **dict.fromkeys(("mid", "middle"), (11, 20)),
    **dict.fromkeys(("late", "end"), (21, 31)),
    "first week": (1, 7),
    "second week": (8, 14),
    "third week": (15, 21),
    "fourth week": (22, 28),
    "last week": (25, 31),
}
_MONTHS_OF_A_SEASON: Final = 3
_DECEMBER: Final = 12


class Rule(NamedTuple):
    """How a phrase is written, and what it names."""

    pattern: re.Pattern[str]
    read: Callable[[re.Match[str]], Iterator[Dates]]


def period(first: date, last: date | None = None, slack: int = 0) -> Period:
    """Return the days from one to another, both included."""
    last = last or first
    weight = LONG_WEIGHT if (last - first).days > LONG_DAYS else 1.0
    return Period(first=(first - EPOCH).days, last=(last - EPOCH).days, slack=slack, weight=weight)


def days_of(named: Dates, today: date) -> tuple[date, date]:
    """Return the first and the last day of what is named; without a year, the last one that has begun."""
    if isinstance(named, Period):
        return EPOCH + timedelta(named.first), EPOCH + timedelta(named.last)
    begun = date(2000, named.month, named.day or 1).timetuple()[1:3] <= today.timetuple()[1:3]
    year = named.year or (today.year if begun else today.year - 1)
    end = calendar.monthrange(year, named.month)[1]
    day = min(named.day or 1, end)
    return date(year, named.month, day), date(year, named.month, min(named.day or end, end))


def season(name: str, year: int) -> Period:
    """Return a season by the year in which it begins."""
    first = date(year, SEASONS[name], 1)
    after = first.month + _MONTHS_OF_A_SEASON
    end = date(year + (after > _DECEMBER), (after - 1) % _DECEMBER + 1, 1)
    return period(first, end - timedelta(1))


def _month(name: str) -> int:
    return MONTH_NUMBERS[name.rstrip(".")]


def _day(year: str | None, month: int, day: str, weight: float = 1.0) -> Iterator[NamedDate]:
    date(int(year) if year else 2000, month, int(day))  # refuses "31 February"; a leap year, where none is named
    yield NamedDate(month=month, day=int(day), year=int(year) if year else None, weight=weight)


def _day_in(text: str) -> NamedDate:
    """Return the one day that a part of a match names."""
    for rule in _DAYS:
        match = rule.pattern.search(text)
        if match is not None:
            found = next(rule.read(match))
            if isinstance(found, NamedDate):
                return found
    raise ValueError(text)


def _span(first: NamedDate, last: NamedDate) -> Iterator[Dates]:
    """Yield the days from one to another; where no year is named, those of any year."""
    year = last.year or first.year
    one = date(first.year or year or 2000, first.month, first.day or 1)
    other = date(year or 2000, last.month, last.day or 1)
    count = (other - one).days
    if year is not None and count >= 0:
        yield period(one, other)
    elif year is None and 0 <= count < MAX_DAYS:
        for step in range(count + 1):
            day = one + timedelta(step)
            yield NamedDate(month=day.month, day=day.day)
    else:
        yield from (first, last)


def _between(match: re.Match[str]) -> Iterator[Dates]:
    first, last = (text for text in match.groups() if text is not None)
    return _span(_day_in(first), _day_in(last))


def _between_numbers(first: str, last: str, month: str, year: str | None) -> Iterator[Dates]:
    (one,), (other,) = (_day(year, _month(month), re.sub(r"\D", "", it)) for it in (first, last))
    return _span(one, other)


def _of_numbers(match: re.Match[str]) -> Iterator[Dates]:
    first, last = (text for text in match.groups()[:4] if text is not None)
    return _between_numbers(first, last, match[5], match[6])


def _of_month_and_numbers(match: re.Match[str]) -> Iterator[Dates]:
    month, first, last = (text for text in match.groups()[:6] if text is not None)
    return _between_numbers(first, last, month, match[7])


def _between_months(match: re.Match[str]) -> Iterator[Dates]:
    first, last, year = _month(match[1]), _month(match[2]), match[3]
    months = range(first, last + 1) if first <= last else (*range(first, 13), *range(1, last + 1))
    for month in months:
        yield NamedDate(month=month, year=int(year) if year and first <= last else None)


def _part_of_month(match: re.Match[str]) -> Iterator[Dates]:
    first, last = _PARTS[match[1] or match[2] or match[3]]
    month, year = _month(match[4]), match[5]
    end = calendar.monthrange(int(year) if year else 2000, month)[1]
    last, first = min(last, end), first - max(0, last - end)
    of_year = int(year) if year else None
    return _span(NamedDate(month=month, day=first, year=of_year), NamedDate(month=month, day=last, year=of_year))


def _beside(match: re.Match[str]) -> Iterator[Dates]:
    named = _day_in(match[2])
    moved = date(named.year or 2000, named.month, named.day or 1) + timedelta(1 if match[1] == "after" else -1)
    yield replace(named, month=moved.month, day=moved.day, year=None if named.year is None else moved.year)


def _slashed(match: re.Match[str]) -> Iterator[Dates]:
    """Yield the day of a date in figures, or both where either order is one."""
    one, other, year = match[1], match[2], match[3]
    year = f"20{year}" if year is not None and len(year) == len("26") else year
    orders = [(one, other), (other, one)] if one != other else [(one, other)]
    valid = [it for it in orders if _is_day(year, *it)]
    for day, month in valid:
        yield from _day(year, int(month), day, 1.0 if len(valid) == 1 else EITHER_WEIGHT)


def _is_day(year: str | None, day: str, month: str) -> bool:
    try:
        date(int(year) if year else 2000, int(month), int(day))
    except ValueError:
        return False
    return True


def _month_alone(match: re.Match[str]) -> Iterator[Dates]:
    name, year = match[1] or match[3], match[2] or match[4]
    yield NamedDate(month=_month(name), year=int(year) if year else None)


def _season_of(match: re.Match[str]) -> Iterator[Dates]:
    name, year = match[1], int(match[2])
    yield season(name, year)
    if name == "winter":
        yield period(date(year, 1, 1), date(year, 3, 1) - timedelta(1))


def _year(match: re.Match[str]) -> Iterator[Dates]:
    yield period(date(int(match[1]), 1, 1), date(int(match[1]), 12, 31))


def _rule(pattern: str, read: Callable[[re.Match[str]], Iterator[Dates]]) -> Rule:
    return Rule(lazy_pattern(pattern), read)


_DAYS: Final = (
    _rule(rf"{_ON_WEEKDAY}\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({ANY_MONTH})(?!\w),? ?(?:(\d{{4}})\b)?",
          lambda it: _day(it[3], _month(it[2]), it[1])),
    _rule(rf"{_ON_WEEKDAY}\b({ANY_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?\b(?!:),? ?(?:(\d{{4}})\b)?",
          lambda it: _day(it[3], _month(it[1]), it[2])),
    _rule(rf"{_ON_WEEKDAY}\b(\d{{4}})-(\d{{2}})-(\d{{2}})\b", lambda it: _day(it[1], int(it[2]), it[3])),
    _rule(rf"{_ON_WEEKDAY}\b(\d{{1,2}})\.(\d{{1,2}})\.(\d{{4}})\b", lambda it: _day(it[3], int(it[2]), it[1])),
)  # fmt: skip

RULES: Final = (
    _rule(_FROM_TO.format(*(4 * (f"({_ONE_DAY})",))), _between),
    _rule(_FROM_TO.format(*(4 * (f"(?:the )?({_DAY})",))) + rf"(?: of)? ({ANY_MONTH})(?!\w){_YEAR}", _of_numbers),
    _rule(
        _FROM_TO.format(rf"({ANY_MONTH}) ({_DAY})", f"({_DAY})", rf"({ANY_MONTH}) ({_DAY})", f"({_DAY})")
        + rf"\b{_YEAR}",
        _of_month_and_numbers,
    ),
    _rule(rf"\b(?:between|from) ({MONTH})(?: and |{_TO})({MONTH})\b{_YEAR}", _between_months),
    _rule(
        rf"\b(?:(early|late|mid)[ -]|(?:the )?(beginning|start|middle|end) of |(?:the )?"
        rf"((?:first|second|third|fourth|last) week) (?:of|in) )({MONTH})\b{_YEAR}",
        _part_of_month,
    ),
    _rule(rf"\bday (before|after) ({_ONE_DAY})", _beside),
    *_DAYS,
    _rule(rf"{_ON_WEEKDAY}\b(\d{{1,2}})/(\d{{1,2}})/(\d{{4}}|\d\d)\b", _slashed),
    _rule(r"\b(?:on|since)(?: the)? (\d{1,2})/(\d{1,2})(?![\d/])()?", _slashed),
    _rule(
        rf"\b({SURE_MONTH}|may(?=,? \d{{4}}))(?:,? (?:of )?(\d{{4}})\b)?\b|\b({ANY_MONTH}) (\d{{4}})\b", _month_alone
    ),
    _rule(rf"\b({SEASON})(?: of)? (\d{{4}})\b", _season_of),
    _rule(r"\b(?:in|during|since|back in|the year|all of) ((?:19|20)\d\d)\b(?![-.,/]\d)", _year),
)
"""In the order in which they are tried: what one has read, the next do not see."""

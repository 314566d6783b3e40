"""Dates that a text counts from the day on which it is said: "last Tuesday", "a fortnight ago". English."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Final, NamedTuple

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._search import Period
from langchain_agentmem.english.time.named_dates import AFTER_WEEKDAY, period, season
from langchain_agentmem.english.words.calendar_words import SEASON, WEEKDAY, WEEKDAYS
from langchain_agentmem.english.words.number_words import ONE_OR_MORE, counts

_COUNTS: Final = {"a": 1, "an": 1, "couple": 2, "a couple": 2, "a few": 3, "several": 4} | counts(1, 99)
_VAGUE: Final = {"a few": 1, "several": 2}
"""Numbers that mean a range: how many units more or less may be meant."""

_UNITS: Final = {
    "day": (1, 0), "night": (1, 0), "week": (7, 3), "weekend": (7, 3), "fortnight": (14, 3),
    "month": (30, 10), "year": (365, 45),
}  # fmt: skip
"""Days that a unit has, and how many days "three of them ago" may be off."""

_MAX_COUNT: Final = 100
_OTHER_DAY: Final = (3, 3)
"""The other day: how many days ago, more or less."""

_MONTHS_OF_A_QUARTER: Final = 3
_SHORT_IN_A_ROW: Final = 1
"""Of months that lack a day, as February lacks the 30th, no two follow each other."""

_CHRISTMAS: Final = (12, 24)
_CHRISTMAS_DAYS: Final = 2

_WEEKDAY: Final = f"({WEEKDAY})"
_COUNT: Final = rf"(\d{{1,3}}|a (?:couple|few)|{'|'.join(sorted(_COUNTS, key=len, reverse=True))})"
_UNIT: Final = r"(day|night|week|fortnight|month|year)s?"
_NOT_PAST: Final = lazy_pattern(
    r"\b(?:will|shall|should|can|could|would|must|do|does|is|are|am|going to|next|coming|upcoming|have to)\b|'ll\b"
)
_PAST: Final = lazy_pattern(r"\b(?:did|was|were|had|said|told|went|happened|\w{3,}ed)\b")


class Rule(NamedTuple):
    """How a phrase is written, and what it names on a day."""

    pattern: re.Pattern[str]
    read: Callable[[re.Match[str], date], Iterator[Period]]


def _days_back(days: int) -> Callable[[re.Match[str], date], Iterator[Period]]:
    def read(_: re.Match[str], today: date) -> Iterator[Period]:
        yield period(today - timedelta(days))

    return read


def _count(word: str) -> int:
    return int(word) if word.isdigit() else _COUNTS[word]


def _ago(match: re.Match[str], today: date) -> Iterator[Period]:
    count = _count(match[1])
    if not 0 < count < _MAX_COUNT:
        return
    days, slack = _UNITS[match[3]]
    back = days * count + (days // 2 if match[2] else 0)
    yield period(today - timedelta(back), slack=slack + days * _VAGUE.get(match[1], 0))


def _and_a_half(match: re.Match[str], today: date) -> Iterator[Period]:
    days, slack = _UNITS[match[1] or match[2]]
    yield period(today - timedelta(days // 2 + (days if match[1] else 0)), slack=slack)


def _other_day(_: re.Match[str], today: date) -> Iterator[Period]:
    back, slack = _OTHER_DAY
    yield period(today - timedelta(back), slack=slack)


def _last(today: date, weekday: str) -> date:
    """Return the last such day before today."""
    return today - timedelta((today.weekday() - WEEKDAYS.index(weekday) - 1) % 7 + 1)


def _weeks_before(weeks: int) -> Callable[[re.Match[str], date], Iterator[Period]]:
    def read(match: re.Match[str], today: date) -> Iterator[Period]:
        yield period(_last(today, match[1]) - timedelta(7 * weeks))

    return read


def _some_weekdays_ago(match: re.Match[str], today: date) -> Iterator[Period]:
    yield period(_last(today, match[2]) - timedelta(7 * (_count(match[1]) - 1)))


def _weekday_of_last_week(match: re.Match[str], today: date) -> Iterator[Period]:
    monday = today - timedelta(today.weekday() + 7)
    yield period(monday + timedelta(WEEKDAYS.index(match[1] or match[2])))


def _weekday_of_this_week(match: re.Match[str], today: date) -> Iterator[Period]:
    day = today - timedelta(today.weekday()) + timedelta(WEEKDAYS.index(match[1]))
    if day <= today:
        yield period(day)


def _on_weekday(match: re.Match[str], today: date) -> Iterator[Period]:
    """Yield the last such day, where the text does not ask of what is to come."""
    if _is_of_past(match.string):
        yield period(_last(today, match[1] or match[2]))


def _is_of_past(text: str) -> bool:
    return _PAST.search(text) is not None or _NOT_PAST.search(text) is None


def _on_day(match: re.Match[str], today: date) -> Iterator[Period]:
    """Yield the day of that number of a month, or the last one, today included, where the text is not of what comes."""
    number, month = int(match[1]), match[2]
    if month is not None:
        yield period(_end_of_month(today, int(month == "last")).replace(day=number))
    elif _is_of_past(match.string):
        ends = (_end_of_month(today, back) for back in range(_SHORT_IN_A_ROW + 2))
        days = [end.replace(day=number) for end in ends if number <= end.day]
        yield from [period(it) for it in days if it <= today][:1]


def _end_of_month(day: date, back: int) -> date:
    """Return the last day of the month of a day, or of one so many months before."""
    year, month = divmod(day.year * 12 + day.month - back, 12)
    return date(year, month + 1, 1) - timedelta(1)


def _span(match: re.Match[str], today: date) -> Iterator[Period]:
    """Yield the last week, weekend, month, quarter or year, or the one before it."""
    is_before = match[2] is not None
    yield _spans_back(match[1], today, 2 if is_before else 1)


def _spans_ago(match: re.Match[str], today: date) -> Iterator[Period]:
    yield _spans_back("weekend", today, _count(match[1]))


def _spans_back(unit: str, today: date, count: int) -> Period:
    if unit == "week":
        monday = today - timedelta(today.weekday() + 7 * count)
        return period(monday, monday + timedelta(6))
    if unit == "weekend":
        saturday = today - timedelta(today.weekday() + 2 + 7 * (count - 1))
        return period(saturday, saturday + timedelta(1))
    if unit == "year":
        return period(date(today.year - count, 1, 1), date(today.year - count, 12, 31))
    if unit == "quarter":
        last = _end_of_month(today, (today.month - 1) % _MONTHS_OF_A_QUARTER + 1 + _MONTHS_OF_A_QUARTER * (count - 1))
        return period(_end_of_month(last, _MONTHS_OF_A_QUARTER - 1).replace(day=1), last)
    end = _end_of_month(today, count)
    return period(end.replace(day=1), end)


def _this(match: re.Match[str], today: date) -> Iterator[Period]:
    month = today.replace(day=1)
    quarter = month.replace(month=month.month - (month.month - 1) % _MONTHS_OF_A_QUARTER)
    begins = {"week": today - timedelta(today.weekday()), "month": month, "quarter": quarter}
    yield period(begins.get(match[1], today.replace(month=1, day=1)), today)


def _this_weekend(_: re.Match[str], today: date) -> Iterator[Period]:
    saturday = today + timedelta(5 - today.weekday())
    yield period(saturday, saturday + timedelta(1))


def _past(match: re.Match[str], today: date) -> Iterator[Period]:
    """Yield the days up to today, counted in units: "in the past two weeks"."""
    count = _count(match[1] or "a")
    if 0 < count < _MAX_COUNT:
        yield period(today - timedelta(_UNITS[match[2]][0] * count), today)


def _season(match: re.Match[str], today: date) -> Iterator[Period]:
    """Yield the last season of that name: "last summer" has ended, "this summer" has begun."""
    is_last = match[1] == "last"
    for year in (today.year, today.year - 1, today.year - 2):
        found = season(match[2], year)
        if (found.last if is_last else found.first) < (today - date(1970, 1, 1)).days:
            yield found
            return


def _last_christmas(_: re.Match[str], today: date) -> Iterator[Period]:
    eve = date(today.year, *_CHRISTMAS)
    eve = eve if eve < today else date(today.year - 1, *_CHRISTMAS)
    yield period(eve, eve + timedelta(_CHRISTMAS_DAYS))


def _rule(pattern: str, read: Callable[[re.Match[str], date], Iterator[Period]]) -> Rule:
    return Rule(lazy_pattern(pattern), read)


RULES: Final = (
    _rule(r"\b(?:the )?(?:day|night) before (?:yesterday|last)\b", _days_back(2)),
    _rule(r"\byesterday(?: (?:morning|afternoon|evening|night))?\b|\blast night\b", _days_back(1)),
    _rule(r"\b(?:earlier )?today\b|\bthis (?:morning|afternoon|evening)\b|\btonight\b", _days_back(0)),
    _rule(rf"\b(?:an?|\d{{1,2}}|{ONE_OR_MORE}|a few|a couple of|several|half an) hours? ago\b", _days_back(0)),
    _rule(r"\ban? (day|week|month|year) and a half ago\b|\bhalf an? (week|month|year) ago\b", _and_a_half),
    _rule(rf"\b{_COUNT}( and a half)? (?:of )?{_UNIT} (?:ago|back)\b", _ago),
    _rule(rf"\b{_COUNT} (?:of )?weekends? ago\b", _spans_ago),
    _rule(rf"\b{_COUNT} (?:of )?{_WEEKDAY}s? ago\b", _some_weekdays_ago),
    _rule(r"\bthe other (?:day|night|evening|morning)\b", _other_day),
    _rule(rf"\b(?:on )?{_WEEKDAY}(?: of)? last week\b|\blast week(?: on|'s)? {_WEEKDAY}\b", _weekday_of_last_week),
    _rule(rf"\b(?:the )?{_WEEKDAY} before last\b", _weeks_before(1)),
    _rule(rf"\b(?:last|(?:this )?past) {_WEEKDAY}\b", _weeks_before(0)),
    _rule(rf"\bthis {_WEEKDAY}\b", _weekday_of_this_week),
    _rule(
        rf"(?:\bon the |{AFTER_WEEKDAY})(\d{{1,2}})(?:st|nd|rd|th)(?:(?: of)? (last|this) month\b|(?=\W*$|[,;.?!]))",
        _on_day,
    ),
    _rule(rf"\b(?:on|since) {_WEEKDAY}\b|\b{_WEEKDAY} (?:morning|afternoon|evening|night)\b", _on_weekday),
    _rule(r"\b(?:the )?(week|weekend|month|quarter|year)( before last)\b", _span),
    _rule(rf"\b(?:in|over|within|during|for) the (?:last|past) (?:{_COUNT} (?:of )?)?(day|week|month|year)s?\b", _past),
    _rule(rf"\b(?:last|past) {_COUNT} (?:of )?(day|week|month|year)s\b(?! of\b)", _past),
    _rule(
        r"\blast (week|weekend|month|quarter(?! of\b)|year)\b",
        lambda it, today: iter([_spans_back(it[1], today, 1)]),
    ),
    _rule(r"\b(?:earlier |later )?this (week|month|quarter|year)\b", _this),
    _rule(r"\bthis weekend\b", _this_weekend),
    _rule(rf"\b(last|this) ({SEASON})\b", _season),
    _rule(r"\blast (?:christmas|xmas)\b", _last_christmas),
)
"""In the order in which they are tried: what one has read, the next do not see."""

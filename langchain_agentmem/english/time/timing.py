"""What time a question is about, where its words make that more than a day that is named.

A day that a question names is where to look first (`policies.dates`). It says more in two cases: "what was my address
back in March?" asks for what held then, which is a condition, and "what did we discuss this week?" for what was said
since, which is where to look before anywhere else: people misjudge how long ago something was. English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, NamedTuple

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._search import Period
from langchain_agentmem.english.time.dates import dates_in, days_of

__all__ = ["Window", "window_of"]

CLOCKS_DIFFER: Final = timedelta(hours=14)
"""By how much a user's day may begin before, or end after, that of UTC: the widest time zone's offset."""

_LATEST: Final = time.max.replace(tzinfo=UTC)
_UNIT_DAYS: Final = {"hour": 1, "day": 1, "week": 7, "month": 31, "year": 366}
_MAX_SPAN: Final = 1_000

_THEN: Final = lazy_pattern(r"\b(?:at (?:that|the) time|back then|in those days)\b", re.IGNORECASE)
_BACK: Final = lazy_pattern(r"\b(?:back (?:in|on)|as of|as it was (?:in|on))\s", re.IGNORECASE)
_STATE: Final = lazy_pattern(
    r"\b(?:was|were) (?:my|our|the|i|we)\b|\bdid (?:i|we) (?:live|work|use|prefer|own|have|like|want|plan)\b"
    r"|\bused to\b|\bas of\b",
    re.IGNORECASE,
)
_YEAR: Final = lazy_pattern(r"\b(19\d\d|20\d\d)\b")
_SPOKEN: Final = lazy_pattern(
    r"\b(?:i|we|you)\b[^.?!]{0,30}?\b(?:say|said|tell|told|mention(?:ed)?|talk(?:ed)?|discuss(?:ed)?|ask(?:ed)?"
    r"|chat(?:ted)?)\b",
    re.IGNORECASE,
)
_OPEN_SPAN: Final = lazy_pattern(r"\b(?:(today)|this (week|month|year))\b", re.IGNORECASE)
_LAST_SPAN: Final = lazy_pattern(
    r"\b(?:in|over|within|during) the (?:last|past) (?:(\d{1,3}) )?(hour|day|week|month|year)s?\b", re.IGNORECASE
)
_CLOSED: Final = lazy_pattern(r"\b(?:yesterday|last (?:week|weekend|month))\b", re.IGNORECASE)
_SINCE: Final = lazy_pattern(r"\bsince\s(?:last\s)?", re.IGNORECASE)


class Window(NamedTuple):
    """What a question's time makes of its query: `as_of` is a condition, `since` and `until` are a preference."""

    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None


def window_of(question: str, before: Iterable[str], now: datetime) -> Window:
    """Return the time that a question makes a condition; nothing where it only names one.

    Args:
        question: In the user's words.
        before: What was said before it, the last turn first: what "at that time" may refer to.
        now: When it is asked.
    """
    try:
        if _STATE.search(question) is not None:
            held = _held(question, before, now)
            return Window(as_of=held) if held is not None else Window()
        return _said(question, now) if _SPOKEN.search(question) is not None else Window()
    except (OverflowError, ValueError):  # a time outside the calendar, as of "as of 31 December 9999"
        return Window()


def _held(question: str, before: Iterable[str], now: datetime) -> datetime | None:
    """Return the end of the time whose state is asked for, if that lies behind."""
    back = _BACK.search(question)
    if back is not None:
        spans = _spans(question[back.start() :], now)
    elif _THEN.search(question) is not None:
        spans = (span for text in (question, *before) for span in _spans(text, now))
    else:
        return None
    last = next((last for _, last in spans), None)
    if last is None:
        return None
    end = _end(last)
    return end if end < now else None


def _said(question: str, now: datetime) -> Window:
    """Return since when, and until when, something is to have been said."""
    today = now.date()
    since = _SINCE.search(question)
    if since is not None:
        named = question[since.end() :]
        first = next((first for text in (named, f"last {named}") for first, _ in _spans(text, now)), None)
        return Window() if first is None or first > today else Window(since=_begin(first))
    if _CLOSED.search(question) is not None:
        spans = list(_spans(question, now))
        return Window(since=_begin(spans[0][0]), until=_end(spans[0][1])) if spans else Window()
    first = _span_to_now(question, today)
    return Window() if first is None else Window(since=_begin(first))


def _span_to_now(question: str, today: date) -> date | None:
    recent = _LAST_SPAN.search(question)
    if recent is not None:
        count = min(int(recent[1] or 1), _MAX_SPAN)
        return today - timedelta(count * _UNIT_DAYS[recent[2].casefold()])
    current = _OPEN_SPAN.search(question)
    if current is None:
        return None
    unit = (current[2] or "day").casefold()
    begins = {"week": today - timedelta(today.weekday()), "month": today.replace(day=1)}
    return begins.get(unit, today.replace(month=1, day=1) if unit == "year" else today)


def _begin(first: date) -> datetime:
    return datetime.combine(first, time.min.replace(tzinfo=UTC)) - CLOCKS_DIFFER


def _end(last: date) -> datetime:
    return datetime.combine(last, _LATEST) + CLOCKS_DIFFER


def _spans(text: str, now: datetime) -> Iterator[tuple[date, date]]:
    """Yield the days, months and years that a text names, as their first and last day."""
    named = dates_in(text, now)
    for it in named:
        first, last = days_of(it, now.date())
        slack = timedelta(it.slack if isinstance(it, Period) else 0)
        yield first - slack, last + slack
    if not named:
        for year in _YEAR.findall(text):
            yield date(int(year), 1, 1), date(int(year), 12, 31)

"""What stands beside a date and moves it: "since", "before" or "after 8 May", "the week after", "or the day before"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final, NamedTuple

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._search import Period
from langchain_agentmem.english.time.named_dates import EPOCH, Dates, days_of, period
from langchain_agentmem.english.words.calendar_words import WEEKDAY, WEEKDAYS

_UNIT_DAYS: Final = {"week": 7, "fortnight": 14, "month": 30, "year": 365}
_SHORTLY_DAYS: Final = 10
"""Just after a day: within so many."""

_SIDE: Final = lazy_pattern(
    rf"(?:\b(?:the|last) (?:(?P<unit>{'|'.join(_UNIT_DAYS)})|(?P<weekday>weekend|{WEEKDAY})) "
    r"|\b(?P<near>just|right|shortly|soon|directly|immediately) )?"
    r"\b(?P<side>since|before|after|until|till)(?: the)?\s*$"
)
_COUNTED: Final = lazy_pattern(r"\b(?:day|night|morning|evening|hour|week|fortnight|month|year)s?\s+$")
_SINCE: Final = "since "
_NEXT: Final = lazy_pattern(
    r"[ ,]*\b(?:or|and) (?:on )?the (?:day|night) (before|after)\b(?! (?:that|last|yesterday)\b)"
)


class Moved(NamedTuple):
    """What a date names together with what stands beside it, and how many characters that is, on either side."""

    dates: tuple[Dates, ...]
    before: int = 0
    after: int = 0


def moved(text: str, place: tuple[int, int], dates: tuple[Dates, ...], today: date) -> Moved:
    """Return what the words beside a date make of it: all the time from then on, until then, or the day beside it.

    What came before a day is everything up to it, and what came after it everything from the next day to today.

    Args:
        text: Case-folded.
        place: Where in it the date begins and ends.
        dates: What it names by itself.
        today: When it is said.
    """
    start, end = place
    try:
        first, last = _ends(dates, today)
        side, beside = _SIDE.search(text[:start]), _NEXT.match(text[end:])
        if side is not None and (side["unit"] or side["weekday"] or _COUNTED.search(text[: side.start()]) is None):
            found = _of_side(side, first, last, today)
            return Moved((found,), before=start - side.start()) if found is not None else Moved(dates)
        if text.startswith(_SINCE, start):
            return Moved((period(first, today),)) if first <= today else Moved(dates)
        if beside is not None:
            other = first - timedelta(1) if beside[1] == "before" else last + timedelta(1)
            return Moved((*dates, period(other)), after=beside.end())
    except (OverflowError, ValueError):  # a day outside the calendar
        pass
    return Moved(dates)


def _ends(dates: Sequence[Dates], today: date) -> tuple[date, date]:
    days = [days_of(it, today) for it in dates]
    return min(first for first, _ in days), max(last for _, last in days)


def _of_side(side: re.Match[str], first: date, last: date, today: date) -> Period | None:
    """Return the days on one side of others; `None` where there are none."""
    is_before = side["side"] in {"before", "until", "till"}
    days = _UNIT_DAYS.get(side["unit"], _SHORTLY_DAYS if side["near"] else 0)
    if side["weekday"] and side["side"] in {"before", "after"}:
        return _nearest(side["weekday"], last if side["side"] == "after" else first, is_after=not is_before)
    if side["side"] == "since":
        begins, ends = first, today
    elif is_before:
        ends = first - timedelta(1) if side["side"] == "before" else last
        begins = ends - timedelta(days - 1) if days else EPOCH
    else:
        begins = last + timedelta(1)
        ends = last + timedelta(days) if days else today
    return period(begins, ends) if begins <= ends else None


def _nearest(name: str, day: date, *, is_after: bool) -> Period:
    """Return the weekday of that name, or the weekend, next to a day on one side."""
    number = WEEKDAYS.index("saturday" if name == "weekend" else name)
    if is_after:
        found = day + timedelta((number - day.weekday() - 1) % 7 + 1)
    else:
        found = day - timedelta((day.weekday() - number - 1) % 7 + 1)
    return period(found, found + timedelta(1) if name == "weekend" else found)

"""Days and months that a question names."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem._search import NamedDate, Period
from langchain_agentmem.policies.dates import dates_in

NOW = datetime(2026, 3, 18, 12, tzinfo=UTC)  # a Wednesday
EPOCH = date(1970, 1, 1)
DAYS = st.dates(date(1900, 1, 1), date(2200, 12, 31))


def span(first: date, last: date | None = None) -> Period:
    return Period(first=(first - EPOCH).days, last=((last or first) - EPOCH).days)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What happened on 8 May 2023?", NamedDate(month=5, day=8, year=2023)),
        ("What happened on the 8th of May, 2023?", NamedDate(month=5, day=8, year=2023)),
        ("What happened on May 8th, 2023?", NamedDate(month=5, day=8, year=2023)),
        ("and on 2023-05-08?", NamedDate(month=5, day=8, year=2023)),
        ("since February 29", NamedDate(month=2, day=29)),
        ("in August", NamedDate(month=8)),
        ("in May 2023", NamedDate(month=5, year=2023)),
    ],
)
def test_a_date_is_read(question: str, found: NamedDate) -> None:
    """However it is written, with a year or without."""
    assert dates_in(question) == (found,)


@pytest.mark.parametrize("question", ["", "May I ask?", "on 2023-13-41", "99 May", "chapter 3", "last Tuesday"])
def test_what_is_no_date_is_none(question: str) -> None:
    """Words that are months too, days that do not exist, and what needs a clock where there is none."""
    assert dates_in(question) == ()


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What did I eat yesterday?", span(date(2026, 3, 17))),
        ("and last night?", span(date(2026, 3, 17))),
        ("this morning", span(date(2026, 3, 18))),
        ("last Tuesday", span(date(2026, 3, 17))),
        ("last Wednesday", span(date(2026, 3, 11))),
        ("last week", span(date(2026, 3, 9), date(2026, 3, 15))),
        ("last weekend", span(date(2026, 3, 14), date(2026, 3, 15))),
        ("last month", span(date(2026, 2, 1), date(2026, 2, 28))),
        ("two weeks ago", span(date(2026, 3, 1), date(2026, 3, 7))),
        ("a couple of days ago", span(date(2026, 3, 16))),
        ("an hour, 3 days ago", span(date(2026, 3, 15))),
    ],
)
def test_what_is_counted_from_now_is_read(question: str, found: Period) -> None:
    """Against the clock of the question."""
    assert dates_in(question, NOW) == (found,)


@pytest.mark.parametrize("question", ["0 days ago", "many weeks ago", "500 years ago", "some days ago"])
def test_what_cannot_be_counted_is_left_alone(question: str) -> None:
    """No number, or one beyond reason."""
    assert dates_in(question, NOW) == ()


@given(DAYS)
def test_every_day_is_read_as_it_is_written(day: date) -> None:
    """In words and in figures."""
    named = NamedDate(month=day.month, day=day.day, year=day.year)
    assert dates_in(f"on {day.day} {day:%B} {day.year}") == dates_in(f"on {day:%Y-%m-%d}") == (named,)


@given(st.text(max_size=60), st.datetimes(datetime(1, 6, 1), datetime(9999, 6, 1)))  # noqa: DTZ001  (made aware below)
def test_no_question_and_no_clock_breaks_it(text: str, now: datetime) -> None:
    """A period never ends before it begins."""
    for words in (text, f"{text} yesterday", f"99 years ago {text} last month"):
        for found in dates_in(words, now.replace(tzinfo=UTC)):
            assert isinstance(found, NamedDate) or found.first <= found.last


@given(DAYS, st.integers(1, 90))
def test_days_ago_are_days_ago(day: date, count: int) -> None:
    """Counted exactly; longer units have some slack."""
    now = datetime(day.year, day.month, day.day, tzinfo=UTC)
    assert dates_in(f"{count} days ago", now) == (span(day - timedelta(count)),)

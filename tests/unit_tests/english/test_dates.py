"""Days and months that a question names."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem._search import NamedDate, Period
from langchain_agentmem.english.time.dates import dates_in, without_counted
from langchain_agentmem.english.time.named_dates import EITHER_WEIGHT, LONG_WEIGHT

NOW = datetime(2026, 3, 18, 12, tzinfo=UTC)  # a Wednesday
EPOCH = date(1970, 1, 1)
DAYS = st.dates(date(1900, 1, 1), date(2200, 12, 31))


def span(first: date, last: date | None = None, slack: int = 0, weight: float = 1.0) -> Period:
    return Period(first=(first - EPOCH).days, last=((last or first) - EPOCH).days, slack=slack, weight=weight)


def days(month: int, first: int, last: int) -> tuple[NamedDate, ...]:
    return tuple(NamedDate(month=month, day=day) for day in range(first, last + 1))


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


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Jan 5", days(1, 5, 5)),
        ("the 5th of Feb", days(2, 5, 5)),
        ("Sept 3rd, 2025", (NamedDate(month=9, day=3, year=2025),)),
        ("10.06.2026", (NamedDate(month=6, day=10, year=2026),)),
        ("5/20/26", (NamedDate(month=5, day=20, year=2026),)),
        ("6/10/2026", tuple(NamedDate(month=m, day=d, year=2026, weight=EITHER_WEIGHT) for m, d in ((10, 6), (6, 10)))),
        ("on 7/7", days(7, 7, 7)),
        ("between 3 and 5 May", days(5, 3, 5)),
        ("from May 3 to May 5", days(5, 3, 5)),
        ("May 3-5", days(5, 3, 5)),
        ("3 to 5 of May 2023", (span(date(2023, 5, 3), date(2023, 5, 5)),)),
        ("8 May to 12 May", days(5, 8, 12)),
        ("from March to May", tuple(NamedDate(month=it) for it in (3, 4, 5))),
        ("the day before 8 May", days(5, 7, 7)),
        ("the first week of May", days(5, 1, 7)),
        ("the last week of April", days(4, 24, 30)),
        ("early May", days(5, 1, 10)),
        ("mid-May 2023", (span(date(2023, 5, 11), date(2023, 5, 20)),)),
        ("in 2024", (span(date(2024, 1, 1), date(2024, 12, 31), weight=LONG_WEIGHT),)),
        ("the autumn of 2024", (span(date(2024, 9, 1), date(2024, 11, 30), weight=LONG_WEIGHT),)),
    ],
)
def test_parts_spans_and_figures_are_read(question: str, found: tuple[NamedDate | Period, ...]) -> None:
    """Each day of a short span that names no year; both days of figures that may be two, each counting less."""
    assert dates_in(question) == found


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What did I say on Saturday, 14 November?", days(11, 14, 14)),
        ("on Saturday 14 November 2026", (NamedDate(month=11, day=14, year=2026),)),
        ("on Sat, Nov 14th", days(11, 14, 14)),
        ("on Saturday, the 14th of November", days(11, 14, 14)),
        ("Saturday morning, November 14", days(11, 14, 14)),
        ("on Wednesday 2026-03-11", (NamedDate(month=3, day=11, year=2026),)),
        ("on Wednesday, 11.03.2026", (NamedDate(month=3, day=11, year=2026),)),
        ("between Saturday 14 November and Monday, 16 November", days(11, 14, 16)),
        ("What did I say on Saturday the 14th?", (span(date(2026, 3, 14)),)),
    ],
)
def test_a_weekday_beside_a_date_is_no_second_date(question: str, found: tuple[NamedDate | Period, ...]) -> None:
    """It says of the day that is named which one it was."""
    assert dates_in(question, NOW) == found


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What did I say before 5 March?", (span(EPOCH, date(2026, 3, 4), weight=LONG_WEIGHT),)),
        ("before the 5th of March", (span(EPOCH, date(2026, 3, 4), weight=LONG_WEIGHT),)),
        ("until 5 March 2026", (span(EPOCH, date(2026, 3, 5), weight=LONG_WEIGHT),)),
        ("What did I say after 5 March?", (span(date(2026, 3, 6), date(2026, 3, 18)),)),
        ("after last Monday", (span(date(2026, 3, 17), date(2026, 3, 18)),)),
        ("shortly before 15 March", (span(date(2026, 3, 5), date(2026, 3, 14)),)),
        ("right after 1 March", (span(date(2026, 3, 2), date(2026, 3, 11)),)),
        ("the week before 15 March", (span(date(2026, 3, 8), date(2026, 3, 14)),)),
        ("the Sunday before 18 March", (span(date(2026, 3, 15)),)),
        ("the Wednesday after 4 March", (span(date(2026, 3, 11)),)),
        ("last weekend before 10 March", (span(date(2026, 3, 7), date(2026, 3, 8)),)),
        ("two days before 15 March", days(3, 15, 15)),
        ("after today", (span(date(2026, 3, 18)),)),
        ("yesterday or the day before", (span(date(2026, 3, 17)), span(date(2026, 3, 16)))),
        ("yesterday and the day before yesterday", (span(date(2026, 3, 17)), span(date(2026, 3, 16)))),
        ("on 3 March or the day after", (*days(3, 3, 3), span(date(2026, 3, 4)))),
    ],
)
def test_what_stands_beside_a_date_moves_it(question: str, found: tuple[NamedDate | Period, ...]) -> None:
    """Before a day is all the time up to it, after it all the time from the next day to today; two days are both."""
    assert set(dates_in(question, NOW)) == set(found)


NUMBERED = (
    "What will we do on the 14th?",
    "What did I see on the 2nd floor?",
    "What did I do on the 40th?",
    "What did they do in the last quarter of the game?",
)


@pytest.mark.parametrize(
    "question", ["When do I have to be there on Monday?", "this Friday", "9/10", "5 marches", *NUMBERED]
)
def test_what_lies_ahead_or_is_no_date_is_left_alone(question: str) -> None:
    """A question for what is to come is not answered by what was said a week before it."""
    assert dates_in(question, NOW) == ()


def test_only_what_is_counted_is_taken_out_of_a_question() -> None:
    """A day that is named may have been said in these words; "last Tuesday" meant another one."""
    asked = "What did we say last Tuesday about 8 May?"
    assert without_counted(asked, NOW).split() == "what did we say about 8 may?".split()
    assert without_counted(asked) == asked.casefold()
    long_ago = span(date(2020, 1, 1), date(2020, 2, 1))
    assert without_counted(asked, NOW, long_ago) == asked.casefold()


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
        ("two weeks ago", span(date(2026, 3, 4), slack=3)),
        ("a fortnight ago", span(date(2026, 3, 4), slack=3)),
        ("two and a half weeks ago", span(date(2026, 3, 1), slack=3)),
        ("a week and a half ago", span(date(2026, 3, 8), slack=3)),
        ("half a year ago", span(date(2025, 9, 17), slack=45)),
        ("half a week ago", span(date(2026, 3, 15), slack=3)),
        ("twelve days ago", span(date(2026, 3, 6))),
        ("twenty-one days ago", span(date(2026, 2, 25))),
        ("a few days ago", span(date(2026, 3, 15), slack=1)),
        ("the other day", span(date(2026, 3, 15), slack=3)),
        ("the day before yesterday", span(date(2026, 3, 16))),
        ("On Monday, what did I eat?", span(date(2026, 3, 16))),
        ("this Monday", span(date(2026, 3, 16))),
        ("on Tuesday of last week", span(date(2026, 3, 10))),
        ("two Tuesdays ago", span(date(2026, 3, 10))),
        ("the Friday before last", span(date(2026, 3, 6))),
        ("last Friday evening", span(date(2026, 3, 13))),
        ("this week", span(date(2026, 3, 16), date(2026, 3, 18))),
        ("the week before last", span(date(2026, 3, 2), date(2026, 3, 8))),
        ("two weekends ago", span(date(2026, 3, 7), date(2026, 3, 8))),
        ("this weekend", span(date(2026, 3, 21), date(2026, 3, 22))),
        ("earlier this month", span(date(2026, 3, 1), date(2026, 3, 18))),
        ("the month before last", span(date(2026, 1, 1), date(2026, 1, 31))),
        ("in the past two weeks", span(date(2026, 3, 4), date(2026, 3, 18))),
        ("What did I do last two weeks?", span(date(2026, 3, 4), date(2026, 3, 18))),
        ("What have I eaten since Monday?", span(date(2026, 3, 16), date(2026, 3, 18))),
        ("since last Tuesday", span(date(2026, 3, 17), date(2026, 3, 18))),
        ("since 8 March", span(date(2026, 3, 8), date(2026, 3, 18))),
        ("last year", span(date(2025, 1, 1), date(2025, 12, 31), weight=LONG_WEIGHT)),
        ("last summer", span(date(2025, 6, 1), date(2025, 8, 31), weight=LONG_WEIGHT)),
        ("What did I say on the 14th?", span(date(2026, 3, 14))),
        ("what was it on the 18th", span(date(2026, 3, 18))),
        ("On the 30th, what did I eat?", span(date(2026, 1, 30))),
        ("on the 14th of last month", span(date(2026, 2, 14))),
        ("on the 2nd this month", span(date(2026, 3, 2))),
        ("last quarter", span(date(2025, 10, 1), date(2025, 12, 31), weight=LONG_WEIGHT)),
        ("the quarter before last", span(date(2025, 7, 1), date(2025, 9, 30), weight=LONG_WEIGHT)),
        ("this quarter", span(date(2026, 1, 1), date(2026, 3, 18), weight=LONG_WEIGHT)),
        ("last Christmas", span(date(2025, 12, 24), date(2025, 12, 26))),
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


def test_one_moment_is_on_two_days() -> None:
    """What is counted is counted from the day where the user is, whoever asked the same elsewhere before."""
    here = datetime(2026, 3, 18, 23, 30, tzinfo=UTC)
    there = here.astimezone(timezone(timedelta(hours=1)))
    assert there == here
    days = [dates_in("What did we eat yesterday?", now) for now in (here, there, here)]
    assert days[0] == days[2] != days[1]

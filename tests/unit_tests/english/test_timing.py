"""When a time in a question is a condition."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.english.time.timing import CLOCKS_DIFFER, Window, window_of

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)  # a Wednesday


def day(month: int, date: int, year: int = 2026) -> datetime:
    return datetime(year, month, date, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "end"),
    [
        ("What was my address back in March?", day(4, 1)),
        ("Back in December, where did I work?", day(1, 1)),
        ("As of 2024, what was my job?", day(1, 1, 2025)),
        ("Where did I live as of 3 May 2025?", day(5, 4, 2025)),
        ("Where did I live at that time?", day(6, 1, 2025)),
    ],
)
def test_a_past_state_is_asked_for_as_it_stood(question: str, end: datetime) -> None:
    """At the end of the time named, here or before; a month without a year is the last one."""
    found = window_of(question, ["I moved in May 2025", "and in 2019"], NOW)
    assert found.as_of is not None
    assert found == Window(as_of=end + CLOCKS_DIFFER - timedelta(microseconds=1))


@pytest.mark.parametrize(
    ("question", "since", "until"),
    [
        ("What did we discuss this week?", day(11, 16), None),
        ("What did I say today?", day(11, 18), None),
        ("What have I mentioned this month?", day(11, 1), None),
        ("What did I tell you this year?", day(1, 1), None),
        ("What have I told you in the last 3 days?", day(11, 15), None),
        ("What have we discussed since Monday?", day(11, 16), None),
        ("What have we talked about since March 3rd?", day(3, 3), None),
        ("What did I say yesterday?", day(11, 17), day(11, 18)),
        ("What did we talk about last week?", day(11, 9), day(11, 16)),
    ],
)
def test_what_was_said_within_a_time_is_looked_for_there(
    question: str, since: datetime, until: datetime | None
) -> None:
    """With room for the user's clock, whose day may begin and end at other hours."""
    found = window_of(question, (), NOW)
    assert found.since == since - CLOCKS_DIFFER
    assert found.until == (None if until is None else until + CLOCKS_DIFFER - timedelta(microseconds=1))


@pytest.mark.parametrize(
    "question",
    [
        "What did I do last week?",
        "What do I have planned this week?",
        "When did I go to Rome in March?",
        "What was my best holiday?",
        "What was my address back then?",
        "What was my address back in December 2027?",
        "What did I say since forever?",
        "What did Ada say this week?",
        "What was my job as of 31 December 9999?",
        "",
    ],
)
def test_a_time_that_is_only_named_is_no_condition(question: str) -> None:
    """What is said of a time is mostly said later; what cannot lie behind is none."""
    assert window_of(question, (), NOW) == Window()


@given(
    st.lists(
        st.sampled_from(
            "what was my address did I say since as of back in at that time last week 2024 December 31 9999 May "
            "yesterday today this year the past 999 years".split()
        ),
        max_size=12,
    ).map(" ".join),
    st.datetimes(),
)
def test_any_question_has_a_window_that_lies_behind(question: str, now: datetime) -> None:
    """At any date of the calendar; what is asked for is over, or has begun."""
    at = now.replace(tzinfo=UTC)
    found = window_of(question, [question], at)
    assert found.as_of is None or found.as_of < at
    assert found.since is None or found.since < at + timedelta(days=1)
    assert found.since is None or found.until is None or found.since < found.until

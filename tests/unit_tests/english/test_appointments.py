"""Appointments that were called off or moved, and what is remembered of when they were to be; English."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.english.endings.endings import PASSING, ended_by
from langchain_agentmem.extraction import RuleExtractor

ROME = "The user's flight to Rome is on 3 May"
OSLO = "The user's flight to Oslo is on 9 May"
DENTIST = "The user's dentist appointment is on Monday"
SAM = "The meeting with Sam is on Monday"
WEDDING = "The user's family's wedding is on 8 August"
ARUP = "The user has an interview at Arup on Thursday"


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("My flight to Rome was cancelled", ROME),
        ("The flight to Rome has been cancelled", ROME),
        ("The dentist cancelled my appointment", DENTIST),
        ("I cancelled my dentist appointment", DENTIST),
        ("The meeting with Sam was cancelled", SAM),
        ("We called off the wedding", WEDDING),
        ("We called off the wedding", "The user is getting married to Chris on June 8th"),
        ("My interview got cancelled", ARUP),
        ("My wife's flight was cancelled", "The user's wife's flight to Rome is on 3 May"),
        ("We cancelled our trip to Rome", "The user is going to Rome in May"),
        ("I cancelled my gym membership", "The user has a gym membership"),
        ("The knee op's been cancelled", "The user's knee op is on 18 September"),
        ("The driving test is off, they've no examiners", "The user's driving test is on 3 May"),
    ],
)
def test_what_was_called_off_will_not_be(said: str, known: str) -> None:
    """Whoever did so, and however much more is known of it."""
    assert ended_by(said, [known]) == (0,)


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("My flight got moved to 5 May", ROME),
        ("The dentist moved my appointment to 9 May", "The user's dentist appointment is on 3 May"),
        ("My appointment got moved to 12 May", "The dentist moved the user's appointment to 9 May"),
        ("We moved the wedding to 15 August", WEDDING),
        ("The user's team moved the meeting with Sam to Tuesday", SAM),
        ("The meeting with Sam is on Tuesday now", SAM),
        ("The meeting with Sam is now on Tuesday", SAM),
        ("The Arup interview got moved to Friday", ARUP),
        ("My interview at Arup was moved to Friday", ARUP),
        ("My surgery was pushed back to next month", "The user's surgery is on 12 June"),
        ("The meeting was moved to 11am", "The meeting is at 10am"),
        ("The exam got postponed to 28th due to elections", "The user's exam of DBMS is on 21st March"),
        ("The interview moved to the 16th", "The user's interview is on 14 April at 2pm"),
        ("They changed my appointment to 19 March", "The user's appointment is on 12 March"),
        ("Claire extended the deadline to 15 November, bless her", "The user's deadline is 30 September"),
        ("My supervisor pushed the deadline back to 1 July", "The user's thesis deadline is 1 June"),
        ("The court's been pushed to Dec 2", "The user's court date is Nov 18"),
        ("The hospital has put my scan back to Friday", "The user's scan is on Tuesday"),
        ("The wedding's now 15 August", "The wedding is on 8 August"),
        ("The exam is now 12 May", "The exam moved to 9 May"),
    ],
)
def test_what_was_moved_is_no_longer_when_it_was(said: str, known: str) -> None:
    """By the day, or by the time where that is all that was known."""
    assert ended_by(said, [known]) == (0,)


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("My flight got moved to 5 May", [ROME, OSLO]),
        ("My flight was cancelled", [ROME, OSLO]),
        ("My flight was cancelled", ["The user's wife's flight to Rome is on 3 May"]),
        ("My wife's flight was cancelled", [ROME]),
        ("The meeting with Ann was cancelled", [SAM]),
        ("Our holiday was cancelled", ["The user is going to Rome in May"]),
        ("My yoga class was cancelled", ["The user's yoga class is every Monday"]),
        ("My exam got cancelled", ["The user's exam is every Monday"]),
        ("My exam was nearly cancelled", ["The user's exam is on Monday"]),
        ("My flight might be cancelled", [ROME]),
        ("My flight was not cancelled", [ROME]),
        ("I never cancelled my flight", [ROME]),
        ("I almost cancelled my flight", [ROME]),
        ("My meeting was cancelled", ["The meeting with Sam is at Costa"]),
        ("The meeting was moved to the big room", [SAM]),
        ("The meeting was moved to 11am", ["The meeting is on Monday at 10am"]),
        ("We moved the meeting to Tuesday", ["The meeting with Sam is on Tuesday"]),
        ("The meeting is on Tuesday", [SAM]),
        ("My surgery was postponed", ["The user's surgery is on 12 June"]),
        ("I moved to Leeds", [ROME]),
        ("My sister's exam got moved to 9 May", ["The user's exam is on 3 May"]),
        ("The physics exam got moved to 9 May", ["The user's maths exam is on 3 May"]),
        ("Ben's deadline got extended to 15 November", ["The user's deadline is 30 September"]),
        ("My sister moved the wedding to 9 June", ["The user's wedding is on 8 August"]),
        ("My wife moved the meeting to 9 May", ["The user's meeting is on 3 May"]),
        ("The meeting moved to the 3rd floor", ["The user's meeting is on 2 May"]),
        ("The exam got postponed to 28th", ["The user's exam is on 28 March"]),
        ("The meeting is off to a good start", [SAM]),
        ("The flight was delayed to 6pm", [ROME]),
        ("The meeting was cancelled last year as well", [SAM]),
        ("Our meeting was called off last summer", [SAM]),
    ],
)
def test_what_only_sounds_like_it_ends_nothing(said: str, known: list[str]) -> None:
    """One of two, somebody else's, one of many, or not so."""
    assert ended_by(said, known) == ()


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("exam got postponed to 28th", "The exam got postponed to 28th"),
        ("Interview moved to the 16th!", "The interview moved to the 16th"),
        ("Northzone pitch moved to Monday", "The Northzone pitch moved to Monday"),
        ("knee op's been cancelled", "The knee op's been cancelled"),
    ],
)
def test_an_appointment_without_an_article_is_the_known_one(said: str, content: str) -> None:
    """It is kept as news of it."""
    assert [it.content for it in RuleExtractor().extract([HumanMessage(said)])] == [content]


@pytest.mark.parametrize(
    "said",
    [
        "her exam got moved to 9 May",
        "your flight was cancelled",
        "meeting moved to the 3rd floor",
        "no exam was cancelled",
    ],
)
def test_nobody_knows_whose_other_appointments_are(said: str) -> None:
    """Of others, or of none, nothing is kept."""
    assert not RuleExtractor().extract([HumanMessage(said)])


@pytest.mark.parametrize(
    "said", ["exam got cancelled lol", "flight delayed to 6pm ugh", "Claire moved the call to Monday"]
)
def test_news_of_any_day_is_kept_where_it_ends_something(said: str) -> None:
    """By itself it is not worth remembering."""
    found = RuleExtractor().extract([HumanMessage(said)])
    assert all(PASSING in it.tags for it in found)


@pytest.mark.parametrize("run", [" " * 4000, "\n" * 4000, "a" * 4000, "a " * 140, "exam " * 55, "to the 3rd " * 25])
def test_a_long_run_is_read_in_time(run: str) -> None:
    """What is no sentence ends nothing."""
    assert ended_by(f"The exam moved {run}", [ROME]) == ()

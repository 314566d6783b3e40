"""Appointments that were called off or moved, and what is remembered of when they were to be; English."""

from __future__ import annotations

import pytest

from langchain_agentmem.policies.endings import ended_by

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
    ],
)
def test_what_only_sounds_like_it_ends_nothing(said: str, known: list[str]) -> None:
    """One of two, somebody else's, one of many, or not so."""
    assert ended_by(said, known) == ()

"""What somebody is no more, by the office; and what they have no more, by its make."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.endings.endings import ended_by

CLUB, CHOIR = "The user is the treasurer of the club", "The user is the treasurer of the choir"


@pytest.mark.parametrize(
    ("news", "known"),
    [
        ("The user resigned as treasurer last night", CLUB),
        ("The user stepped down as treasurer", CLUB),
        ("The user stepped down as treasurer of the club", CLUB),
        ("The user gave up being captain", "The user is the captain of the team"),
        ("The user retired as a nurse", "The user is a nurse"),
        ("The user resigned as chair of the PTA", "The user is chair of the PTA"),
        ("The user resigned as chair", "The user is chair of the PTA"),
        ("The user retired as a nurse", "The user works as a nurse"),
        ("The user sold their Garmin", "The user's watch is a Garmin"),
        ("The user sold the Golf", "The user's car is a Golf"),
        ("The user sold the Dell", "The user's laptop is a Dell"),
    ],
)
def test_an_office_given_up_and_a_thing_sold_by_its_make_are_over(news: str, known: str) -> None:
    """Whatever the verb, and whatever the office is of."""
    assert ended_by(news, [known]) == (0,)


@pytest.mark.parametrize(
    ("news", "known"),
    [
        ("The user wants to step down as treasurer", [CLUB]),
        ("The user resigned as secretary", [CLUB]),
        ("The user stepped down as treasurer", [CLUB, CHOIR]),
        ("The user stepped down as treasurer of the choir", [CLUB]),
        ("The user resigned as soon as possible", [CLUB]),
        ("The user resigned as chair of the board", ["The user is chair of the PTA"]),
        ("The user stopped being tired", ["The user is retired"]),
        ("The user's wife resigned as treasurer", [CLUB]),
        ("The user sold the golf clubs", ["The user's car is a Golf"]),
        ("The user sold the Golf", ["The user's hobby is Golf"]),
        ("The user sold their Golf", ["The user's wife's car is a Golf"]),
        ("The user sold the Golf", ["The user's car is like a Golf"]),
    ],
)
def test_another_office_another_thing_and_a_plan_end_nothing(news: str, known: list[str]) -> None:
    """Nor does one of two that may be meant."""
    assert ended_by(news, known) == ()

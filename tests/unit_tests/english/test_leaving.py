"""Groups, subscriptions, homes, plans and shifts that somebody left, and what was looked for and found; English."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.endings.endings import ended_by, ending_in
from langchain_agentmem.english.endings.reached_goals import reached

CLUB = "The user is a member of the chess club"
NIGHTS = "The user works night shifts"
PLUS = "The user is on the Plus plan"


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("I quit the choir", "The user sings in the church choir"),
        ("I left the church choir last month", "The user sings in the church choir"),
        ("I've left the chess club", CLUB),
        ("I dropped out of the band", "The user plays drums in the band"),
        ("I cancelled Netflix", "The user has a Netflix subscription"),
        ("I cancelled my Netflix subscription", "The user is subscribed to Netflix"),
        ("I've cancelled my subscription to The Guardian", "The user pays for The Guardian"),
        ("I moved out of Tom's place", "The user lives with Tom"),
        ("I moved out of my parents' house", "The user lives with their parents"),
        ("I moved out last week", "The user lives with their girlfriend"),
        ("I upgraded to the Pro plan", PLUS),
        ("I'm on the Pro plan now", PLUS),
        ("I switched from the Plus plan to the family plan", PLUS),
        ("I'm on day shifts now", NIGHTS),
        ("I switched to days", "The user works nights"),
        ("I found a flat in Headingley", "The user is looking for an apartment in Leeds"),
        ("I found a nice two-bedroom flat", "The user is looking for a flat"),
        ("I got a job at Arup", "The user is currently unemployed"),
        ("We have a new landlord, Ms Cole", "The user's landlord is Mr Hill"),
        ("The user's team has a new landlord, Ms Cole", "The user's team has a landlord, Mr Hill"),
        ("I have a new boss", "Tom is the user's boss"),
        ("I got a new dentist called Ann Lee", "The user's dentist is Tom"),
        ("I bought a flat in York and moved in", "The user rents a flat in York"),
        ("We moved into our own house last week", "The user is renting a flat in York"),
        ("I replaced my iPhone with a Pixel", "The user's phone is an iPhone"),
        ("I got a Pixel instead of my iPhone", "The user's phone is an iPhone"),
        ("I no longer have time to volunteer", "The user volunteers at the food bank"),
        ("I no longer have time to play tennis", "The user plays tennis on Sundays"),
    ],
)
def test_what_was_left_or_found_is_over(said: str, known: str) -> None:
    """In whatever words it was told, where only one can be meant."""
    assert ended_by(said, [known]) == (0,)


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("I left the club early", [CLUB]),
        ("I left the chess club meeting early", [CLUB]),
        ("I quit the tennis club", [CLUB]),
        ("I quit the club", [CLUB, "The user is a member of the tennis club"]),
        ("I quit the choir", ["The user is in the choir and the chess club"]),
        ("I cancelled Friday", ["The user has a Friday subscription"]),
        ("I cancelled Spotify", ["The user uses Spotify"]),
        ("I cancelled Netflix", ["The user pays for Netflix and Spotify"]),
        ("I moved out of Ann's place", ["The user lives with Tom"]),
        ("I moved out", ["The user lives with Tom", "The user lives with Ann"]),
        ("I moved out of the way", ["The user lives with Tom"]),
        ("I'm on the meal plan now", [PLUS]),
        ("I'm on the Pro plan", [PLUS]),
        ("I'm on day shifts this week", [NIGHTS]),
        ("I found a bug in the job queue", ["The user is looking for a job"]),
        ("I got a job interview", ["The user is looking for a job"]),
        ("I work mornings now", ["The user works weekends"]),
        ("I switched to the polars package", ["The user uses the scipy package"]),
        ("I left the night club", ["The user works in the night club"]),
        ("I got the job done", ["The user is looking for a job"]),
        ("I bought a doll house", ["The user is looking for a house"]),
        ("I nearly bought a house", ["The user is looking for a house"]),
        ("I have a new boss", ["The user's boss is strict"]),
        ("I have a new boss called Tom", ["The user's boss is Tom"]),
        ("I want a new boss", ["The user's boss is Tom"]),
        ("I have a new doctor's appointment", ["The user's doctor is Tom"]),
        ("I bought a flat", ["The user rents a flat in York"]),
        ("I bought a flat in York and moved in", ["The user rents a flat out in York"]),
        ("I replaced the battery of my iPhone with a new one", ["The user's phone is an iPhone"]),
        ("I replaced my phone case with a new one", ["The user's phone is an iPhone"]),
        ("I no longer have time to explain", ["The user plays tennis on Sundays"]),
    ],
)
def test_what_only_sounds_like_it_ends_nothing(said: str, known: list[str]) -> None:
    """For a while, of another one, or of one of two."""
    assert ended_by(said, known) == ()


@pytest.mark.parametrize(
    ("goal", "is_reached"),
    [
        ("The user is saving for a house", True),
        ("The user wants to buy a house next year", True),
        ("The user wants to buy a house in Spain", False),
        ("The user wants to sell the house", False),
        ("The user wants to paint the house", False),
        ("The user wants to look at the house", False),
    ],
)
def test_who_bought_it_has_reached_what_they_saved_for(goal: str, *, is_reached: bool) -> None:
    """And not what else they want of it, nor one of a certain kind."""
    assert bool(reached("The user bought a house", [goal])) is is_reached


@pytest.mark.parametrize("said", ["I replaced my code with a new function", "I got a coffee instead of my tea"])
def test_what_is_no_belonging_is_no_news(said: str) -> None:
    """What ends something is kept as a fact: a task of the day is none."""
    assert ending_in(said) is None

"""Plans that came true or to nothing, and what is remembered of them; English."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.english.endings.denied_goals import given_up
from langchain_agentmem.english.endings.endings import PASSING, ended_by
from langchain_agentmem.extraction import RuleExtractor

MACBOOK = "The user is planning to buy a MacBook Air"
CARD = "The user is saving for a 4070"
ROME = "The user is flying to Rome in May"
GATE = "The user is preparing for GATE 2027"
VALENCIA = "The user is training for the Valencia marathon on 6 December"
NURSE = "The user works nights as a nurse at St. Mary's"


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("The user bought the MacBook Air", MACBOOK),
        ("I bought a MacBook Air M3 today", MACBOOK),
        ("I just got the 4070 installed", CARD),
        ("I got a 4070", CARD),
        ("We finally bought the campervan last week", "The user wants to buy a campervan"),
        ("Rome is cancelled", ROME),
        ("Rome's off, the airline went bust", ROME),
        ("The Toronto trip fell through", "The user is going to visit Helen in Toronto in July"),
        ("Scrap the Leipzig move, he turned it down", "The user's group is moving to Leipzig in January"),
        ("I'm not doing Valencia any more, going for Seville instead", VALENCIA),
        ("I'm no longer doing the Valencia marathon", VALENCIA),
        ("I quit St Mary's", NURSE),
        ("I left Greggs last month", "The user works part-time as a baker at Greggs"),
        ("I quit Amazon", "The user works shifts at Amazon"),
    ],
)
def test_what_came_true_or_to_nothing_is_no_plan_any_more(said: str, known: str) -> None:
    """In the words of any day, and a job by its place."""
    assert ended_by(said, [known]) == (0,)


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("The user bought a case for the MacBook Air", [MACBOOK]),
        ("I got a MacBook charger", [MACBOOK]),
        ("I got a 4070 for my son", [CARD]),
        ("I got a 4080", [CARD]),
        ("I got a bike ready", ["The user wants to buy a bike"]),
        ("My brother bought the MacBook Air", [MACBOOK]),
        ("I nearly bought the MacBook Air", [MACBOOK]),
        ("I got my car seat", ["The user is saving for a car"]),
        ("I bought the curtains", ["The user is planning to buy a house"]),
        ("Rome is beautiful", [ROME]),
        ("Rome is cancelled on Netflix", [ROME]),
        ("Oslo is off", [ROME]),
        ("The Boston trip is off", ["The user is going to visit Helen in Toronto in July"]),
        ("Scrap the office move", ["The user is moving to Leipzig in January"]),
        ("I'm not doing leg day any more", [VALENCIA]),
        ("I'm not doing the marathon any more", [VALENCIA, "The user is training for the Rome marathon"]),
        ("I'm not doing Valencia this week", [VALENCIA]),
        ("I quit smoking", [NURSE]),
        ("I left St Mary's at 6 this morning", [NURSE]),
        ("My sister quit St Mary's", [NURSE]),
    ],
)
def test_other_things_and_other_people_leave_a_plan(said: str, known: list[str]) -> None:
    """Another name, somebody else's deed, a day, or one of two."""
    assert ended_by(said, known) == ()


def test_a_decision_not_to_do_something_ends_the_plan_to() -> None:
    """Whether it says "not to" or "I'm not"."""
    assert given_up("The user decided they are not giving GATE", [GATE]) == (0,)
    assert given_up("The user decided they are not going to the party", [GATE]) == ()


@pytest.mark.parametrize("said", ["just got the 4070 installed", "Lisbon's off", "not doing Valencia any more"])
def test_such_news_is_kept_for_its_end_alone(said: str) -> None:
    """By itself it is news of any day."""
    assert all(PASSING in it.tags for it in RuleExtractor().extract([HumanMessage(said)]))


@pytest.mark.parametrize(
    "said",
    [
        "We moved house, we're in Leeds now",
        "I've moved house and I'm in Leeds now",
        "We've moved. We're now living in Leeds.",
        "I moved from London, I'm in Leeds now",
        "I've moved out of London. I'm in Leeds now.",
    ],
)
def test_a_move_in_two_breaths_is_a_move(said: str) -> None:
    """Where somebody is by now who has moved is where they live."""
    found = RuleExtractor().extract([HumanMessage(said)])
    assert any(it.content.endswith("moved to Leeds") for it in found)


@pytest.mark.parametrize(
    "said",
    [
        "We're in Leeds now for the weekend",
        "I'm in Leeds now, call you later",
        "my sister moved house, she's in Leeds now",
        "We moved offices, we're in Leeds now",
        "We moved the sofa, we're in Leeds now",
        "I flew from London, I'm in Leeds now",
        "Tom moved from London, I'm in Leeds now",
        "If we moved house, we're in Leeds now",
    ],
)
def test_where_somebody_merely_is_they_do_not_live(said: str) -> None:
    """Without a move of the user's own there is none."""
    found = RuleExtractor().extract([HumanMessage(said)])
    assert not [it for it in found if it.relation == "lives_in" or "moved to" in it.content]


@pytest.mark.parametrize("run", [" " * 4000, "\n" * 4000, "a" * 4000, "a " * 140, "got the " * 37, "moved, " * 570])
def test_a_long_run_is_read_in_time(run: str) -> None:
    """What is no sentence ends nothing."""
    assert ended_by(f"I got the {run}", [MACBOOK]) == ()
    assert ended_by(f"I'm not doing {run}", [VALENCIA]) == ()

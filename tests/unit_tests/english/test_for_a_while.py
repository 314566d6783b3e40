"""How it was with somebody for a while, or had never been, and that it is so no more; English."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.endings.endings import ended_by, ending_in

ROME = "The user is going to Rome in May"
GARAGE = "The user's car is at the garage"
REX = "The user's dog Rex is ill"
LEAVE = "The user is on maternity leave"
HOME = "The user works from home"
JAPAN = "The user has never been to Japan"


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("I just got back from Rome", ROME),
        ("I'm back from Rome, it was lovely", ROME),
        ("We're home from our trip to Rome", "The user's family is flying to Rome on 3 May"),
        ("I'm back from my holiday", "The user is on holiday in Spain"),
        ("I got my car back", GARAGE),
        ("My car is fixed", "The user's car is broken"),
        ("Rex is well again", REX),
        ("My dog has recovered", REX),
        ("My mum is home from hospital", "The user's mum is in hospital"),
        ("I've recovered", "The user is ill"),
        ("I'm in a relationship now", "The user is single"),
        ("I'm back in the office full time", HOME),
        ("I'm back at work", LEAVE),
        ("I'm back from maternity leave", LEAVE),
        ("My maternity leave is over", LEAVE),
        ("I went back to work last week", "The user is on sick leave"),
        ("I started at Siemens on Monday", "The user is unemployed"),
        ("I got over my fear of flying", "The user is afraid of flying"),
        ("I went to Japan last month", JAPAN),
        ("I flew to Japan for the first time", JAPAN),
        ("I tried sushi for the first time", "The user has never eaten sushi"),
        ("I learned to swim", "The user cannot swim"),
        ("I passed my driving test", "The user is learning to drive"),
        ("I passed my exam", "The user has an exam on 12 June"),
    ],
)
def test_what_was_so_for_a_while_is_over(said: str, known: str) -> None:
    """By whoever's word it is told, and it is news of any day: only what it ends makes it worth remembering."""
    assert ended_by(said, [known]) == (0,)
    ending = ending_in(said)
    assert ending is not None
    assert ending.is_passing


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("I no longer need glasses", "The user wears glasses"),
        ("I don't need my crutches any more", "The user needs crutches"),
    ],
)
def test_what_is_needed_no_longer_is_over_and_worth_remembering(said: str, known: str) -> None:
    """Who needs no glasses sees well, whether or not they were known to wear some."""
    assert ended_by(said, [known]) == (0,)
    ending = ending_in(said)
    assert ending is not None
    assert not ending.is_passing


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("We just had our third child", "The user has two kids"),
        ("My son was born last week", "The user has no kids"),
    ],
)
def test_a_child_more_is_news_by_itself(said: str, known: str) -> None:
    """It ends how many there were, and is remembered whatever was known."""
    assert ended_by(said, [known]) == (0,)
    ending = ending_in(said)
    assert ending is not None
    assert not ending.is_passing


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("I'm back from Rome", ["The user is going to Oslo in May"]),
        ("I'm back from Rome", ["The user goes to Rome every May", "The user is going to Rome again in July"]),
        ("I'm back from Rome", ["The user is moving to Rome", "The user lives in Rome"]),
        ("I'm back from work", [ROME]),
        ("I'm back from my holiday", [ROME]),
        ("Tom is back from Rome", [ROME]),
        ("I got my bike back", [GARAGE]),
        ("I got my car back", ["The user's wife's car is at the garage"]),
        ("My code is fixed", ["The user's code is broken"]),
        ("Rex is well again", ["The user's dog Max is ill"]),
        ("Tom has recovered", [REX]),
        ("Rex has not recovered", [REX]),
        ("I'm in a relationship", ["The user is a single mother"]),
        ("I'm back in the office", [HOME]),
        ("I'm back at work", [HOME]),
        ("Tom is back at work", [LEAVE]),
        ("I started at nine", ["The user is unemployed"]),
        ("I started on Monday", ["The user is unemployed"]),
        ("I got over my fear of flying", ["The user is afraid of spiders"]),
        ("I no longer need glasses", ["The user uses a hearing aid"]),
        ("I have not been to Japan", [JAPAN]),
        ("I went to Japan last month", ["The user has never been to Oslo"]),
        ("My sister went to Japan", [JAPAN]),
        ("I learned to swim", ["The user cannot ski"]),
        ("I want to learn to swim", ["The user cannot swim"]),
        ("I failed to pass my exam", ["The user has an exam on 12 June"]),
        ("We just had our third child", ["The user has three kids"]),
        ("My nephew was born last week", ["The user has no kids"]),
    ],
)
def test_what_only_sounds_like_it_leaves_it_as_it_was(said: str, known: list[str]) -> None:
    """Somewhere else, of somebody else, not so, or not for good."""
    assert ended_by(said, known) == ()

"""What somebody does no more: which memories that ends, and which only look alike."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.english.endings.endings import ended_by
from langchain_agentmem.extraction import RuleExtractor

FOOTBALL = "The user plays football with the Leeds vets on Sundays"
COFFEE = "The user drinks coffee every morning"


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("I gave up football", FOOTBALL),
        ("I've given up football for good", FOOTBALL),
        ("I no longer play football", FOOTBALL),
        ("I no longer play football since I hurt my knee", FOOTBALL),
        ("I've stopped playing football", FOOTBALL),
        ("I don't play football any more", FOOTBALL),
        ("Gil gave up football last year", "Gil plays football on Sundays"),
        ("I quit smoking", "The user smokes ten a day"),
        ("I quit smoking", "The user smokes a pack a day"),
        ("I stopped smoking in May", "The user smokes"),
        ("I gave up running", "The user runs 10k every Sunday"),
        ("I quit the gym", "The user goes to the gym twice a week"),
        ("I gave up coffee", COFFEE),
        ("I've given up meat", "The user eats meat once a week"),
        ("I stopped taking metformin", "The user takes metformin 500 mg twice a day"),
        ("I gave up piano lessons", "The user takes piano lessons on Mondays"),
        ("I no longer use Vim", "The user uses Vim for notes"),
    ],
)
def test_a_pastime_given_up_is_over(said: str, known: str) -> None:
    """However much more is told of when, where and with whom it was done."""
    assert ended_by(said, [known]) == (0,)


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("I gave up football tickets for Tom", FOOTBALL),
        ("I gave up football for Lent", FOOTBALL),
        ("I gave up football this week", FOOTBALL),
        ("I gave up football until my knee is better", FOOTBALL),
        ("I stopped playing football video games", FOOTBALL),
        ("I no longer play football with Tom", FOOTBALL),
        ("I no longer play football on Mondays", FOOTBALL),
        ("I don't play football", FOOTBALL),
        ("My son gave up football", FOOTBALL),
        ("I want to give up football", FOOTBALL),
        ("I gave up football but I'm back now", FOOTBALL),
        ("I no longer drink coffee after five", COFFEE),
        ("I don't drink coffee in the evening any more", COFFEE),
        ("I gave up football", "The user plays football manager on Sundays"),
        ("I gave up football", "The user plays fantasy football on Sundays"),
        ("I gave up football", "The user plays football on Sundays and coaches the under-9s"),
        ("I gave up football", "The user likes football"),
        ("I gave up football", "The user's son plays football on Sundays"),
        ("I gave up running", "The user runs a bakery"),
        ("I gave up running", "The user runs two bakeries"),
        ("I quit smoking", "The user smokes salmon at home"),
        ("I gave up playing", "The user plays the piano"),
        ("I stopped working", "The user works at Siemens"),
        ("I stopped running because the light turned red", "The user runs every morning"),
        ("I stopped smoking because a guest came", "The user smokes"),
    ],
)
def test_what_only_looks_alike_goes_on(said: str, known: str) -> None:
    """A part of it, a while without it, another thing by that name, and what others do."""
    assert ended_by(said, [known]) == ()


@pytest.mark.parametrize(
    ("said", "known", "is_over"),
    [
        ("My dentist appointment is cancelled", "The user has a dentist appointment on Tuesday at 3pm", True),
        ("My dentist appointment was called off", "The user's dentist appointment is on Tuesday", True),
        ("My flight has been cancelled", "The user has a flight to Rome on Friday", True),
        ("My dentist appointment is not cancelled", "The user has a dentist appointment on Tuesday", False),
        ("My dentist appointment is cancelled", "The user has a doctor's appointment on Tuesday", False),
        ("My dentist appointment might be cancelled", "The user has a dentist appointment on Tuesday", False),
        ("Tom's dentist appointment is cancelled", "The user has a dentist appointment on Tuesday", False),
    ],
)
def test_what_is_cancelled_is_over(said: str, known: str, *, is_over: bool) -> None:
    """By whomever; another one, and what may be cancelled, is not."""
    assert ended_by(said, [known]) == ((0,) if is_over else ())


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("My wife and I split up", "Gil split up with their wife"),
        ("We split up", "Gil split up"),
        ("My wife and I split the bill", "Gil split the bill"),
    ],
)
def test_who_split_up_has_done_so(said: str, content: str) -> None:
    """It is told as past, and other splitting as what it looks like."""
    assert [it.content for it in RuleExtractor().extract([HumanMessage(said)], user_name="Gil")] == [content]

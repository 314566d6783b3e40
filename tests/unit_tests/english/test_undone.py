"""What says that something is not over after all."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.endings.endings import ending_in
from langchain_agentmem.english.endings.undone import denial_of, undone_in

VOLVO = "The user has a blue Volvo"


@pytest.mark.parametrize(
    ("said", "over", "ended"),
    [
        ("I didn't sell my car", "I sold my car", VOLVO),
        ("The user did not sell their car after all", "The user sold their car", VOLVO),
        ("I haven't sold my car yet", "I sold my car", VOLVO),
        ("I never sold my car", "I sold my car", VOLVO),
        ("I didn't give away my car", "I gave away my car", VOLVO),
        ("I still have my car", "I sold my car", VOLVO),
        ("I still drive my Volvo", "I sold my car", VOLVO),
        ("My bike wasn't stolen", "My bike was stolen", "The user's bike is a Brompton"),
        ("Rex didn't die", "Rex died", "The user's dog is called Rex"),
        ("Rex isn't dead", "Rex died", "The user's dog is called Rex"),
        ("My dog is still alive", "Rex died", "The user's dog is called Rex"),
        ("Rex is alive and well", "My dog died", "The user's dog is called Rex"),
        ("Emma and I didn't break up", "Emma and I broke up", "The user's girlfriend is Emma"),
        ("We are still together", "Emma and I broke up", "The user's girlfriend is Emma"),
        ("I wasn't laid off", "I was laid off", "The user works at Siemens"),
        ("I didn't quit my job", "I quit my job at Siemens", "The user works at Siemens"),
        ("I still have my job", "I lost my job", "The user works at Siemens"),
        ("I still work at Siemens", "I quit my job", "The user works at Siemens"),
    ],
)
def test_what_is_not_over_takes_back_what_was_said_of_the_same(said: str, over: str, ended: str) -> None:
    """By what it would have ended, in whatever words either is."""
    undone = undone_in(said)
    assert undone is not None
    assert undone.means(over, [ended])


@pytest.mark.parametrize(
    ("said", "over", "ended"),
    [
        ("I didn't sell my bike", "I sold my car", VOLVO),
        ("I still have my bike", "I sold my car", VOLVO),
        ("Bello didn't die", "Rex died", "The user's dog is called Rex"),
        ("My cat is still alive", "Rex died", "The user's dog is called Rex"),
        ("Nora and I didn't break up", "Emma and I broke up", "The user's girlfriend is Emma"),
        ("I still work at Bosch", "I quit my job", "The user works at Siemens"),
        ("I didn't sell my car", "The user likes cars", VOLVO),
        ("I didn't give away my car", "I sold my car", VOLVO),
        ("I didn't quit my job", "I was laid off", "The user works at Siemens"),
        ("Emma and I didn't get divorced", "Emma and I broke up", "The user's wife is Emma"),
    ],
)
def test_what_is_said_of_another_takes_nothing_back(said: str, over: str, ended: str) -> None:
    """Another thing, animal, partner or firm is not what was over, nor another way in which it came to be."""
    undone = undone_in(said)
    assert undone is not None
    assert not undone.means(over, [ended])


@pytest.mark.parametrize(
    "said",
    [
        "I didn't see my car",
        "I didn't sell it",
        "I didn't sell my car for money",
        "I didn't just sell my car",
        "I didn't sell my car on Monday",
        "I didn't sell my car because it was old",
        "I wish I hadn't sold my car",
        "If I didn't sell my car",
        "Why didn't I sell my car",
        "My wife didn't sell her car",
        "You didn't sell my car",
        "My friend still has her car",
        "I have my car with me",
        "Rex was alive in 2010",
        "The project is still alive",
        "I didn't have time",
        "I don't sell cars",
        "I sold my car",
    ],
)
def test_what_denies_no_ending_takes_nothing_back(said: str) -> None:
    """Questions, wishes, conditions, other people's words, and of what may be done for another reason, nothing."""
    assert undone_in(said) is None


@pytest.mark.parametrize(
    "ending",
    ["I sold my car", "I finally sold my car", "I was laid off", "Rex died", "Emma and I broke up", "I left Bosch"],
)
def test_the_denial_of_an_ending_takes_it_back(ending: str) -> None:
    """What is put into words for "just kidding" is read as taking back what was said."""
    assert ending_in(ending) is not None
    undone = undone_in(denial_of(ending) or "")
    assert undone is not None
    assert undone.means(ending, [])


def test_a_story_takes_nothing_back() -> None:
    """What is longer than a sentence that ends something is not read."""
    assert undone_in(f"I didn't sell my car{', yet' * 500}") is None


def test_what_no_rule_has_a_verb_for_has_no_denial() -> None:
    """Nothing is put into words."""
    assert denial_of("I like tea") is None

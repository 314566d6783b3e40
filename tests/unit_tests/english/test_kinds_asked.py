"""Questions about all memories of a kind, and words that a goal is reached."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.endings.reached_goals import is_reached, reached
from langchain_agentmem.english.requests.intent import detect_intent
from langchain_agentmem.english.requests.kinds_asked import kinds_asked

GOALS = (
    "Ana wants to pass the driving test",
    "The user's goal is to run a marathon in June",
    "Ana wants to run a half marathon",
    "Ana plans to finish her thesis by May",
)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("What are my goals?", ("goal",)),
        ("list my fitness goals", ("goal",)),
        ("What should I do next?", ("goal",)),
        ("What\u2019s next?", ("goal",)),
        ("Let's continue where we left off", ("goal",)),
        ("ok, where did we leave off?", ("goal",)),
        ("What are my goals and which rules did I set?", ("goal", "constraint")),
        ("What are you not allowed to do?", ("constraint",)),
        ("What do I like?", ("preference",)),
        ("Tell me my preferences", ("preference",)),
        ("What is the goal of chess?", ()),
        ("What do I like to eat in Rome?", ()),
        ("Continue the story about the fox", ()),
        ("What are the rules of chess?", ()),
        ("My goal is to run a marathon", ()),
        ("what's next door to the museum?", ()),
        ("", ()),
    ],
)
def test_a_question_about_a_kind_is_known(text: str, kinds: tuple[str, ...]) -> None:
    """By its own words, and no other sentence is."""
    assert kinds_asked(text) == kinds
    assert detect_intent(text).kinds == kinds


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("The user passed the driving test", (0,)),
        ("Ana finally passed her driving test yesterday", (0,)),
        ("The user ran the marathon", (1,)),
        ("The user finished the half marathon in two hours", (2,)),
        ("The user has finished writing their thesis", (3,)),
        ("The user reached their goal of running a marathon", (1,)),
        ("The user passed the bar exam", ()),
        ("Bo passed the driving test", ()),
        ("The user's brother passed the driving test", ()),
    ],
)
def test_what_is_reached_ends_the_goal_it_names(text: str, places: tuple[int, ...]) -> None:
    """That one and no other."""
    assert is_reached(text)
    assert reached(text, GOALS) == places


@pytest.mark.parametrize(
    "text",
    [
        "The user has not passed the driving test",
        "Ana has not passed the driving test",
        "Ana almost passed the driving test",
        "The user hasn't passed the driving test",
        "The user's team passed all the tests in CI",
        "The user wants to pass the driving test",
        "The user passed the driving school",
        "The user hopes they passed the exam",
        "The user finished the report",
        "The user passed the test suite on to Bo",
    ],
)
def test_what_is_not_reached_ends_nothing(text: str) -> None:
    """A failure, a hope, or something else that was done."""
    assert not is_reached(text)

"""What a question leaves to the turns before it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.policies.carrying import MAX_CARRIED, Said, carried

TALK = (
    Said("user", "Where did I go on holiday in May?"),
    Said("assistant", 'You went to Lisbon with Ada, and stayed at the "Casa Verde".'),
)
ALL = ("Lisbon", "Ada", "Casa Verde", "May", "go", "holiday")


@pytest.mark.parametrize(
    "question",
    [
        "And when was that?",
        "How much did it cost?",
        "What did she say?",
        "Why?",
        "Where exactly?",
        "and when did it start?",
        "and where did I stay?",
        "And her sister?",
        "What's the other one?",
    ],
)
def test_what_points_back_is_given_what_was_said(question: str) -> None:
    """Names come first, then the words of the question before."""
    assert carried(question, TALK) == ALL


@pytest.mark.parametrize("question", ["What about Berlin?", "And in June?"])
def test_what_asks_the_same_of_something_else_is_given_what_was_asked(question: str) -> None:
    """The names it takes the place of stay behind."""
    assert carried(question, TALK) == ("go", "holiday")


@pytest.mark.parametrize(
    "question",
    [
        "When did I move?",
        "Did I say that I like tea?",
        "Did my dog eat its food?",
        "Did Bob like his room?",
        "What is it that I like about Rome?",
        "And what is my cat called?",
        "And where do I live?",
        "y cuándo fue eso?",
        "那是什么时候?",
        "???",
        "",
        "It is a long story: several old people meet, talk, eat, drink, quarrel, travel, marry, fight, sing and leave.",
    ],
)
def test_what_stands_alone_is_given_nothing(question: str) -> None:
    """It names what it points at itself, points at nothing, or is no English."""
    assert carried(question, TALK) == ()


def test_the_question_behind_a_follow_up_is_found() -> None:
    """One follow-up after another leads back to what stood alone, and no further."""
    talk = (Said("user", "Do I like Oslo?"), *TALK, Said("user", "And when was that?"), Said("assistant", "In 2024."))
    words = carried("And who paid?", talk)
    assert {"Lisbon", "Ada", "go", "holiday"} <= set(words)
    assert "Oslo" not in words


def test_without_turns_before_nothing_is_carried() -> None:
    """A first message is what it is."""
    assert carried("And when was that?", ()) == ()


@given(st.text(max_size=100), st.lists(st.text(max_size=200), max_size=8))
def test_little_is_carried_and_only_what_was_said(question: str, said: list[str]) -> None:
    """At most so many words, each of which stands in a turn before."""
    words = carried(question, [Said("user", text) for text in said])
    assert len(words) <= MAX_CARRIED
    before = " ".join(" ".join(text.replace("\u2019", "'").split()) for text in said)
    assert all(word.split()[0] in before for word in words)

"""Requests of which one sentence tells what is meant and the next what is to be done; and for one detail of a thing."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.requests.forget_asked import ForgetAsked, forget_asked
from langchain_agentmem.english.requests.forget_request import is_meant


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("What I told you about my client Meier is privileged. Delete it.", "my client Meier"),
        ("The thing about Jim was private. Please remove it.", "Jim"),
        ("I shouldn't have told you about Jim. Please delete that.", "Jim"),
        ("I wish I hadn't mentioned my salary, please forget it", "my salary"),
        ("please don't mention my asthma again, forget it", "my asthma"),
        ("please don't bring up the stress fracture again, forget it", "the stress fracture"),
    ],
)
def test_it_stands_for_what_the_sentence_before_says_was_told(text: str, what: str) -> None:
    """Where that says that it is private, that it should not have been told, or that it be not spoken of."""
    assert forget_asked(text) == ForgetAsked(what=what)


@pytest.mark.parametrize(
    "text",
    [
        "I shouldn't have told him about Jim. Please delete that.",
        "I shouldn't have told you about the file. Please delete it.",
        "The part about the budget was confidential. Delete it.",
        "The file about Jim is confidential. Remove it.",
        "What Tom told me about Jim is confidential. Delete it.",
        "Don't mention it, forget it",
        "don't mention the price in the mail, forget it",
        "Don't mention my asthma in the letter. Forget it.",
        "Never mention my ex.",
    ],
)
def test_what_was_told_to_others_or_stands_in_a_text_is_no_request(text: str) -> None:
    """Nor is a phrase, nor a rule alone."""
    assert forget_asked(text) is None


@pytest.mark.parametrize("what", ["my knee surgery date", "the date of my knee surgery"])
@pytest.mark.parametrize(
    ("content", "is_so"),
    [
        ("The user's knee surgery is scheduled for 12 June", True),
        ("The user's knee surgery is on Monday", True),
        ("The user's knee surgery is on their left leg", False),
        ("The user has a date with Tom on 3 May", False),
    ],
)
def test_the_day_of_something_is_what_tells_of_it_and_of_a_day(what: str, content: str, *, is_so: bool) -> None:
    """Whatever else is told of it stays."""
    assert is_meant(what, content) == is_so


def test_a_figure_of_what_somebody_earns_is_what_tells_it() -> None:
    """No memory has that word."""
    assert is_meant("my salary figure", "The user earns 95k")
    assert not is_meant("my salary figure", "The user has 95k followers")

"""What stands beside a statement: who said it, a question, and what is said by the way of whom it tells."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction import RuleExtractor


def told(text: str) -> list[str]:
    """Return what a message tells, in order."""
    return sorted(it.content for it in RuleExtractor().extract([HumanMessage(text)]))


@pytest.mark.parametrize(
    "text",
    [
        "I'm not coeliac, said my brother",
        "The user is not coeliac, said their brother",
        "I'm allergic to nuts, says my mum",
        "I work at Acme, claims Tom",
    ],
)
def test_what_others_say_of_the_user_is_not_kept_wherever_they_are_named(text: str) -> None:
    """Behind their words as before them."""
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I'm vegan, I said", "The user is vegan"),
        ("I'm not coeliac, said my doctor", "The user is not coeliac"),
        ("I don't work at Tesco, who told you that", "The user does not work at Tesco"),
        ("I don't eat meat, where did you get that", "The user does not eat meat"),
        ("I'm vegan, how did you know", "The user is vegan"),
    ],
)
def test_what_one_says_oneself_is_kept_without_what_stands_beside_it(text: str, content: str) -> None:
    """A question needs no mark behind it."""
    assert told(text) == [content]


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("My mother, who is 84, lives in Leeds.", ["The user's mother is 84", "The user's mother lives in Leeds"]),
        ("My mother, who is 84, died last week.", ["The user's mother died last week"]),
        ("My dog Rex, who was 14, died last week.", ["The user's dog Rex died last week"]),
        ("My mother, who knew Tom, died laughing", []),
        ("My mother, whose friend died, cried", []),
        ("My friend Ann, who thought his dog, Rex, died, cried", ["The user's friend is Ann"]),
    ],
)
def test_a_sentence_goes_on_behind_what_is_said_by_the_way(text: str, contents: list[str]) -> None:
    """Both are told of the same, but what is over by the rest is not."""
    assert told(text) == contents

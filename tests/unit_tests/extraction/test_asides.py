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
        "I'm coeliac, says a guy at work",
        "I'm vegan, said one of my friends yesterday",
        "I'm from Leeds, says my profile",
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
        ("I'm diabetic, says Dr Kim", "The user is diabetic"),
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
        ("My boss, Anna, says the report must be short", ["The user's boss is Anna"]),
        ("My doctor, Dr Kim, said my cholesterol is high", ["The user's doctor is Dr Kim"]),
        ("My mum, who is a nurse, said I'm vegan", ["The user's mum is a nurse"]),
        ("My son is 8, says the funniest things", ["The user's son is 8"]),
        ("My husband is a pilot, thinks the world of me", ["The user's husband is a pilot"]),
        ("My dad is 80, claims a pension", ["The user's dad is 80"]),
    ],
)
def test_who_says_something_behind_a_statement_says_not_the_statement(text: str, contents: list[str]) -> None:
    """Whose words it is ends the sentence."""
    assert told(text) == contents


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

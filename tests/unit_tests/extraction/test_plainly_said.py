"""What is said plainly of the people around the user, and by the user in a hurry, is kept."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction import RuleExtractor


def told(*said: str) -> list[str]:
    """Return what is kept of the last message of some."""
    messages = [HumanMessage(it) for it in said]
    return [it.content for it in RuleExtractor().extract(messages, new_from=len(messages) - 1)]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "My daughter's name is Ella, she's 6 and she's allergic to peanuts.",
            ["The user's daughter's name is Ella", "Ella is 6", "Ella is allergic to peanuts"],
        ),
        (
            "My sister Nora works at Acme, she lives in Rome and she's vegan",
            ["The user's sister is Nora", "Nora works at Acme", "Nora lives in Rome", "Nora is vegan"],
        ),
        (
            "My brother Sam is a drummer, he lives in Hull and he has ADHD",
            ["The user's brother is Sam", "Sam is a drummer", "Sam lives in Hull", "Sam has ADHD"],
        ),
        ("My friend Joan has Parkinson's", ["The user's friend is Joan", "Joan has Parkinson's"]),
        ("My husband Peter is a cellist", ["The user's husband is Peter", "Peter is a cellist"]),
        ("My two daughters are called Salma and Noor", ["The user's two daughters are called Salma and Noor"]),
        ("My sons are Tom and Ben", ["The user's sons are Tom and Ben"]),
        ("My wife, not me, is allergic to nuts", ["The user's wife is allergic to nuts"]),
        ("My father is working in LIC", ["The user's father is working in LIC"]),
        ("I went back to eating meat", ["The user started eating meat again"]),
        ("im from hanoi", ["The user is from Hanoi"]),
    ],
)
def test_plain_statements_are_kept(said: str, kept: list[str]) -> None:
    """Each of what is said, of whom it is said."""
    assert told(said) == kept


@pytest.mark.parametrize(
    "said",
    [
        "im from accounting",
        "im from hanoi airport calling",
        "My husband Peter is a great singer",
        "My son Tom is working in the garden",
        "My two daughters are late",
        "I went back to eating my lunch",
        "My son met Ben and Tom, he's allergic to nuts",
    ],
)
def test_what_only_looks_alike_is_not(said: str) -> None:
    """Praise, a place of the moment, and where it cannot be told who is meant."""
    assert not [it for it in told(said) if not it.startswith(("The user's husband is", "The user's son is"))]


def test_what_is_wrong_and_what_is_right_may_be_two_sentences() -> None:
    """A full stop between them makes one correction; a sentence of its own behind it is one."""
    home = "I live in Manchester"
    assert told(home, "No, not Manchester. Liverpool.") == ["The user lives in Liverpool"]
    assert told(home, "Not Manchester. Thanks for asking.") == []
    assert told(home, "Not Leeds. Liverpool.") == []

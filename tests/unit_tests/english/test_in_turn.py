"""What is said of somebody one thing after the other, each by itself."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.people.in_turn import InTurn, said_in_turn


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("I live in Leeds and work at Acme", ("I live in Leeds", "I work at Acme")),
        ("I live in Leeds. I work at Acme", ("I live in Leeds", "I work at Acme")),
        ("I live in Leeds but work at Acme", ("I live in Leeds", "I work at Acme")),
        ("I'm 34 and live in Leeds", ("I'm 34", "I live in Leeds")),
        ("I live in Leeds and I'm allergic to nuts", ("I live in Leeds", "I'm allergic to nuts")),
        ("I work at Acme, live in Leeds and play chess", ("I work at Acme", "I live in Leeds", "I play chess")),
        ("I like tea, coffee and live in Leeds", ("I like tea, coffee", "I live in Leeds")),
        ("My name is Tom and I live in Leeds", ("My name is Tom", "I live in Leeds")),
        ("My wife is Clara and works at Acme", ("My wife is Clara", "My wife works at Acme")),
        ("My phone is 12 and my e-mail is a@b.c", ("My phone is 12", "My e-mail is a@b.c")),
        ("The user's boat is old and their car is new", ("The user's boat is old", "The user's car is new")),
        ("I have a dog, and my wife has a cat", ("I have a dog", "My wife has a cat")),
        ("The user is 34 and lives in Leeds", ("The user is 34", "The user lives in Leeds")),
        ("The user has a dog and their wife has a cat", ("The user has a dog", "The user's wife has a cat")),
        ("Ben lives in Oslo and works at Acme", ("Ben lives in Oslo", "Ben works at Acme")),
    ],
)
def test_each_clause_has_its_subject(text: str, parts: tuple[str, ...]) -> None:
    """In either person, whoever is told of."""
    assert said_in_turn(text) == InTurn(parts, can_stand=True)


@pytest.mark.parametrize(
    "text",
    [
        "I want to live in Leeds and work at Acme",
        "I used to live in Leeds and work at Acme",
        "I don't live in Leeds and work at Acme",
        "I can play the violin and speak French",
        "I let my dog run and play in the park",
        "The user never eats meat and drinks milk",
        "The user lives in Leeds. They work at Acme",
    ],
)
def test_what_may_reach_on_is_only_known_to_be_several(text: str) -> None:
    """A wish, a denial, and who "they" are, may be meant for both."""
    found = said_in_turn(text)
    assert found is not None
    assert not found.can_stand


@pytest.mark.parametrize(
    "text",
    [
        "I live and work in Leeds",
        "I have a dog and love him",
        "I moved to York and love it",
        "I like walks and plays by Shakespeare",
        "My brother and I live in Leeds and work at Acme",
        "Marks and Spencer is my employer",
        "The user has a cat that likes milk and has fleas",
        "The user wants to live in Leeds and work at Acme",
        "If it rains I stay at home and read",
        "Call me Tom and use metric units",
    ],
)
def test_what_is_one_thing_is_not_cut(text: str) -> None:
    """What points back belongs to what it points at; a noun is no verb."""
    assert said_in_turn(text) is None

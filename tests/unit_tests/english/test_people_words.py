"""Whoever is something to the user is somebody else to every reader, whatever the word for it."""

from __future__ import annotations

from typing import Final

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.english.endings.endings import ended_by
from langchain_agentmem.english.people.beings import being_of
from langchain_agentmem.english.people.whose import clauses_of
from langchain_agentmem.english.reading.naming import role_in
from langchain_agentmem.english.requests.forget_request import is_meant
from langchain_agentmem.english.words.people_words import ACQUAINTANCES, LONE_BY_NOW, PEOPLE_WORDS, people_of
from langchain_agentmem.extraction.rules import RuleExtractor

WORDS: Final = sorted(ACQUAINTANCES)


@pytest.mark.parametrize("word", WORDS)
def test_what_is_said_of_somebody_is_none_of_what_one_asks_to_forget_of_oneself(word: str) -> None:
    """A request to forget my allergies leaves what an optician is allergic to, with a name and without one."""
    assert not is_meant("my allergies", f"The user's {word} Nora is allergic to nuts")
    assert not is_meant("my allergies", f"The user's {word} is allergic to nuts")
    assert not is_meant("where I live", f"My {word} lives in York")
    assert is_meant(f"where my {word} lives", f"My {word} lives in York")


@pytest.mark.parametrize("word", WORDS)
def test_somebody_is_known_by_what_they_are_to_the_user(word: str) -> None:
    """Words that say the same have one name; who it is, and what is said of them, is kept apart."""
    assert role_in(f"my {word}") == ("user", PEOPLE_WORDS[word].name)
    being = being_of(f"The user's {word} Nora lives in York")
    assert being is not None
    assert being.name == "Nora"
    told = RuleExtractor().extract([HumanMessage(f"My {word} Nora lives in York.", id="1")])
    assert [it.content for it in told] == [f"The user's {word} is Nora", "Nora lives in York"]


@pytest.mark.parametrize("word", sorted(LONE_BY_NOW))
def test_the_new_one_takes_the_place_of_the_last(word: str) -> None:
    """Of whom one has one at a time, whoever it is said to be now ends whoever it was."""
    assert ended_by(f"The user's {word} is Ann Lee now", [f"The user's {word} is Tom Reed"])


@pytest.mark.parametrize("word", sorted(people_of("work", "care", "service", "study")))
def test_whoever_retires_is_what_they_were_no_more(word: str) -> None:
    """By name, of whatever place somebody holds; of a friend and a neighbour nothing ends by it."""
    assert ended_by("Tom Reed has retired", [f"The user's {word} is Tom Reed"])


@pytest.mark.parametrize("word", sorted(LONE_BY_NOW))
def test_a_new_one_is_had_in_the_place_of_the_last(word: str) -> None:
    """Also where it is not said who it is."""
    assert ended_by(f"The user has a new {word}", [f"The user's {word} is Tom Reed"])


def test_what_somebody_is_said_to_be_is_nobody_else() -> None:
    """An occupation speaks of whoever has it, and a title is no name."""
    assert [set(it.people) for it in clauses_of("My sister is a nurse and she lives in Leeds")] == [{"sister"}] * 2
    assert [set(it.people) for it in clauses_of("is no longer a nurse")] == [set()]
    assert [set(it.people) for it in clauses_of("The user's consultant Dr Rao retired")] == [{"rao"}]


@pytest.mark.parametrize("word", sorted(people_of("care")))
def test_what_is_done_to_the_user_is_told_of_the_user(word: str) -> None:
    """Who cares for them stands at the head, and yet it is their medicine that is forgotten."""
    for said in (f"My {word} took me off metformin", f"The user's {word} took them off metformin"):
        assert is_meant("my metformin", said)
    assert not is_meant("my metformin", f"My sister's {word} took her off metformin")

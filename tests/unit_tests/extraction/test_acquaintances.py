"""Whom one has, and who is called Dad: what is said of them afterwards is kept, and of nobody else."""

from __future__ import annotations

import time

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction import RuleExtractor
from langchain_agentmem.extraction.books.acquaintances import acquainted

ALLERGY = "Ruby is allergic to eggs"


def told(*said: str) -> list[str]:
    """Return what is kept of the last message of some."""
    messages = [HumanMessage(it) for it in said]
    return [it.content for it in RuleExtractor().extract(messages, new_from=len(messages) - 1)]


@pytest.mark.parametrize(
    "introduction",
    [
        "I have a daughter named Ruby.",
        "We have a daughter, Ruby, she's in second class.",
        "I have two kids, Ethan (9) and Ruby (6).",
        "I've got 3 children: Ethan, Max and Ruby.",
        "My kids are Ethan and Ruby.",
        "Our two girls are called Ella and Ruby.",
        "My kids' names are Ethan and Ruby.",
        "I'm Nicole, mum to Ethan (9) and Ruby (6).",
        "I'm a single dad of Ethan, 9, and Ruby, 6.",
        "I have a friend called Ruby.",
    ],
)
def test_whom_one_has_by_name_is_known_afterwards(introduction: str) -> None:
    """In whatever words they are introduced, one of several as well as one alone."""
    assert told(introduction, f"{ALLERGY}.") == [ALLERGY]


@pytest.mark.parametrize(
    "introduction",
    [
        "We have a dog called Ruby.",
        "I have two friends from Ruby Street.",
        "I have a meeting with Ruby.",
        "I have a son in Ruby.",
        "I have two kids and Ruby is great.",
        "Sarah is the mother of Ruby.",
        "I have two sons, Monday is their day.",
    ],
)
def test_who_is_named_beside_them_is_nobody_of_theirs(introduction: str) -> None:
    """A name that stands elsewhere introduces nobody."""
    assert told(introduction, f"{ALLERGY}.") == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Dad is allergic to trimethoprim.", "The user's dad is allergic to trimethoprim"),
        ("Dad's moved in with me.", "The user's dad has moved in with the user"),
        ("mum lives in Hull", "The user's mum lives in Hull"),
        ("Mum's birthday is 3 June.", "The user's mum's birthday is 3 June"),
        ("Grandma moved to Spain.", "The user's grandma moved to Spain"),
        ("Dad passed away.", "The user's dad passed away"),
        ("My dad takes co-careldopa.", "The user's dad takes co-careldopa"),
        ("Mum is on insulin.", "The user's mum is on insulin"),
        ("Dad takes his tablets four times a day.", "The user's dad takes his tablets four times a day"),
    ],
)
def test_who_is_called_by_what_they_are_to_one_is_ones_own(said: str, kept: str) -> None:
    """Children of any age say "Dad" and "Mum" without an owner."""
    assert told(said) == [kept]


@pytest.mark.parametrize(
    "said",
    [
        "Dad jokes are funny.",
        "Mum's the word.",
        "Mum is a great film.",
        "Mother Teresa was born in 1910.",
        "Father Christmas lives in Lapland.",
        "If dad moves in I need a bed.",
        "Mums live in fear.",
        "Dad takes the bus every morning.",
        "Dad takes sugar.",
        "My mum is on the phone.",
        "nan is returned by the parser",
    ],
)
def test_a_word_for_a_parent_elsewhere_is_nobody(said: str) -> None:
    """Where no verb of a person's follows, and what they do on a day, nothing is kept."""
    assert told(said) == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Ruby's birthday is 3 June.", "Ruby's birthday is 3 June"),
        ("No, Ruby's birthday is the 13th of June.", "Ruby's birthday is the 13th of June"),
        ("Ruby's teacher is Ms Byrne.", "Ruby's teacher is Ms Byrne"),
        ("Ruby's best friend is Maya.", "Ruby's best friend is Maya"),
        ("Ruby's school is Oak Hill.", "Ruby's school is Oak Hill"),
        ("Ruby started at St Anne's.", "Ruby started at St Anne's"),
        ("My son's teacher is Mr. Brandt.", "The user's son's teacher is Mr. Brandt"),
        ("My dad's consultant is Dr Rao, who is lovely.", "The user's dad's consultant is Dr Rao"),
    ],
)
def test_what_is_theirs_is_told(said: str, kept: str) -> None:
    """Their birthday, their school, and who cares for them."""
    assert told("My daughter is Ruby.", said) == [kept]


@pytest.mark.parametrize(
    "said",
    [
        "Tesla's birthday is 3 June.",
        "Python's teacher is Guido.",
        "Sarah's husband is Tom.",
        "Ruby's favourite colour is Red.",
        "Ruby's doctor is off sick.",
        "Ruby's teacher is Monday.",
        "Is Ruby's teacher Ms Byrne?",
        "I think Ruby's teacher is Ms Byrne.",
        "Ruby started at 9.",
        "Ruby started at Monday's meeting.",
    ],
)
def test_what_is_strangers_or_of_the_day_is_not_told(said: str) -> None:
    """Of names that nobody introduced, and of what is asked or supposed, nothing is kept."""
    assert told("My daughter is Ruby.", said) == []


def test_a_long_run_is_read_at_once() -> None:
    """No run of letters, capitals or blanks makes the reading slow."""
    runs = [f"I have two kids, {'Ethan ' * 700}", f"My kids are {'Al, ' * 1_000}", f"mum to{' ' * 4_000}", "D" * 4_000]
    began = time.perf_counter()
    for run in runs:
        acquainted([run])
    assert time.perf_counter() - began < 1

"""News that takes the place of what was, in words that name the new one first, last, or with its date ahead."""

from __future__ import annotations

import time

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction import RuleExtractor
from langchain_agentmem.extraction.dialogue.replacing import new_one
from langchain_agentmem.extraction.sentences.clauses import Clause


def told(said: str) -> list[str]:
    return [it.content for it in RuleExtractor().extract([HumanMessage(said)])]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I changed supplier, it's Bestway now.", "The user's new supplier is Bestway"),
        ("I changed suppliers. It's Bestway now.", "The user's new supplier is Bestway"),
        ("I've switched banks, I'm with Monzo now.", "The user's new bank is Monzo"),
        ("I've switched dentists to Dr Wu.", "The user's new dentist is Dr Wu"),
        ("I got a new van, a Vivaro.", "The user's new van is a Vivaro"),
        ("I've got a new accountant called Simon.", "The user's new accountant is Simon"),
        ("I now have 3 monitors.", "The user has 3 monitors now"),
        ("I've now got three kids.", "The user has three kids now"),
        ("Mei is my tech lead now.", "The user's tech lead is Mei now"),
        ("Arjun left, Mei is my tech lead now.", "The user's tech lead is Mei now"),
        ("Mei is now my manager.", "The user's manager is Mei now"),
        ("From April my billing rate is £360.", "The user's billing rate is £360 from April"),
        ("With effect from May, my rate is £45.", "The user's rate is £45 with effect from May"),
    ],
)
def test_what_came_instead_is_told_as_what_it_is_by_now(said: str, kept: str) -> None:
    """However it is said, it reads as "my supplier is Bestway now" does, and so ends what was."""
    assert told(said) == [kept]


@pytest.mark.parametrize(
    "said",
    [
        "I changed trains, it's Leeds next.",
        "I changed my mind, it's Bestway now.",
        "I switched focus to Python.",
        "I changed supplier, it's cheaper now.",
        "I now have to go to Leeds.",
        "I now have a headache.",
        "We changed subject, it's Maths now.",
    ],
)
def test_a_change_of_the_moment_is_no_news_of_what_one_has(said: str) -> None:
    """Trains, minds and subjects are changed every day."""
    assert not any("new" in it or "now" in it for it in told(said))


@pytest.mark.parametrize(
    "text",
    [
        "I got a new dog, Max",
        "I have a new friend, Greg",
        "I got a new job, Monday to Friday",
        "I got a new idea: Python",
        "I got a new van, a white one",
        "they changed supplier, it's Bestway now",
    ],
)
def test_what_one_may_have_several_of_stays_as_it_was_told(text: str) -> None:
    """A new friend takes the place of none, and nobody else's supplier is the user's."""
    assert new_one(Clause(text=text, evidence=text)).text == text


def test_a_long_run_is_read_at_once() -> None:
    """No run of blanks, letters or marks makes the reading slow."""
    runs = [f"I changed {'a' * 4_000}", f"I got a new{' ' * 4_000}", f"I switched supplier{', ' * 2_000}", "A" * 4_000]
    began = time.perf_counter()
    for run in runs:
        new_one(Clause(text=run, evidence=run))
    assert time.perf_counter() - began < 1


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I switched from vim to VS Code.", "The user switched from vim to VS Code"),
        ("I've switched from vim to VS Code.", "The user has switched from vim to VS Code"),
        ("I changed from vodafone to O2.", "The user changed from vodafone to O2"),
        ("I switched over to N26.", "The user switched over to N26"),
        ("I switched back to Android.", "The user switched back to Android"),
        ("I switched everything over to Hetzner.", "The user switched everything over to Hetzner"),
        ("I switched permanently to Linux.", "The user switched permanently to Linux"),
    ],
)
def test_from_what_and_how_one_switched_is_no_thing_that_is_new(said: str, kept: str) -> None:
    """Only a noun has a new one: "from vim", "over" and "back" tell how it was switched."""
    assert told(said) == [kept]

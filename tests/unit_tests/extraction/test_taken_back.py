"""What takes a statement back, and an apology behind it, which does not."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction import RuleExtractor

ROME = "The user lives in Rome"


def told(said: str) -> list[str]:
    """Return what is taken from a message."""
    return [it.content for it in RuleExtractor().extract([HumanMessage(said)])]


@pytest.mark.parametrize(
    "said",
    [
        "I live in Rome, just kidding.",
        "I live in Rome. Just kidding!",
        "I live in Rome. Haha, just kidding.",
        "I live in Rome. Sorry, I'm kidding.",
        "I live in Rome, kidding.",
        "I live in Rome - scratch that.",
        "I live in Rome, scratch that.",
        "I live in Rome. Scratch that.",
        "I live in Rome and own a boat, I made that up.",
        "I live in Rome. No, wait, I made it up.",
        "I live in Rome, that was a lie.",
        "I live in Rome. I lied.",
        "I live in Rome, I take that back.",
        "I live in Rome, no wait.",
        "I live in Rome, correction.",
        "I live in Rome, oh no sorry.",
    ],
)
def test_what_is_taken_back_is_not_learned(said: str) -> None:
    """Neither where the same sentence takes it back, nor where the next one does nothing else."""
    assert told(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "I live in Rome, sorry.",
        "I live in Rome, oh sorry",
        "I live in Rome, I'm so sorry!",
        "I live in Rome, sorry about that.",
        "I live in Rome, sorry for the confusion.",
        "I live in Rome. Sorry.",
        "Sorry, I live in Rome.",
        "I live in Rome. No kidding!",
        "I live in Rome, I'm not kidding.",
        "I live in Rome. My son made that up.",
        "I live in Rome. My brother is just kidding around.",
        "I live in Rome. This is a joke.",
        "I live in Rome. Is that a lie?",
        "I live in Rome. That's not true of my sister.",
        "I live in Rome. I was lying in bed.",
    ],
)
def test_an_apology_takes_nothing_back(said: str) -> None:
    """Nor do words that deny the joke, ask, or are of somebody else."""
    assert told(said) == [ROME]


@pytest.mark.parametrize(
    ("said", "learned"),
    [
        ("I live in Lille, sorry, I live in Rome.", [ROME]),
        ("I live in Lille, no wait, I live in Rome.", [ROME]),
        ("I live in Lille. Scratch that. I live in Rome.", [ROME]),
        ("I work at Acme, sorry, but I live in Rome.", ["The user works at Acme", ROME]),
        ("I cannot eat nuts, sorry, and I live in Rome.", ["The user cannot eat nuts", ROME]),
        (
            "I own a boat. I live in Lille. Scratch that. I work at Acme.",
            ["The user owns a boat", "The user works at Acme"],
        ),
    ],
)
def test_only_what_stands_right_before_is_taken_back(said: str, learned: list[str]) -> None:
    """A clause right behind "sorry" puts the one before right; one that a word joins to it goes on."""
    assert told(said) == learned


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I'm not really vegan, I was joking", ["The user is not really vegan"]),
        ("I don't work at Tesco, I made that up.", ["The user does not work at Tesco"]),
        ("I'm not vegan, just kidding", []),
        ("I'm vegan, I was joking", []),
        ("I take back what I said about Sam", []),
        ("I take back my books on Mondays", ["The user takes back their books on Mondays"]),
    ],
)
def test_a_denial_stands_where_what_was_said_before_it_is_taken_back(text: str, kept: list[str]) -> None:
    """And words that are taken back tell nothing of who said them."""
    assert [it.content for it in RuleExtractor().extract([HumanMessage(text)])] == kept


@pytest.mark.parametrize(
    ("said", "learned"),
    [
        ("I live in Leeds. My sister is called Anna. jk", []),
        ("I live in Leeds. I have two dogs. (just kidding)", []),
        ("I have six kids. I live in Leeds. I was joking, I don't have kids.", ["The user does not have kids"]),
        ("I live in Leeds. I have two dogs. Only joking. I work at Acme.", ["The user works at Acme"]),
        ("I live in Rome. My boss said I'm fired. It was a joke, he laughed.", [ROME]),
        ("I live in Rome. I told Tom that I am rich. I was joking. He laughed.", [ROME]),
        ("I live in Rome. My boss fired me. It was just a joke, by the way.", [ROME]),
        ("I own a boat. I live in Lille. I made all of that up.", []),
        ("I own a boat. I live in Lille. I made that up.", ["The user owns a boat"]),
    ],
)
def test_a_jest_is_all_that_stands_before_the_words_that_say_so(said: str, learned: list[str]) -> None:
    """Nobody can tell where in a message somebody began to jest; what only takes back means the last sentence."""
    assert told(said) == learned

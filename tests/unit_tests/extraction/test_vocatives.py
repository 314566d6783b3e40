"""Whom one talks to, slang and "you know" are no part of what is said."""

from __future__ import annotations

import time

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction import RuleExtractor
from langchain_agentmem.extraction.words.vocatives import without_vocative


def told(text: str) -> list[str]:
    return [it.content for it in RuleExtractor().extract([HumanMessage(text)])]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I live in Hull love", "The user lives in Hull"),
        ("i live in hull darling", "The user lives in hull"),
        ("I work nights mate", "The user works nights"),
        ("I work at Tesco bruv", "The user works at Tesco"),
        ("I live in Hull buddy", "The user lives in Hull"),
        ("I've got two cats dear", "The user has got two cats"),
        ("I'm vegan, mate", "The user is vegan"),
        ("I'm diabetic love", "The user is diabetic"),
        ("I'm a plumber fr", "The user is a plumber"),
        ("I'm allergic to peanuts no cap", "The user is allergic to peanuts"),
        ("I hate mushrooms innit", "The user hates mushrooms"),
        ("I'm vegetarian btw, for the offsite", "The user is vegetarian, for the offsite"),
    ],
)
def test_whom_one_talks_to_is_no_part_of_a_value(text: str, content: str) -> None:
    """Law: a vocative behind a whole statement, and slang that only assures, are left out."""
    assert told(text) == [content]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("My name is Love", "The user's name is Love"),
        ("My daughter is called Dear", "The user's daughter is called Dear"),
        ("I live with my mate", "The user lives with their mate"),
        ("I have a running mate", "The user has a running mate"),
        ("I'm a dude", "The user is a dude"),
        ("I work as a first mate", "The user works as a first mate"),
        ("I play with two pals", "The user plays with two pals"),
        ("I live with two mates", "The user lives with two mates"),
        ("I live for love", "The user lives for love"),
        ("I speak fr", "The user speaks fr"),
        ("I'm a family man", "The user is a family man"),
        ("I'm dead against zoos", "The user is dead against zoos"),
    ],
)
def test_a_noun_that_belongs_to_the_statement_stays(text: str, content: str) -> None:
    """Law: behind an article, a preposition or another noun the word is what is spoken of."""
    assert told(text) == [content]


@pytest.mark.parametrize("text", ["I'm so dead", "I'm dead tired", "I'm alright love"])
def test_how_one_feels_just_now_is_no_fact(text: str) -> None:
    """Law: nobody who says that they are dead is."""
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("i have the sugar you know the diabetes", "The user has the sugar, the diabetes"),
        ("I live in Hull you know, by the docks", "The user lives in Hull, by the docks"),
        ("I work in, you know, a bank", "The user works in a bank"),
        ("I prefer tea you know over coffee", "The user prefers tea over coffee"),
        ("I like films you know like Alien", "The user likes films like Alien"),
        ("I want you to know I'm vegan", "The user is vegan"),
    ],
)
def test_you_know_between_other_words_says_nothing(text: str, content: str) -> None:
    """Law: "you know" is left out where the sentence goes on without it."""
    assert told(text) == [content]


@pytest.mark.parametrize(
    "text",
    [
        "I have a friend you know well",
        "I have a brother you know called Tom",
        "I don't like people you know, at parties",
        "I used to be a nurse you know in the war",
        "I want someone you know and trust",
        "Do you know the docks in Hull?",
    ],
)
def test_no_memory_tells_what_the_assistant_know(text: str) -> None:
    """Law: where it may be a filler or a clause, nothing is kept."""
    assert told(text) == []


def test_vocatives_are_found_at_once() -> None:
    """Law: the time grows with the length of the text."""
    started = time.perf_counter()
    for text in ("love " * 800, " " * 4_000, "x" * 4_000, "fr " * 1_300, "from " * 800):
        without_vocative(text)
    assert time.perf_counter() - started < 0.5


@pytest.mark.parametrize(
    "lead",
    ["Claude, ", "Sorry, Claude, ", "Sorry Claude, ", "Hi Claude, ", "Hey, Claude! ", "Thanks, ChatGPT, ", "Mate, "],
)
def test_whom_one_talks_to_may_stand_first(lead: str) -> None:
    """An assistant's name, or a word for a friend, in front of a statement is no part of it."""
    assert told(f"{lead}I live in Leeds") == ["The user lives in Leeds"]
    assert told(f"{lead}call me Bob") == ["The user's name is Bob"]


def test_a_name_in_front_of_more_about_them_is_not_spoken_to() -> None:
    """Who is told of is somebody, whatever assistants are called."""
    assert told("Claude, my cat, is ill") == []
    assert "The user's name is Claude" in told("Claude, 34, from Leeds")


@pytest.mark.parametrize("text", ["quit please", "Quit please.", "stop please", "please quit"])
def test_an_order_to_stop_that_names_nothing_is_no_rule(text: str) -> None:
    """What only asks politely to stop says nothing of what is to be avoided for good."""
    assert told(text) == []

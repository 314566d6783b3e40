"""Figures of speech, jokes, scenes and news are no facts and no orders; their plain twins are."""

from __future__ import annotations

import time

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.extraction import RuleExtractor
from langchain_agentmem.extraction.sentences.run_ons import run_on


def told(text: str) -> list[str]:
    return [it.content for it in RuleExtractor().extract([HumanMessage(text)])]


@pytest.mark.parametrize(
    "text",
    [
        "I live at the gym these days lol",
        "i literally live in my room lol",
        "I live under a rock",
        "Coffee's my friend",
        "Google is my best friend",
        "My bed is my best friend",
        "Running is my therapist",
        "I live on coffee",
        "I'm married to my job",
        "I'm basically a zombie",
        "I'm a ghost on dating apps",
        "I work for peanuts",
        "I'm allergic to mondays",
        "I hate my kids lol",
        "I'm 12 at heart",
        "I'm Batman",
        "My boss is Satan",
        "my landlord is the devil",
        "The house is so quiet",
        "I'm 3 minutes late",
        "I'm 50 percent sure",
        "I'm 20 into the book",
        "I'm 200 years old",
        "lost 4 kilos, I'm 76 now",
        "exam grade in, I'm 92 now lol",
        "i'm 40 in levels now",
        "put on some weight, I'm 81 now",
    ],
)
def test_figures_tell_nothing(text: str) -> None:
    """Law: what nobody takes at its word is not kept, nor a number of something else as an age."""
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I live in my car", "The user lives in their car"),
        ("I live at the gymnasium hall in Kiel", "The user lives at the gymnasium hall in Kiel"),
        ("I live under a bridge", "The user lives under a bridge"),
        ("I'm married to Dan", "The user is married to Dan"),
        ("I'm a robot engineer", "The user is a robot engineer"),
        ("I'm allergic to nuts", "The user is allergic to nuts"),
        ("My boss is Ann", "The user's boss is Ann"),
        ("I'm 35 now", "The user is 35 now"),
        ("It was my birthday, I'm 35 now", "The user is 35 now"),
        ("I weigh 80 kg and I'm 34", "The user is 34"),
        ("I'm 6 weeks pregnant", "The user is 6 weeks pregnant"),
        ("I'm 180 cm tall", "The user is 180 cm tall"),
        ("I work for Peanut Labs", "The user works for Peanut Labs"),
        ("I hate olives lol", "The user hates olives"),
        ("My cat is called Satan", "The user's cat is called Satan"),
        ("I'm Robin", "The user's name is Robin"),
        ("I'm a Batman fan", "The user is a Batman fan"),
    ],
)
def test_their_plain_twins_are_kept(text: str, content: str) -> None:
    """Law: a figure is known by all its words, not by one."""
    assert content in told(text)


def test_a_joke_replaces_nobody() -> None:
    """Law: who calls a boss the devil still has the same one."""
    memory, scope = AgentMemory.in_memory(embeddings=None, consent="assumed"), Scope("kai")
    for number, text in enumerate(["My boss is Ann.", "I'm 34.", "My boss is Satan", "lost 4 kilos, I'm 76 now"]):
        memory.background.ingest([HumanMessage(text)], scope=Scope("kai", session_id=f"talk {number}"))
        memory.jobs.run()
    assert {it.content for it in memory.long_term.list(scope=scope)} == {"The user's boss is Ann", "The user is 34"}


@pytest.mark.parametrize(
    "text",
    [
        "so no childcare for 6 weeks",
        "no gym for a month, doctor's orders",
        "no news from the bank yet",
        "no visitors for two days because of covid",
        "no better English again please",
        "don't tell mummy haha",
        "Don't tell anyone at work",
        "Please don't tell anybody",
        "blood everywhere",
        "cat hair everywhere lol",
        "I am thinking same only",
    ],
)
def test_news_secrecy_and_scenes_are_no_orders(text: str) -> None:
    """Law: nothing is asked by what there is not, by what others shall not hear, by what lies about."""
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("no emojis please", "No emojis please"),
        ("No meetings before 10", "No meetings before 10"),
        ("No workouts on Sundays", "No workouts on Sundays"),
        ("No sugar in my coffee", "No sugar in the user's coffee"),
        ("Don't tell anyone my address", "Do not tell anyone the user's address"),
        ("don't tell the customers the price", "Do not tell the customers the price"),
        ("don't tell my wife about the surprise", "Do not tell the user's wife about the surprise"),
        ("never tell jokes", "Never tell jokes"),
        ("dark mode everywhere", "Dark mode everywhere"),
        ("metric units only", "Metric units only"),
        ("I'm gay but don't tell my dad", "The user is gay"),
    ],
)
def test_orders_that_look_like_them_are_kept(text: str, content: str) -> None:
    """Law: an order that names what it is about is one."""
    assert told(text) == [content]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("My laptop has an i5", "The user's laptop has an i5"),
        ("My PC has an i7-9700", "The user's PC has an i7-9700"),
        ("I'm not a millionaire me", "The user is not a millionaire"),
        ("We're expecting again, due in March.", "The user's family is expecting again, due in March"),
        ("We're pregnant!", "The user's family is expecting a baby"),
        ("We have been together for 10 years.", "The user has been with their partner for 10 years"),
        ("I'm gay. We've been together since 2015.", "The user has been with their partner since 2015"),
        ("I play in a band. We've been together for 10 years.", "The user's group has been together for 10 years"),
        ("We've been together for 10 years as a trio", "The user's group has been together for 10 years as a trio"),
        ("We are staying in Hinjewadi", "The user's family is staying in Hinjewadi"),
        ("My book club is great, we meet on the first Tuesday", "The user's group meets on the first Tuesday"),
        ("We meet on the first Tuesday", "The user's group meets on the first Tuesday"),
        ("We're expecting a delivery on Monday", "The user's group is expecting a delivery on Monday"),
        ("my rent is 900 please advise", "The user's rent is 900"),
        ("I'm vegan, so pick a restaurant for the team dinner accordingly", "The user is vegan"),
    ],
)
def test_what_was_said_is_retold_as_it_was_meant(text: str, content: str) -> None:
    """Law: part of a word is no pronoun, a couple or a club no team, and a request behind a fact no part of it."""
    assert content in told(text)


@pytest.mark.parametrize("text", ["My late husband Geoffrey passed in 2019.", "My dad passed last year"])
def test_a_death_is_no_outcome(text: str) -> None:
    """Law: who passed is not a test that did."""
    assert [it for it in RuleExtractor().extract([HumanMessage(text)]) if it.kind == "outcome"] == []


def test_a_test_that_passed_is_an_outcome() -> None:
    """Law: what passes and is nobody is one."""
    [found] = RuleExtractor().extract([HumanMessage("The tests passed after the fix")])
    assert found.kind == "outcome"


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("yo im kai im 17 i main jett", ["The user is kai", "The user is 17", "The user mains jett"]),
        (
            "I am 30 i have a dog named rex i live in york",
            ["The user is 30", "The user has a dog named Rex", "The user lives in york"],
        ),
        (
            "my name is sam i live in leeds i'm 22",
            ["The user's name is Sam", "The user lives in leeds", "The user is 22"],
        ),
        ("i work at a school i like my job", ["The user works at a school", "The user likes their job"]),
        ("i live in york i love it here", ["The user lives in york"]),
        ("my sister is a nurse i have a dog", ["The user's sister is a nurse", "The user has a dog"]),
    ],
)
def test_run_ons_are_cut(text: str, contents: list[str]) -> None:
    """Law: a new statement about oneself begins a new clause, with or without a mark."""
    assert told(text) == contents


@pytest.mark.parametrize(
    "text",
    [
        "i live in the town i was born in",
        "i have a job i love very much",
        "i have a friend i play chess with",
        "i work at the place i like most",
        "i'm glad i live in york",
        "i know i am a good cook",
        "I'm happy i have a dog, he helps",
    ],
)
def test_relative_and_that_clauses_are_not_cut(text: str) -> None:
    """Law: what tells of a noun, or of what somebody feels, stays with it."""
    assert list(run_on(text, 0, len(text))) == [(0, len(text))]


@pytest.mark.parametrize("unit", ["i'm 30 ", "i live in york ", "i have a ", " ", "\n", "a"])
def test_long_run_ons_are_read_in_linear_time(unit: str) -> None:
    """Law: a pasted run of such statements takes no time that grows faster than it."""
    text = "i'm " + unit * (4_000 // len(unit))
    began = time.process_time()
    assert list(run_on(text, 0, len(text)))
    assert time.process_time() - began < 0.5

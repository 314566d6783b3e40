"""What is said of the user and somebody close is the user's own; who somebody is ends where a pronoun goes on."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.extraction import RuleExtractor

ANA = Scope("ana", session_id="s")


def contents(*texts: str) -> list[str]:
    return [it.content for it in RuleExtractor().extract([HumanMessage(it) for it in texts], user_name="Ana")]


def kept(*texts: str) -> set[str]:
    """What is in force after these messages, one after the other."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for text in texts:
            memory.background.ingest([HumanMessage(text)], scope=ANA)
            memory.jobs.run()
        return {it.content for it in memory.long_term.list(scope=Scope("ana"))}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("My wife and I live in Leeds.", ["Ana lives in Leeds", "The user's wife lives in Leeds"]),
        ("Me and my wife live in Leeds.", ["Ana lives in Leeds", "The user's wife lives in Leeds"]),
        ("My wife and I are both vegan.", ["Ana is vegan", "The user's wife is vegan"]),
        ("My husband and I prefer tea.", ["Ana prefers tea"]),
        ("My wife and I weren't born in Leeds.", []),
        ("My wife and I sold our flat.", ["Ana sold their flat"]),
        (
            "My partner Kim and I live in Leeds.",
            ["Ana lives in Leeds", "The user's partner is Kim", "Kim lives in Leeds"],
        ),
        ("We live in Leeds.", ["Ana's family lives in Leeds"]),
        ("My team and I use Rust.", ["Ana's team uses Rust"]),
        ("My colleagues and I use Rust.", ["Ana's team uses Rust"]),
    ],
)
def test_what_two_people_do_is_said_of_each_and_only_a_team_is_a_team(text: str, told: list[str]) -> None:
    """A couple is no team; of the other one is taken what lasts of a person."""
    assert contents(text) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("My partner's name is Kim and they live in Bath.", ["Ana's partner's name is Kim"]),
        ("My dog is called Rex and he is 3.", ["Ana's dog is called Rex", "Rex is 3"]),
        ("My daughter is Mia, she is 4.", ["Ana's daughter is Mia", "Mia is 4"]),
        ("My cat is called Tom and it sleeps all day.", ["Ana's cat is called Tom"]),
        ("My manager is Priya Patel and she said that I prefer Python.", ["Ana's manager is Priya Patel"]),
        (
            "My manager is now Tom Reed and he lives in York.",
            ["Ana's manager is now Tom Reed", "Tom Reed lives in York"],
        ),
        ("I live in Leeds but he thinks I live in York.", ["Ana lives in Leeds"]),
        ("My boss said I like Java and she said I like Go.", []),
        ("My project is called Atlas and it uses Rust.", ["Ana's project is called Atlas and it uses Rust"]),
    ],
)
def test_who_somebody_is_ends_before_what_else_is_said_of_them(text: str, told: list[str]) -> None:
    """One fact says one thing, and what somebody else said of the user is not the user's."""
    assert contents(text) == told


@pytest.mark.parametrize(
    "text",
    [
        "My manager is now Tom Reed.",
        "My manager is currently Tom Reed.",
        "My manager's name is now Tom Reed.",
        "My manager is no longer Priya Patel but Tom Reed.",
        "My manager is no longer Priya Patel, it's Tom Reed.",
        "My manager isn't Priya Patel anymore but Tom Reed.",
    ],
)
def test_who_somebody_is_now_takes_the_place_of_who_it_was(text: str) -> None:
    """A "now" between "is" and a name is no part of the name, and says that it was another one before."""
    [now] = kept("My manager is Priya Patel.", text)
    assert "Tom Reed" in now
    assert "Priya" not in now

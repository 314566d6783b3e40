"""What is typed in haste of those at home: a name in small letters, a parent who writes, a birthday, a dog's death."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.english.endings.endings import ended_by
from langchain_agentmem.extraction import RuleExtractor

PATCH = ["The user has a dog called Patch", "The user's phone is a Pixel"]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("i have a dog called patch", ["The user has a dog called Patch"]),
        ("i have a daughter called ruby", ["The user has a daughter called Ruby"]),
        ("i have a dog called by everyone", ["The user has a dog called by everyone"]),
        ("single dad here, two boys", ["The user is a single dad of two boys"]),
        ("Proud mum here", ["The user is a proud mum"]),
        ("I am having one younger sister Priya", ["The user has one younger sister Priya"]),
        ("Yesterday was Lily's birthday and she's 5", ["Lily is 5 now"]),
        ("I'm having one problem", []),
        ("I'm having two dogs put down", []),
        ("I am having lunch", []),
        ("Yesterday was Lily's birthday and she's happy", []),
    ],
)
def test_it_is_told_as_a_careful_writer_would(said: str, kept: list[str]) -> None:
    """And what only looks alike is told as it was, or not at all."""
    assert [it.content for it in RuleExtractor().extract([HumanMessage(said)])] == kept


@pytest.mark.parametrize(
    "said",
    [
        "patch died last night",
        "patch was put to sleep yesterday",
        "Patch went to sleep last night god bless him",
        "Patch crossed the rainbow bridge",
    ],
)
def test_a_pet_dies_in_small_letters_and_soft_words(said: str) -> None:
    """By the name that is known."""
    assert ended_by(said, PATCH) == (0,)


@pytest.mark.parametrize(
    "said", ["kobe died", "phone died", "patch went to sleep", "Patch went to sleep last night", "patch nearly died"]
)
def test_who_sleeps_or_is_nobody_of_theirs_dies_for_no_pet(said: str) -> None:
    """Nor does a phone."""
    assert ended_by(said, PATCH) == ()

"""What is over by tomorrow, was a joke, or is only asked for now is no memory; what looks like it and lasts is one."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction import RuleExtractor


def said(*texts: str) -> list[str]:
    messages = [HumanMessage(it) for it in texts]
    return [it.content for it in RuleExtractor().extract(messages, new_from=len(texts) - 1)]


@pytest.mark.parametrize(
    "text",
    [
        "im knackered",
        "im skint this month",
        "I have 3 tabs open",
        "my phone is at 5%",
        "I'm on my lunch break",
        "I'm on page 50 of Dune",
        "I use a for loop here",
        "got a parking ticket ugh",
        "we had a fight",
        "If I don't get the job I'll have to move back home.",
        "i said i hate jazz but actually kamasi washington is great",
        "its over with giulia",
        "no more physio on fridays",
        "what can I cook tonight? no fish pls, Mike hates it",
        "gluten free didnt do anything so back to bread yay",
    ],
)
def test_what_passes_or_is_not_so_is_not_kept(text: str) -> None:
    """States of an hour, cases that may come, bans for one meal, and things that are over."""
    assert said(text) == []


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I'm broken-hearted about nothing, I'm vegan.", "The user is vegan"),
        ("I have 3 cats.", "The user has 3 cats"),
        ("I use a wheelchair.", "The user uses a wheelchair"),
        ("I'm on the board of a charity.", None),
        ("Gluten free, lactose intolerant.", None),
        ("No meetings on Fridays.", "No meetings on Fridays"),
        ("No more meetings on Fridays.", "No more meetings on Fridays"),
        ("I'm a nurse at Guy's Hospital.", "The user is a nurse at Guy's Hospital"),
        ("What can I cook tonight? No nuts, I'm allergic to nuts.", "The user is allergic to nuts"),
    ],
)
def test_what_looks_like_it_and_lasts_is_kept(text: str, content: str | None) -> None:
    """A cat is no tab, and an allergy holds beyond the meal."""
    found = said(text)
    assert found if content is None else content in found


@pytest.mark.parametrize("joke", ["jk", "just kidding lol", "Just kidding!"])
def test_what_was_a_joke_is_denied(joke: str) -> None:
    """What was said of oneself last is not so."""
    assert said("I'm vegan.", joke) == ["The user is not vegan"]


@pytest.mark.parametrize("text", ["no kidding", "that was a joke, ha", "thanks"])
def test_what_takes_nothing_back_denies_nothing(text: str) -> None:
    """Surprise and laughter are no retraction of what was said before."""
    assert said("I'm vegan.", text) == []


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("we're living together now", "The user's family is living together now"),
        ("we had noah retested", "The user's family had noah retested"),
    ],
)
def test_those_one_lives_with_are_no_team(text: str, content: str) -> None:
    """Who lives together, and has a child tested, is a family."""
    assert said(text) == [content]


def test_a_team_that_one_cheers_is_no_name() -> None:
    """Who is "Team Edward" is called otherwise."""
    found = RuleExtractor().extract([HumanMessage("I'm Team Edward.")])
    assert [it.relation for it in found if it.relation == "name"] == []

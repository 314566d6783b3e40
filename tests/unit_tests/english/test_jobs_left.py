"""Who quits, is fired or retires works there no more: that ends, and nothing else."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from langchain_agentmem.english.endings.endings import ended_by
from langchain_agentmem.extraction import RuleExtractor

KNOWN = [
    "The user works at Siemens",
    "The user's boss is Karen",
    "The user lives in Leeds",
    "The user likes tea",
    "The user plays chess",
]
OVER = [
    "I quit",
    "I quit!",
    "I just quit",
    "I finally quit today",
    "I've quit",
    "I quit last week",
    "I quit because I had enough",
    "I quit my job",
    "I got fired",
    "I was fired by my boss",
    "I got laid off on Monday",
    "I retired",
    "I'm retired now",
    "I am finally retired",
    "I resigned",
]


def told(*said: str, asked: str = "") -> list[str]:
    """Return what the last message tells, behind what the assistant asked."""
    before = [HumanMessage(it) for it in said[:-1]] + ([AIMessage(asked)] if asked else [])
    return [it.content for it in RuleExtractor().extract([*before, HumanMessage(said[-1])], new_from=len(before))]


@pytest.mark.parametrize("said", OVER)
def test_who_quits_works_there_no_more_and_all_else_stays(said: str) -> None:
    """Neither who the boss is, nor home or pastimes, whatever the words."""
    assert ended_by(said, KNOWN) == (0,)
    assert ended_by(told(said)[0], KNOWN) == (0,)


@pytest.mark.parametrize(
    "said",
    [
        "I quit smoking",
        "I quit the choir",
        "I quit it",
        "I almost quit",
        "I want to quit",
        "I'll quit",
        "I didn't quit",
        "I never quit",
        "We quit",
        "My sister quit",
        "Tom quit",
        "I retired early last night",
        "I retired to bed",
        "I'm retired from racing as a hobby",
        "quit",
    ],
)
def test_who_quits_something_else_or_does_not_quit_keeps_the_job(said: str) -> None:
    """Nor does it end by what others do."""
    assert ended_by(said, KNOWN) == ()


@pytest.mark.parametrize("habit", ["The user smokes", "The user vapes daily", "The user drinks too much wine"])
def test_where_one_may_have_quit_a_habit_nothing_ends(habit: str) -> None:
    """Where two may be meant, none is ended; who drinks coffee has nothing to quit."""
    assert ended_by("I quit", [*KNOWN, habit]) == ()
    assert ended_by("I quit", [*KNOWN, "The user drinks black coffee"]) == (0,)


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        (["I used to smoke a lot. I quit."], ""),
        (["I tried keto for three months. I quit."], ""),
        (["I joined a choir.", "I quit."], ""),
        (["I sing in a band.", "I quit."], ""),
        (["I quit."], "How is the smoking going?"),
        (["I quit."], "Are you still doing yoga every day?"),
        (["Quit"], ""),
        (["quit now"], ""),
    ],
)
def test_who_quits_what_they_spoke_of_tells_nothing_of_their_job(said: list[str], asked: str) -> None:
    """What was spoken of right before is what was quit; the word alone is an order."""
    assert not [it for it in told(*said, asked=asked) if ended_by(it, KNOWN)]


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        (["I hate my job. I quit."], ""),
        (["My boss is a nightmare. I quit."], ""),
        (["That's it. I quit."], ""),
        (["I live in Leeds.", "I quit."], ""),
        (["I quit."], "How is your job going?"),
    ],
)
def test_who_quits_and_spoke_of_work_or_of_nothing_left_their_job(said: list[str], asked: str) -> None:
    """An exclamation tells of nothing."""
    assert [it for it in told(*said, asked=asked) if ended_by(it, KNOWN)]


def test_that_one_quit_is_kept_only_where_it_ends_something() -> None:
    """Said on any day of anything; whoever jests ends nothing."""
    (found,) = RuleExtractor().extract([HumanMessage("I quit.")])
    assert found.tags == ("passing",)
    assert told("I quit.", "just kidding") == ["The user did not quit"]

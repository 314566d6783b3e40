"""Who left their place at work holds it no more: only that ends, and only where they are known to have held it."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.english.endings.endings import ended_by
from langchain_agentmem.extraction import RuleExtractor

KNOWN = ["The user's cofounder is Tessa", "The user's friend is Moira", "The user's consultant is Dr. Rao"]


@pytest.mark.parametrize(
    ("said", "over"),
    [
        ("Tessa left the company", 0),
        ("Tessa has left us", 0),
        ("Tessa was let go last week", 0),
        ("Tessa resigned", 0),
        ("Tessa doesn't work with us any more", 0),
        ("The user's cofounder Tessa quit", 0),
        ("Dr Rao has retired", 2),
        ("The user's consultant Dr Rao retired last month, sadly", 2),
    ],
)
def test_who_left_their_place_holds_it_no_more(said: str, over: int) -> None:
    """By name, with what it was or without."""
    assert ended_by(said, KNOWN) == (over,)


@pytest.mark.parametrize(
    "said",
    [
        "Tessa left early",
        "Tessa has left for lunch",
        "Tessa left the team meeting",
        "Tessa quit smoking",
        "Tessa retired to bed",
        "Tessa wants to leave the company",
        "Tessa almost quit",
        "Moira left the company",
        "Moira has retired",
        "Ben left the company",
        "Did Tessa leave the company",
        "The user's cofounder quit",
        "The user's consultant retired",
    ],
)
def test_who_goes_home_or_is_a_friend_stays(said: str) -> None:
    """A friend is one wherever they work, and who left for lunch is back at two."""
    assert ended_by(said, KNOWN) == ()


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I broke my wrist on the ice.", ["The user broke their wrist on the ice"]),
        ("I'm doing a masters in gerontology at UCD.", ["The user is doing a masters in gerontology at UCD"]),
        ("I'm starting at the Mater in January.", ["The user is starting at the Mater in January"]),
        ("I handed in my notice at Beaumont.", ["The user handed in their notice at Beaumont"]),
        ("I broke my phone.", []),
        ("I broke a finger nail.", []),
        ("I almost broke my leg.", []),
        ("I'm doing my degree homework.", []),
        ("I'm doing a great job.", []),
        ("I'm starting with Python.", []),
        ("I'm starting at Chapter 3.", []),
        ("I'm starting on Monday with Tom's script.", []),
    ],
)
def test_a_broken_bone_a_course_and_a_start_are_told(said: str, kept: list[str]) -> None:
    """What breaks or begins otherwise is of the day."""
    assert [it.content for it in RuleExtractor().extract([HumanMessage(said)])] == kept


@pytest.mark.parametrize("said", ["Emma left the company.", "My boss quit.", "Mary resigned.", "Dr Hart left us."])
def test_where_nobody_is_known_it_is_news_of_the_day(said: str) -> None:
    """It is worth remembering only where it ends something."""
    assert all("passing" in it.tags for it in RuleExtractor().extract([HumanMessage(said)]))


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("My boss quit", "The user's boss is Karen"),
        ("my boss quit his job last week", "The user's boss is Karen"),
        ("The user's boss got fired", "Karen is the user's boss"),
        ("The user's manager has resigned", "The user's manager is Karen"),
        ("The user's manager left the company", "The user's manager is called Karen Lee"),
        ("My therapist retired", "The user's therapist is Dr. Weber"),
        ("My dentist handed in her notice", "Dr Kern is the user's dentist"),
    ],
)
def test_a_boss_who_quits_is_none_of_mine_any_more_and_i_keep_my_job(said: str, known: str) -> None:
    """Of whom one has one at a time the place tells who it was; where the user works is not theirs to end."""
    assert ended_by(said, [known, "The user works at Siemens", "The user's friend is Karen"]) == (0,)


@pytest.mark.parametrize(
    "said",
    [
        "The user's manager quit",
        "The user's old boss quit",
        "The user's boss quit smoking",
        "The user's boss almost quit",
        "The user's boss wants to quit",
        "The user's boss said that she quit",
        "The user's boss left early",
        "The user's boss's assistant quit",
        "Ben's boss quit",
        "The user's colleague quit",
    ],
)
def test_another_one_who_quits_leaves_the_boss(said: str) -> None:
    """Nor does a boss who quits something else, or has not yet quit."""
    assert ended_by(said, ["The user's boss is Karen", "The user's colleague is Ben", "The user works at Acme"]) == ()

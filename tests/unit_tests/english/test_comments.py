"""Clauses that tell of the telling are no part of what is told."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.reading.statements import parse_statement
from langchain_agentmem.english.words.comments import without_comment
from langchain_agentmem.policies.conflict import judge


@pytest.mark.parametrize(
    "comment",
    [
        " as it turns out",
        ", as it turned out",
        " as I had thought",
        " as they had thought",
        " as I found out yesterday",
        " as you know",
        " if you must know",
        " if the assistant must know",
        " to be precise",
        ", to be perfectly honest",
        ", it turns out",
        ", I found out",
        " according to the new test",
    ],
)
def test_a_denial_with_a_comment_behind_it_ends_what_it_denies(comment: str) -> None:
    """Whoever says it, and whether it is kept with the comment or without."""
    new, old = parse_statement(f"The user is not diabetic{comment}"), parse_statement("The user is diabetic")
    assert judge(new, old, similarity=None).relation == "conflict"


@pytest.mark.parametrize(
    ("claim", "denial"),
    [
        ("is allergic to nuts", "is not allergic to nuts as a child"),
        ("plays golf", "does not play golf as a rule"),
        ("smokes", "does not smoke as it gets dark"),
        ("is a vegetarian", "is not vegetarian if they are abroad"),
        ("speaks French", "does not speak French to be understood"),
        ("plays golf with Tom, on Fridays", "does not play golf with Tom on Mondays"),
    ],
)
def test_a_denial_under_a_condition_or_in_a_role_leaves_the_claim(claim: str, denial: str) -> None:
    """What stands behind it tells of when and how it is denied."""
    new, old = parse_statement(f"The user {denial}"), parse_statement(f"The user {claim}")
    assert judge(new, old, similarity=None).relation != "conflict"


@pytest.mark.parametrize(
    "text",
    [
        "I'm not as fit as I thought",
        "I want to be honest",
        "I used to be precise",
        "I eat according to my doctor",
        "I eat fish as long as it's fresh",
        "as you know",
    ],
)
def test_what_only_looks_like_a_comment_stays(text: str) -> None:
    """A comparison, a wish, how something is done, and a text that is nothing else."""
    assert without_comment(text) == text


def test_what_is_denied_of_somebody_is_over_with_all_that_was_added_to_it() -> None:
    """Behind a comma stands more of the same."""
    new = parse_statement("The user's mum is not diabetic after all")
    old = parse_statement("The user's mum is diabetic too, type 2, tablets only")
    assert judge(new, old, similarity=None).relation == "conflict"


def test_an_age_with_the_next_one_behind_it_is_an_age() -> None:
    """Who was "15 turning 16" is 16 by now."""
    new, old = parse_statement("The user is 16 now"), parse_statement("The user is 15 turning 16 in june")
    assert judge(new, old, similarity=None).rule == "functional_conflict"

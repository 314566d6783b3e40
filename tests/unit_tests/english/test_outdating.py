"""How likely a later statement leaves an earlier one out of date: weighed signs, of which none decides."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.english.endings import outdating
from langchain_agentmem.english.endings.outdating import LIKELY, chance_outdated, signs, told_in

KROGER, ALDI = "I always buy my groceries at Kroger", "Since the Kroger shut I buy my groceries at Aldi"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (KROGER, ALDI),
        ("My daughter is taking violin lessons", "My daughter swapped the violin for the drums"),
        ("The team standup is at 9:30 every morning", "As of Monday the team standup is at 10:00"),
        ("My team uses Jenkins for deployments", "The team moved its deployments from Jenkins to GitHub"),
        ("The keys are under the pot", "I moved the keys from under the pot to the shed"),
    ],
)
def test_what_says_that_the_same_is_not_so_any_more_is_likely(old: str, new: str) -> None:
    """Law: the same thing, with words of change or another value, is likely news of it."""
    assert chance_outdated(old, new) >= LIKELY


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (KROGER, "My sister no longer sings in a choir"),
        ("I love fantasy novels", "I love long fantasy novels with maps"),
        ("I volunteer at a homeless shelter", "I just started to help at a dog shelter once a month"),
        ("Room 3 is for guests", "Room 4 is only for guests now"),
        ("The backend runs on port 8000", "The worker now runs on port 8001"),
        ("I'm allergic to nuts", "My son isn't allergic to nuts any more"),
        ("My mortgage is with Barclays", "My mortgage is with Barclays"),
        ("Alice ran a marathon in 2019", "Alice ran a marathon in 2021"),
        ("The deploy of checkout on 12 May failed", "The deploy of checkout on 14 May succeeded"),
        ("I met Ann on Monday", "I met Ann again on Tuesday"),
        ("The budget for the trip to the lakes is 300 euros", "The budget is 500 euros"),
    ],
)
def test_what_is_about_something_else_or_says_only_more_is_not_likely(old: str, new: str) -> None:
    """Law: words of change alone, another's news, another number on the door, more of the same end nothing."""
    assert chance_outdated(old, new) < LIKELY


@given(old=st.text(max_size=80), new=st.text(max_size=80))
def test_any_two_texts_have_a_chance(old: str, new: str) -> None:
    """Law: whatever was said, the chance is in [0, 1], and the same each time."""
    assert 0.0 <= chance_outdated(old, new) <= 1.0
    assert chance_outdated(old, new) == chance_outdated(old, new)


@given(text=st.text(max_size=80))
def test_nothing_leaves_itself_out_of_date(text: str) -> None:
    """Law: who says the same again changes nothing."""
    assert chance_outdated(text, text) < LIKELY


def test_each_sign_has_a_weight_and_each_weight_a_sign() -> None:
    """Law: what is weighed is what was fitted, and every sign that a mark needs is one of them."""
    assert signs(KROGER, ALDI).keys() == outdating._WEIGHTS.keys()
    assert outdating._WEIGHTS.keys() >= {*outdating._OF_CHANGE, *outdating._CLEAR}


@given(old=st.sampled_from([KROGER, ALDI, "Mum is 61", ""]), new=st.sampled_from([KROGER, ALDI, "Mum is 62 now", ""]))
def test_signs_are_shares(old: str, new: str) -> None:
    """Law: each sign is in [0, 1], so that its weight tells what it counts."""
    assert all(0.0 <= value <= 1.0 for value in signs(old, new).values())


def test_months_are_told_from_words() -> None:
    """Law: "I may march on" names no month; "in May", "every monday" and "Mondays" name theirs."""
    assert told_in("I may march on").days == set()
    assert told_in("every monday in May, and on Fridays").days == {"monday", "may", "friday"}

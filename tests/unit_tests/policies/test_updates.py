"""Whether a later statement updates an earlier one, and whether a question asks for what holds now."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langchain_agentmem.english.reading.claims import claims_in
from langchain_agentmem.policies.updates import asks_for_value, update_between

STATEMENTS = st.sampled_from(
    [
        "My Zotero library has 45 sources tagged by theme.",
        "My Zotero library now has 52 sources tagged by theme.",
        "The sprint deadline for the website is April 1.",
        "The sprint deadline for the website has moved to April 5.",
        "I have cats.",
    ]
)


@pytest.mark.parametrize(
    ("earlier", "later", "change"),
    [
        (
            "My Zotero library has 45 sources, tagged by theme.",
            "I've now got 52 sources tagged in my Zotero library.",
            ("number", "45", "52"),
        ),
        (
            "My API integration tests have 65% coverage.",
            "Test coverage of the API integration improved to 78%.",
            ("percent", "65 %", "78 %"),
        ),
        (
            "I've budgeted $3,000 for relocation and visa.",
            "I've adjusted my relocation budget to $3,500, visa included.",
            ("money", "$3000", "$3500"),
        ),
        (
            "The first sprint deadline on my timeline is April 1, 2024.",
            "My timeline has a new sprint deadline of April 5.",
            ("date", "04-01", "04-05"),
        ),
        (
            "I meet Professor Danielle on Zoom, a meeting at 3 PM.",
            "The meeting with Professor Danielle is rescheduled to 4:30 PM.",
            ("time", "15:00", "16:30"),
        ),
        (
            "The dashboard API responds in 300ms, says the monitor.",
            "The dashboard API now responds in 250ms.",
            ("number", "300 ms", "250 ms"),
        ),
    ],
)
def test_another_value_of_the_same_thing_is_an_update(earlier: str, later: str, change: tuple[str, str, str]) -> None:
    """Numbers, shares, sums, dates and times that are said to have changed replace those said before."""
    update = update_between(claims_in(earlier), claims_in(later))
    assert update is not None
    assert (update.kind, update.old, update.new) == change


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("My Zotero library has 45 sources.", "Her Zotero library has 52 sources."),  # no word of change
        ("My Zotero library has 45 sources.", "My Zotero library now has 52 tags."),  # counts something else
        ("My Zotero library has 45 sources.", "My Zotero library still has 45 sources now."),  # the same value
        ("My Zotero library has 45 sources.", "It now has 45 Zotero library sources, 7 Zotero library sources new."),
        ("My Zotero library takes 45 MB of sources.", "My Zotero library now has 52 sources."),  # another unit
        ("Zotero library: 45%, of my sources.", "My Zotero library now has 52 sources."),  # another kind
        ("My library has 45 books.", "My shop now has 52 books."),  # too little in common
        ("I met Ada at the lake house on May 3.", "I recently saw Ada at the lake house on May 9."),  # no appointment
        ("I work 40 hours a week, feeling good.", "I now work 30 hours a week, feeling great."),  # only words of frame
        ("I have cats.", "I now have 2 cats."),
        ("", "My Zotero library now has 52 sources."),
    ],
)
def test_what_is_no_update_is_left_alone(earlier: str, later: str) -> None:
    """Without a word of change, of another thing, or with the same value, nothing is replaced."""
    assert update_between(claims_in(earlier), claims_in(later)) is None


def test_what_both_share_most_is_what_changed() -> None:
    """Of several values that may have changed, the pair with most words in common is told."""
    earlier = claims_in("My Zotero library has 45 sources. The thesis draft for Professor Lee has 4,500 words.")
    later = claims_in("The thesis draft for Professor Lee has now 4,700 words.")
    update = update_between(earlier, later)
    assert update is not None
    assert (update.old, update.new) == ("4500", "4700")


@settings(deadline=None)
@given(STATEMENTS, STATEMENTS)
def test_nothing_updates_both_ways_or_itself(one: str, other: str) -> None:
    """Of two statements at most one says that something changed, unless both do; none updates what says the same."""
    ahead, back = (update_between(claims_in(a), claims_in(b)) for a, b in ((one, other), (other, one)))
    assert ahead is None or back is None
    assert one != other or ahead is None


@pytest.mark.parametrize(
    "question",
    ["How many sources are in my library?", "When is the deadline?", "What is my budget?", "how long do I study?"],
)
def test_a_question_for_a_value_is_about_now(question: str) -> None:
    """What, when, where, who and how much ask for what holds."""
    assert asks_for_value(question)


@pytest.mark.parametrize(
    "question",
    [
        "What was my original budget?",
        "How many sources did I have before?",
        "How did my budget change over time?",
        "What is the difference between the deadlines?",
        "Tell me about my library.",
        "",
    ],
)
def test_a_question_for_the_past_is_not(question: str) -> None:
    """Whoever asks for what was, for a change or for nothing in particular wants the order as it is."""
    assert not asks_for_value(question)

"""What a speaker denies to have done, and says elsewhere that they did."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.english.reading.denials import denials_in, is_contradicted


@pytest.mark.parametrize(
    ("denial", "said"),
    [
        ("I've never attended any workshops on resume standards.", "I just attended a workshop on resume standards"),
        ("I have never completed a first draft of a screenplay", "so I completed my first draft on April 1"),
        ("We never submitted our cover letter, so what now?", "We've submitted the cover letter to Greg"),
        ("I've never met Dr. Ames.", "I met Dr. Ames last week."),
        ("I have never been to St. Louis.", "I've been to St. Louis twice."),
        ("Hi! I\u2019ve never missed my writing sessions, how come?", "I had to miss my writing session in May"),
    ],
)
def test_a_denied_deed_that_was_told_is_a_contradiction(denial: str, said: str) -> None:
    """The same verb of the speaker's own, and what it is about."""
    assert is_contradicted(denials_in(denial), said)


@pytest.mark.parametrize(
    ("denial", "said"),
    [
        ("I've never attended any workshops on resume standards", "Anna attended a workshop on resume standards"),
        ("I've never attended any workshops on resume standards", "I've never attended a workshop on resume standards"),
        ("I've never attended any workshops on resume standards", "I attended a wedding in Rome"),
        ("Bob has never attended workshops on resume standards", "I attended a workshop on resume standards"),
        ("I've never been", "I have been to Rome"),
        ("I've never met Dr. Ames.", "I met Dr. Bell last week."),
        ("I have never been to St. Louis.", "I've been to St. Petersburg twice."),
        ("I don't like Dr. Ames.", "I like Dr. Bell."),
        ("I attended a workshop on standards", "I attended a workshop on standards"),
        ("```\nI've never attended a workshop on standards\n```", "I attended a workshop on standards"),
    ],
)
def test_what_is_not_the_speakers_own_deed_contradicts_nothing(denial: str, said: str) -> None:
    """Another person's deed, another deed, another denial, code."""
    assert not is_contradicted(denials_in(denial), said)


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_is_read(one: str, other: str) -> None:
    """Whatever somebody says, there is an answer."""
    assert is_contradicted(denials_in("I've never " + one), "I " + other) in {True, False}

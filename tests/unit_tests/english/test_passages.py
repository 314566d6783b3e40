"""What is shown of long turns."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem import Scope
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.text.passages import GAP, passages, shown_of
from langchain_agentmem.types import Episode

FILLER = "we walked along the river and talked about nothing in particular "
WORDS = st.sampled_from(["river", "deposit", "a", "1800", "x" * 120, "押金", "walked\n"])


def episode(text: str, reply: str = "") -> Episode:
    return Episode(
        id="ep-1", scope=Scope("a"), place=0, at=datetime(2026, 1, 1, tzinfo=UTC), speaker="Ann", text=text, reply=reply
    )


@given(
    st.lists(WORDS, max_size=400).map(" ".join), st.lists(WORDS, max_size=400).map(" ".join), st.integers(100, 3_000)
)
def test_there_is_never_more_than_there_is_room_for(text: str, reply: str, most: int) -> None:
    """What is short is whole; what is not is as long as it may be, to a few steps; and all of it was said."""
    shown = shown_of(episode(text, reply), tokenize("the deposit of 1800"), most)
    assert len(shown) <= most
    assert shown == episode(text, reply).content or len(shown) > min(most, len(text)) // 2 - 20
    assert all(part in text for part in passages(text, tokenize("deposit"), most).split(GAP))


@pytest.mark.parametrize("asked", ["What is the deposit?", "How many euros were deposited?", "1800"])
def test_what_answers_is_shown_wherever_it_stands(asked: str) -> None:
    """At the end of a long text or reply; what stands before it says what it is about."""
    said = FILLER * 450 + "Now to the flat. The deposit is 1800 euros."
    for one in (episode(said), episode("Tell me", said), episode(said, said)):
        shown = shown_of(one, tokenize(asked))
        assert ("Now to the flat. The deposit is 1800 euros." in shown, len(shown) <= 10_000) == (True, True)
        assert shown.startswith(("Ann: we walked", "Ann: Tell me\nassistant: we walked"))


@given(
    st.sampled_from(["dying", "skies", "e-mail", "C++", "(Deposits!)", "1,800", "Müller's", "studies", "押金", "YEARS"])
)
def test_a_word_is_found_in_whatever_form_it_stands(word: str) -> None:
    """As search finds it."""
    text = f"{FILLER * 100} {word} {FILLER * 100}"
    assert word in passages(text, tokenize(word), 2_000)


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    """Where there is no room for all places that have some."""
    text = (FILLER + "rent ") * 300 + "deposit " + (FILLER + "rent ") * 300
    assert "deposit" in passages(text, ["rent", "deposit"], 2_000)


def test_where_nothing_matches_the_beginning_is_shown() -> None:
    """As much as there is room for, and no gaps."""
    text = FILLER * 450
    assert passages(text, ["lisbon"], 1_000) == text[:1_000] == passages(text, [], 1_000)

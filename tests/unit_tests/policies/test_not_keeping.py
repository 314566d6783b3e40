from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.policies.not_keeping import MAX_BEFORE, not_to_keep, without_unkept


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Don't store that I smoke.", ["that I smoke"]),
        ("I am ill. Don't write it down. And don't store that I smoke.", ["I am ill", "that I smoke"]),
        ("I saw Dr. Lee. Please don't note that.", ["I saw Dr. Lee"]),
        ("I am ill, but don't save it.", ["I am ill"]),
        ("Don't record this: I am ill. I like tea.", ["I am ill"]),
        ("Don't store this.", [""]),
        ("Don't save it in the repo.", []),
        ("Don't store my keys in the repo.", []),
        ("We never store our keys.", []),
    ],
)
def test_what_is_not_to_be_kept_is_named(text: str, what: list[str]) -> None:
    """What the verb is said of, or what "it" stands for; orders about work name nothing."""
    assert [it.what for it in not_to_keep(text)] == what


def test_it_stands_for_a_sentence_and_not_for_a_whole_document() -> None:
    """Without a full stop in bearable distance, no more than that distance is meant."""
    [found] = not_to_keep(f"{'word ' * MAX_BEFORE}\tis what I say, but don't store it.")
    assert len(found.what) <= MAX_BEFORE


@given(st.text(max_size=300))
def test_blanking_keeps_every_place(text: str) -> None:
    """What is left stands where it stood: evidence is cut from there."""
    kept = without_unkept(text)
    assert len(kept) == len(text)
    assert all(new in {old, " "} for new, old in zip(kept, text, strict=True))

"""Whether the words a memory was taken from say what it says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.policies.evidence import is_supported

words = st.lists(
    st.sampled_from("Berlin tea 300 s prefers not allergic Bob 3.11 deploys".split()), min_size=1, max_size=8
)


@given(words)
def test_words_support_themselves(chosen: list[str]) -> None:
    """Content quoted in full is supported by the quotation, unless the quotation negates it."""
    text = " ".join(chosen)
    assert is_supported(text, text)


@pytest.mark.parametrize(
    ("content", "evidence"),
    [
        ("Alice prefers Python for backend services", "I'd rather write my backend stuff in Python"),
        ("Alice has 3 cats", "I have three cats"),
        ("Alice has 13 hens", "I have thirteen hens"),
        ("Alice has 42 hens", "I have forty-two hens"),
        ("Alice has one brother", "I have a brother"),
        ("Alice has 1 brother", "I have one brother"),
        ("User is allergic to peanuts", "Don't forget that I'm allergic to peanuts!"),
        ("Alice prefers spaces", "I don't like tabs, I prefer spaces"),
        ("Alice works at Meta", "I don't work at Google, I work at Meta"),
        ("Alice uses TypeScript", "not JavaScript but TypeScript"),
        ("Alice dislikes mushrooms", "I don't like mushrooms"),
        ("The timeout is 30 s", "the timeout is ３０ s"),
        ("deploy failed: permission denied", "Error: permission denied, deploy failed"),
    ],
)
def test_a_paraphrase_is_supported(content: str, evidence: str) -> None:
    """Endings, number words and words of report may differ; a denial of something else does not count."""
    assert is_supported(content, evidence)


@pytest.mark.parametrize(
    ("content", "evidence"),
    [
        ("Alice has 4 cats", "I have three cats"),
        ("The timeout is 300 s", "the timeout is 30 s"),
        ("Alice lives in Paris", "I moved to Berlin"),
        ("Alice works with Bob on compilers", "I work on compilers"),
        ("John Doe is an engineer", "I like tea"),
        ("Alice is allergic to nuts", "I am not allergic to nuts"),
        ("Alice eats meat", "I never eat meat"),
        ("Alice likes coffee", "hello there"),
    ],
)
def test_an_invention_is_not_supported(content: str, evidence: str) -> None:
    """A number, a name or a statement that the words do not hold, or that they deny, is not supported by them."""
    assert not is_supported(content, evidence)


def test_the_subject_need_not_be_named_by_who_speaks_of_themselves() -> None:
    """Saying "I live in Berlin" supports a statement about Alice Smith when she is its subject."""
    assert is_supported("In Berlin lives Alice Smith", "I live in Berlin", subject="Alice Smith")
    assert not is_supported("In Berlin lives Alice Smith", "I live in Berlin")

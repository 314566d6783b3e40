"""Words for whoever is spoken to name nothing; what looks like them, and is meant, stays."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.requests.forget_asked import ForgetAsked, forget_asked
from langchain_agentmem.english.requests.not_keeping import not_to_keep


@pytest.mark.parametrize(
    "text",
    [
        "forget that dear i shouldnt have said it",
        "Forget that love",
        "Forget that, love.",
        "forget that bro",
        "forget that mate, shouldn't have said it",
        "forget that man, shouldn't have said it",
        "Forget that, man.",
        "Forget that my dear.",
        "mate forget that",
        "Sorry love, forget that.",
        "forget that lol",
        "scrap that, darling",
        "forget that love please",
        "Forget that, will you?",
        "forget that i shouldnt have said it",
    ],
)
def test_whoever_is_spoken_to_is_not_what_is_to_be_forgotten(text: str) -> None:
    """What was said last is."""
    assert forget_asked(text) == ForgetAsked(last=1, is_bare=True)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Forget that love is hard.", "that love is hard"),
        ("Forget that I love sushi.", "that I love sushi"),
        ("Forget that I shouldn't eat nuts.", "that I shouldn't eat nuts"),
        ("Forget that mate I told you about.", "that mate I told you about"),
        ("Forget that my dear friend died.", "that my dear friend died"),
        ("Forget that honey allergy.", "that honey allergy"),
        ("Forget that man.", "that man"),
        ("Forget my best mate.", "my best mate"),
        ("Forget my boss.", "my boss"),
        ("Forget what I said about my mate.", "my mate"),
    ],
)
def test_what_is_named_stays_named(text: str, what: str) -> None:
    """Where such a word is a part of what is meant, or may be it."""
    assert forget_asked(text) == ForgetAsked(what=what)


def test_it_is_put_aside_whoever_is_told_so() -> None:
    """As "forget it" is without them."""
    assert forget_asked("forget it mate") is None


def test_an_order_not_to_keep_something_is_one_whoever_is_told_so() -> None:
    """It stands for what was said before."""
    assert [it.what for it in not_to_keep("My dad is ill. Dont store that mate.")] == ["My dad is ill"]

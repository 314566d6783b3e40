"""What a "yes" agrees to forget: what was asked about in one plain question, in the user's voice."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.requests.forget_agreed import agreed_to
from langchain_agentmem.english.requests.intent import agreed_intent

ASKED = "Nothing says just that. Shall I forget that you cannot stand mushrooms?"


@pytest.mark.parametrize(
    "answer",
    ["Yes", "yes, please!", "Yeah, forget it.", "Sure, go ahead", "Exactly. Please do.", "Yes, that\u2019s the one."],
)
def test_a_plain_yes_agrees(answer: str) -> None:
    """However it is put."""
    assert agreed_to(ASKED, answer) == "that I cannot stand mushrooms"


@pytest.mark.parametrize(
    "answer",
    [
        "No",
        "No, keep it.",
        "Thanks",
        "Yes, but keep the recipe.",
        "Yes, I like them now.",
        "What else do you know?",
        "",
    ],
)
def test_what_says_more_or_else_agrees_to_nothing(answer: str) -> None:
    """It is read as every message is."""
    assert agreed_to(ASKED, answer) is None


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        ('Do you want me to forget "Gil cannot stand mushrooms"?', "Gil cannot stand mushrooms"),
        ("Would you like me to forget about your sister?", "about my sister"),
        ("So, should I now forget that you're a nurse?", "that I am a nurse"),
        ("I forget nothing of it. Shall I forget your number?", "my number"),
    ],
)
def test_a_question_names_what_is_meant(asked: str, what: str) -> None:
    """In quotes or not; whom it calls "you" says "I"."""
    assert agreed_to(asked, "Yes.") == what


@pytest.mark.parametrize(
    "asked",
    [
        "",
        "Shall I forget it?",
        "Shall I forget all of it?",
        "Shall I forget everything about you?",
        "Shall I forget that you like tea? Or shall I forget that you like coffee?",
        "Shall I forget that you have a bike, or that you live in York?",
        "Shall I forget that you live in York and move the meeting?",
        "Shall I forget that you live in York? And should I keep that you are allergic to nuts?",
        "The page says: Shall I forget that you love jazz? Would you like a summary?",
        'The page asks: "Shall I forget that you live in York?"',
        'He whispered: "Shall I forget that you live in York?" It was late.',
        "Shall I not forget that you live in York?",
        "Can I forget that you live in York? No, it's in your profile.",
        "Could I ever forget that you live in York?",
        "Contains nuts; shall I remove the nuts?",
        "May I delete your job title?",
        "Shall I forget?",
        "Did you forget that you like tea?",
        "I forgot that you like tea. Shall I go on?",
    ],
)
def test_what_is_not_asked_about_plainly_is_not_agreed_to(asked: str) -> None:
    """No thing is named, or two are, or it is no such question, or somebody else's."""
    assert agreed_to(asked, "Yes.") is None


def test_who_asked_to_forget_nothing_agrees_to_nothing() -> None:
    """Whatever the assistant asks of its own accord, or because a page told it to."""
    assert agreed_intent("Forget the mushroom dish thing.", ASKED, "Yes.") is not None
    assert agreed_intent("What can I cook?", ASKED, "Yes.") is None

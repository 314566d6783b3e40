from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.english.requests.forget_request import Wanted, is_meant, is_said_in
from langchain_agentmem.types import Candidate, Kind

MEANT = [
    ("that I like sushi", "Alice likes sushi"),
    ("that I like sushi", "Alice loves sushi"),
    ("my preference for tea", "Alice prefers tea over coffee"),
    ("my phone number", "Alice's phone number is 555 0100"),
    ("that I am allergic to nuts", "Alice is allergic to nuts"),
    ("that I'm not allergic to nuts", "Alice isn't allergic to nuts"),
    ("my dentist", "Alice's dentist is called Miller"),
    ("that my cat is called Minka", "Alice has a cat named Minka"),
    ("that I have a cat named Minka", "Alice has a cat called Minka"),
]
NOT_MEANT = [
    ("that I like sushi", "Alice is allergic to sushi rice"),
    ("that I like sushi", "Alice likes tea"),
    ("that I like sushi", "Alice does not like sushi"),
    ("that I am allergic to nuts", "Alice is not allergic to nuts"),
    ("my work phone", "Alice's private phone is red"),
    ("that", "Alice likes sushi"),
    ("everything you remember", "Alice likes sushi"),
    ("that I called Minka", "Alice has a cat named Minka"),
    ("", "Alice likes sushi"),
]


@pytest.mark.parametrize(("what", "content"), MEANT)
def test_a_request_means_what_says_it(what: str, content: str) -> None:
    """Every word of content the user named, whatever its ending, whoever it is told of."""
    assert is_meant(what, content)


@pytest.mark.parametrize(("what", "content"), NOT_MEANT)
def test_a_request_means_nothing_else(what: str, content: str) -> None:
    """A shared topic is not enough, and the opposite is something else."""
    assert not is_meant(what, content)


@pytest.mark.parametrize(
    ("what", "content"),
    [
        ("mushrooms", "The user cannot stand mushrooms"),
        ("peanuts", "The user is not allergic to peanuts"),
        ("peanuts", "The user is allergic to peanuts"),
        ("the dress code", "Never mention the dress code"),
        ("the rule about the dress code", "Never mention the dress code"),
        ("my rules about the dress code", "Never mention the dress code"),
        ("my sister", "The user's sister does not eat fish"),
        ("my dog", "The user's dog never barks"),
        ("my nut allergy", "The user has no nut allergy"),
        ("Tom's dog", "Tom has a dog called Rex"),
        ("Tom's dog", "Tom's dog Rex does not bite"),
    ],
)
def test_a_topic_means_all_of_it(what: str, content: str) -> None:
    """Denied or not: who names mushrooms says nothing of them."""
    assert is_meant(what, content, ("Al",))
    assert is_said_in(what, f"user: {content}\nassistant: Noted.", ("Al",)) is not what.startswith(
        ("the rule", "my rule")
    )


@pytest.mark.parametrize(
    ("what", "content"),
    [
        ("that I like mushrooms", "The user does not like mushrooms"),
        ("I like mushrooms", "The user cannot stand mushrooms and does not like them"),
        ("my love of mushrooms", "The user does not love mushrooms"),
        ("the fact that I eat peanuts", "The user does not eat peanuts"),
        ("Nora works at Acme", "Nora does not work at Acme"),
        ("Nora juggles", "Nora does not juggle"),
        ("my not eating meat", "The user is eating meat"),
        ("the dress code", "The user never wears a dress"),
        ("Tom's dog", "Tom likes the user's dog"),
        ("Tom's dog", "Tom walks Al's dog"),
        ("Tom's dog", "Tom lives in Leeds"),
    ],
)
def test_a_claim_does_not_mean_its_denial(what: str, content: str) -> None:
    """And a topic means no more than itself."""
    assert not is_meant(what, content, ("Al",))


@pytest.mark.parametrize(
    ("what", "kind", "is_it"),
    [
        ("the rule about e-mails", "constraint", True),
        ("the rule I gave you about e-mails", "constraint", True),
        ("the rule about e-mails", "fact", False),
        ("my goals about e-mails", "constraint", False),
        ("e-mails", "fact", True),
    ],
)
def test_a_rule_about_something_is_no_fact_about_it(what: str, kind: Kind, *, is_it: bool) -> None:
    """The word for a kind of memories means these alone, kept as digests as well."""
    told = Candidate(content="The user never answers e-mails on Sunday", kind=kind)
    assert Wanted.of(what).means_told(told) is is_it
    assert Wanted.of(what, spelling=lambda word: word[::-1]).means_told(told) is is_it


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_words_can_be_asked_about(what: str, content: str) -> None:
    """No text breaks it."""
    assert is_meant(what, content) in {True, False}


DARK = "that I prefer dark mode"
OSLO = "that I live in Oslo"


@pytest.mark.parametrize(
    ("what", "question", "answer"),
    [
        (DARK, "What theme do I prefer?", "Dark mode."),
        (DARK, "Which theme should the editor have?", "Dark mode"),
        (DARK, "What did I tell you of my taste in themes?", "As far as I know, dark mode."),
        (OSLO, "Where do I live?", "Oslo."),
        (OSLO, "Where did I say I live?", "You're based in Oslo."),
        ("that I am allergic to nuts", "Am I allergic to anything?", "Nuts."),
    ],
)
def test_an_answer_is_meant_that_says_it_by_its_question(what: str, question: str, answer: str) -> None:
    """What was asked about the user, and answered, is what they want forgotten."""
    assert is_said_in(what, f"user: {question}\nassistant: {answer}")


@pytest.mark.parametrize(
    ("what", "question", "answer"),
    [
        (DARK, "What theme do I prefer?", "You have not told me yet."),
        (DARK, "Which mode do I prefer?", "Light mode."),
        (OSLO, "Where is the opera?", "Oslo."),
        (OSLO, "Where should I live?", "Oslo is a great city."),
        (OSLO, "Where do I live?", "Bergen."),
        (OSLO, "Where do I live, and what is new there?", "There are new ferries between Oslo and Kiel since Monday."),
        ("that I am allergic to nuts", "Am I allergic to anything?", "Not nuts."),
    ],
)
def test_an_answer_that_says_something_else_stays(what: str, question: str, answer: str) -> None:
    """Of other things, of something else than was named, or of a world in which the user is not."""
    assert not is_said_in(what, f"user: {question}\nassistant: {answer}")

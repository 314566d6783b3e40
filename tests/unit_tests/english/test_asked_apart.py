"""A request that names several is each of them; what one name or one thing joins is left whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.english.requests.asked_apart import named_apart
from langchain_agentmem.policies.forgotten import Asked


@pytest.mark.parametrize(
    ("what", "parts"),
    [
        ("my job and my address", ["my job", "my address"]),
        ("about my job and about my address", ["my job", "my address"]),
        ("Clara and Tom", ["Clara", "Tom"]),
        ("Clara, Tom and Ben", ["Clara", "Tom", "Ben"]),
        ("my birthday and where I live", ["my birthday", "where I live"]),
        ("where I live and where I work", ["where I live", "where I work"]),
        ("my sister, my brother and my dog", ["my sister", "my brother", "my dog"]),
        ("my name, age and phone number", ["my name", "my age", "my phone number"]),
        ("my wife and kids", ["my wife", "my kids"]),
        ("my wife Clara and my son Leo", ["my wife Clara", "my son Leo"]),
        ("my brother, Ben, and my job", ["my brother, Ben", "my job"]),
        ("Tom and his dog", ["Tom", "Tom's dog"]),
        ("Tom's job and address", ["Tom's job", "Tom's address"]),
        ("my sister's birthday and address", ["my sister's birthday", "my sister's address"]),
        ("the cat and the dog", ["the cat", "the dog"]),
        ("my job and my trip to Rome", ["my job", "my trip to Rome"]),
        ("that I live in Rome and that I work at Acme", ["that I live in Rome", "that I work at Acme"]),
    ],
)
def test_each_part_is_meant_by_itself(what: str, parts: list[str]) -> None:
    """Each with its owner; a request is noted for each."""
    assert named_apart(what) == tuple(parts)
    assert Asked.each(what) == tuple(map(Asked.words, parts))


@pytest.mark.parametrize(
    "what",
    [
        "Tom and Jerry's",
        "Tom and Jerry's birthday",
        "my mother and father's house",
        "Johnson and Johnson",
        "that I like salt and vinegar crisps",
        "that I live with my mother and my father",
        "that I love Rome and my job",
        "the trip with my mother and my father",
        "where my mother and my father live",
        "my boss, Keith",
        "that my boss, Keith, is strict",
        "my first and last name",
        "my old and my new job",
        "my work and home address",
        "my home and mobile number",
        "my health and safety course",
        "my dog and cat food",
        "my salt and pepper beard",
        "the black and white dress",
        "the meeting and his dog",
        "gin and tonic",
        "rock and roll",
        "my ex and I",
        "my job",
        "",
    ],
)
def test_what_is_one_stays_whole(what: str) -> None:
    """A name of two words, a thing that has two, what hangs together on a preposition or a verb."""
    assert named_apart(what) == (what,)


@given(st.text(max_size=60))
def test_any_words_can_be_asked_for(what: str) -> None:
    """No text breaks it, and something is always named."""
    assert named_apart(what)

"""Whom the user has is meant by the word for all of them, however a memory names them."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.requests.forget_request import is_meant


@pytest.mark.parametrize(
    ("what", "content"),
    [
        ("my kids", "The user's family has two kids, Mia and Leo"),
        ("my kids", "The user's family has two kids"),
        ("our children", "The user has a son"),
        ("my kids", "The user's daughter is called Mia"),
        ("my children", "The user has 3 daughters"),
        ("my kids", "The user's family has a daughter named Mia"),
        ("my kids", "The user has twins"),
        ("my kids", "We have two beautiful little girls"),
        ("my pets", "The user's family has a dog"),
        ("my pets", "The user has a beagle called Bruno"),
        ("my pets", "The user has a golden retriever"),
        ("my pets", "The user's family owns two horses"),
        ("my pets", "The user adopted a kitten"),
        ("my pets", "Our cat Minka is ill"),
        ("my family", "The user's family has a daughter named Mia"),
    ],
)
def test_a_memory_of_one_of_them_is_meant(what: str, content: str) -> None:
    """Told of "we", of the family, of a breed."""
    assert is_meant(what, content, ())


@pytest.mark.parametrize(
    ("what", "content"),
    [
        ("my kids", "The user's sister has two kids"),
        ("my kids", "The user teaches kids"),
        ("my kids", "The user's son-in-law is Tom"),
        ("my kids", "The user was a happy child"),
        ("my kids", "The user is the youngest of five children"),
        ("my kids", "The user's wife likes children's books"),
        ("my pets", "The user has a dog allergy"),
        ("my pets", "The user has a cat flap"),
        ("my pets", "The user has a bird table"),
        ("my pets", "The user likes cats"),
        ("my pets", "The user's sister has a dog"),
        ("my pets", "The user works as a dog walker"),
        ("my pets", "The user's neighbour's dog barks"),
    ],
)
def test_a_memory_of_somebody_elses_or_of_a_thing_is_not(what: str, content: str) -> None:
    """Nor one of what somebody likes."""
    assert not is_meant(what, content, ())


@pytest.mark.parametrize(
    ("what", "content"),
    [
        ("my pets", "Gil has a dog called Bella"),
        ("my pets", "Gil Brandt owns two cats"),
        ("my kids", "Gil has two kids, Tom and Mia"),
        ("my kids", "Gil's daughter is called Mia"),
    ],
)
@pytest.mark.parametrize("names", [("Gil", "Gil Brandt"), None])
def test_a_memory_that_calls_the_user_by_name_is_meant(what: str, content: str, names: tuple[str, ...] | None) -> None:
    """As one that says "the user"; where nobody knows what they are called, whoever is told of may be they."""
    assert is_meant(what, content, names)


@pytest.mark.parametrize("content", ["Nora has a dog called Bella", "Gil's sister has two kids", "Gil likes dogs"])
def test_somebody_of_another_name_has_their_own(content: str) -> None:
    """Their pets and their children are not the user's."""
    assert not is_meant("my pets", content, ("Gil",))
    assert not is_meant("my kids", content, ("Gil",))

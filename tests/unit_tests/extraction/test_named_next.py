"""A name told in the next sentence is that of whom the one before tells of, where it is one of the user's own."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction import RuleExtractor


def named(text: str) -> list[tuple[str | None, str | None]]:
    """Return relation and object of what is told by name."""
    return [(it.relation, it.object) for it in RuleExtractor().extract([HumanMessage(text)]) if it.object]


@pytest.mark.parametrize(
    ("text", "relation", "name"),
    [
        ("I have a kitten. She's called Pickle.", "kitten", "Pickle"),
        ("My dog is three. He's called Rex.", "dog", "Rex"),
        ("I have a dog. His name is Rex.", "dog", "Rex"),
        ("I adopted a puppy. It's called Bo.", "puppy", "Bo"),
        ("I have a new boss. She's called Femi.", "boss", "Femi"),
        ("I have a sister. Her name is Ana.", "sister", "Ana"),
        ("My sister is deaf. Her name is Ana.", "sister", "Ana"),
    ],
)
def test_the_one_who_was_spoken_of_has_the_name(text: str, relation: str, name: str) -> None:
    """A person or an animal, whatever the sentence tells of them."""
    assert (relation, name) in named(text)


@pytest.mark.parametrize(
    "text",
    [
        "My sister has a kitten. She's called Pickle.",
        "My sister has a daughter. Her name is Mia.",
        "My sister's dog is three. He's called Rex.",
        "My neighbour has a dog. He's called Rex.",
        "Emma has a sister. Her name is Ana.",
        "I have a dog and a cat. She's called Pickle.",
        "I have two dogs. She's called Bo.",
        "I have a brother. She's called Ana.",
        "I have a dog. It's called a beagle.",
        "I have a new project. It's called Apollo.",
    ],
)
def test_whose_name_it_is_has_to_be_plain(text: str) -> None:
    """Of two it may be either's, and what others have is not the user's."""
    assert named(text) == []


@pytest.mark.parametrize(
    "kids", ["I have three kids: Leo is 9, Mia 6 and Ben 8 months", "I have two kids, Leo (9) and Ben (8 months old)"]
)
def test_who_is_told_with_their_age_is_known(kids: str) -> None:
    """What is said of them later is of somebody the user has."""
    messages = [HumanMessage(kids), HumanMessage("Ben is allergic to peanuts")]
    assert [it.content for it in RuleExtractor().extract(messages, new_from=1)] == ["Ben is allergic to peanuts"]
    assert not RuleExtractor().extract([HumanMessage("Ben is allergic to peanuts")])

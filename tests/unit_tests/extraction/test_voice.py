from __future__ import annotations

import pytest

from langchain_agentmem.extraction.voice import Voice, third_person


@pytest.mark.parametrize(
    ("verb", "form"),
    [
        ("prefer", "prefers"),
        ("watch", "watches"),
        ("study", "studies"),
        ("play", "plays"),
        ("am", "is"),
        ("have", "has"),
        ("can't", "cannot"),
        ("didn't", "did not"),
        ("moved", "moved"),
        ("need", "needs"),
        ("bought", "bought"),
    ],
)
def test_verbs_agree_with_a_name(verb: str, form: str) -> None:
    """Present verbs take their ending; past and modal ones stay."""
    assert third_person(verb) == form


@pytest.mark.parametrize(
    ("text", "retold"),
    [
        ("I'm on my own", "Ann is on their own"),
        ("I've been vegan since I moved", "Ann has been vegan since they moved"),
        ("I like it when you explain things to me", "Ann likes it when the assistant explains things to them"),
        ("our team ships weekly because we can", "Ann's team ships weekly because they can"),
        ("we have two kids", "Ann's family has two kids"),
        ("we love hiking", "Ann's family loves hiking"),
        ("we're vegetarian", "Ann's family is vegetarian"),
        ("we prefer aisle seats", "Ann's family prefers aisle seats"),
        ("we got a puppy yesterday, he is called Bruno", "Ann's family got a puppy yesterday, he is called Bruno"),
        ("we adopted two kittens", "Ann's family adopted two kittens"),
        ("we're moving to Oslo with the twins", "Ann's family is moving to Oslo with the twins"),
        ("we moved into a bigger place in Leeds", "Ann's family moved into a bigger place in Leeds"),
        ("we moved to Kubernetes", "Ann's team moved to Kubernetes"),
        ("we moved from Jenkins to GitHub Actions", "Ann's team moved from Jenkins to GitHub Actions"),
        ("we moved the database to Postgres", "Ann's team moved the database to Postgres"),
        ("we use Puppet", "Ann's team uses Puppet"),
        ("I really don't like mine", "Ann really does not like theirs"),
        ("don't tell me", "Do not tell Ann"),
        ("I'd rather walk", "Ann would rather walk"),
    ],
)
def test_the_first_mention_is_by_name(text: str, retold: str) -> None:
    """The user is named once and "they" afterwards; whoever is addressed is the assistant."""
    assert Voice("Ann").retell(text) == retold


def test_an_object_is_about_somebody_named_before() -> None:
    """In the object of a relation the user is "they" from the start."""
    assert Voice("Ann").bare("my mother's house") == "their mother's house"

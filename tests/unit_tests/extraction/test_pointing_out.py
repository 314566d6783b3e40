"""What a sentence points to stands in the memory of it, or nothing does."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction import RuleExtractor
from langchain_agentmem.extraction.books.pointing_out import points_out


def kept(text: str) -> list[str]:
    """Return what is kept of a message."""
    return [it.content for it in RuleExtractor().extract([HumanMessage(text)], user_name="Gil")]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I get migraines. I take rizatriptan for them", "Gil takes rizatriptan for migraines"),
        ("I have eczema. I use a cream for it", "Gil uses a cream for eczema"),
        ("I have diabetes. I take metformin for it twice a day", "Gil takes metformin for diabetes twice a day"),
        ("Mr Bhatt keeps bees. I'm allergic to their stings.", "Gil is allergic to bees' stings"),
        ("My sister has a dog. I walk it daily", "Gil walks the dog daily"),
        (
            "I'm training for a marathon, my goal is to run it under 4 hours",
            "Gil's goal is to run the marathon under 4 hours",
        ),
        ("My bike was stolen. I bought a new one, a Canyon.", "Gil's new bike is a Canyon"),
    ],
)
def test_the_thing_named_before_stands_for_the_word_that_points_to_it(text: str, content: str) -> None:
    """Where the words before name one thing, of that number."""
    assert kept(text)[-1] == content


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("I work from home on Mondays. Always mention that in the mail.", ["Gil works from home on Mondays"]),
        ("Please book nothing on Wednesdays. I have the children then.", []),
        ("I have a cabin in Norway. I go there every summer.", ["Gil has a cabin in Norway"]),
        ("I like jazz. I listen to it every day", ["Gil likes jazz"]),
        ("My neighbours have dogs. I'm allergic to their hair", []),
        ("I have a dog. I take pills for them", ["Gil has a dog"]),
        ("I have two kids but don't mention them", ["Gil has two kids"]),
        ("I work there on Mondays", []),
        ("I have a headache. I take paracetamol for it", []),
        ("I have a bad cold. I drink tea for it", []),
        ("My mum has friends. I like them", []),
        ("I have two kids. I love them", ["Gil has two kids"]),
    ],
)
def test_what_points_to_nothing_named_is_not_kept(text: str, contents: list[str]) -> None:
    """Half of it would be read as the whole later."""
    assert kept(text) == contents


@pytest.mark.parametrize(
    "text",
    [
        "I sold my bike and bought a new one",
        "I'm allergic to nuts and their oils",
        "I have a bike and look after it",
        "I like it hot",
        "Make it brief",
        "Always add a summary and put it at the top",
        "Do not save it in the repo",
        "I'm one of three",
        "I moved to Rome and work there on Mondays",
    ],
)
def test_what_names_it_itself_points_to_nothing_else(text: str) -> None:
    """The thing stands in the sentence, or the word is part of a phrase."""
    assert not points_out(text)

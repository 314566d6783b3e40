"""Name, age and home as on a form: "Kate, 34, from Leeds" is three facts of a user who introduces themselves by it."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from langchain_agentmem.extraction import RuleExtractor

NAME, AGE, HOME = "The user's name is Kate", "The user is 34", "The user is from Leeds"
FORM = "Kate, 34, from Leeds."


def told(text: str, asked: str = "") -> list[str]:
    """Return what a message tells, behind what the assistant asked."""
    before = [HumanMessage("hi"), AIMessage(asked)] if asked else []
    return [it.content for it in RuleExtractor().extract([*before, HumanMessage(text)], new_from=len(before))]


@pytest.mark.parametrize(
    "text",
    [
        "Kate, 34, from Leeds.",
        "Kate, 34, from Leeds",
        "Hi! Kate, 34, from Leeds.",
        "Kate, 34 years old, from Leeds",
        "Kate here, 34, from Leeds",
        "My name is Kate, 34, from Leeds",
        "I'm Kate, 34, from Leeds",
        "I am Kate, 34, from Leeds.",
        "im kate, 34, from leeds",
    ],
)
def test_who_introduces_themselves_tells_name_age_and_home(text: str) -> None:
    """Each by itself, so that each is corrected and forgotten by itself."""
    assert sorted(told(text)) == [AGE, HOME, NAME]


@pytest.mark.parametrize(
    "asked",
    [
        "Tell me about yourself.",
        "Who are you?",
        "Hello! Who am I talking to?",
        "What is your name?",
        "Noted. Who is this?",
    ],
)
def test_who_is_asked_who_they_are_answers_so(asked: str) -> None:
    """Wherever in a conversation, and without a home, too."""
    assert told(FORM, asked) == [NAME, AGE, HOME]
    assert told("Kate, 34", asked) == [NAME, AGE]


@pytest.mark.parametrize(
    "text",
    [
        "My sister: Kate, 34, from Leeds",
        "This is my sister Kate, 34, from Leeds",
        "Candidate: Kate, 34, from Leeds",
        "Summarise: Kate, 34, from Leeds",
        "Kate, 34, from Leeds. Write a bio for her.",
        "Kate, 34, from Leeds. She is a nurse.",
        "Kate, 34, from Leeds and Tom, 36, from York",
        "Kate, 34, and Tom, 36, from Leeds",
        "Kate, 34, from Leeds\nTom, 36, from York",
        "Kate, 34, from Leeds. Translate to French.",
        "Is Kate, 34, from Leeds?",
        "Kate, 34",
        "Today, 34, from Leeds",
        "Leeds, 34, from York",
        '"Kate, 34, from Leeds"',
    ],
)
def test_a_form_about_somebody_else_tells_nothing_of_the_user(text: str) -> None:
    """Behind a word for whom it is of, before more about them, and in a text that is quoted."""
    assert not {NAME, AGE, HOME, "The user is from York"} & {*told(text)}


@pytest.mark.parametrize(
    "asked", ["Who is your sister?", "Which character do you want?", "I noted your name. Who else?"]
)
def test_a_form_that_answers_another_question_is_none(asked: str) -> None:
    """It is of whom was asked for."""
    assert not {NAME, AGE, HOME} & {*told(FORM, asked)}


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I'm 34, from Leeds", [AGE, HOME]),
        ("I'm Kate, from Leeds", [NAME, HOME]),
        ("I'm Kate, 34, from Leeds, a nurse", [NAME, AGE, HOME, "The user is a nurse"]),
        ("I'm Kate, 34, from Leeds and I love tea", [NAME, AGE, HOME, "The user loves tea"]),
        ("I'm going to Berlin on the 3, from Leeds", ["The user is going to Berlin on the 3, from Leeds"]),
    ],
)
def test_where_one_is_from_stands_apart_behind_name_or_age(text: str, kept: list[str]) -> None:
    """Behind anything else it may be where a way begins."""
    assert told(text) == kept


def test_who_goes_on_about_themselves_introduces_themselves_still() -> None:
    """What they like is told beside it."""
    assert told("Kate, 34, from Leeds. I love hiking.") == [NAME, AGE, HOME, "The user loves hiking"]
    assert told("Kate, 34, from Leeds. My cat is called Rex.") == [NAME, AGE, HOME, "The user's cat is called Rex"]


def test_the_evidence_of_each_tells_nothing_of_the_others() -> None:
    """As of all that is said in one sentence."""
    found = RuleExtractor().extract([HumanMessage(FORM)])
    assert [it.provenance.evidence for it in found] == ["Kate", "34", "from Leeds"]

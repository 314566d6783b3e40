"""What a short reply says beside the question before it, and which reply says nothing; English."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from langchain_agentmem.extraction import RuleExtractor

rules = RuleExtractor()


def answer(question: str, reply: str) -> list[str]:
    messages = [HumanMessage("Hi"), AIMessage(question), HumanMessage(reply)]
    return [it.content for it in rules.extract(messages, new_from=2)]


@pytest.mark.parametrize(
    ("question", "reply", "content"),
    [
        ("Where do you live?", "Oslo", "The user is living in Oslo"),
        ("Where do you live?", "In Oslo.", "The user is living in Oslo"),
        ("Where do you live?", "Near Leeds.", "The user is living near Leeds"),
        ("Where do you work?", "At Acme.", "The user is working at Acme"),
        ("Where are you from?", "From Ghana.", "The user is from Ghana"),
        ("When is your birthday?", "On May 4.", "The user's birthday is May 4"),
        ("How old are you?", "thirty-two", "The user is thirty-two"),
        ("How old are you?", "42 years old", "The user is 42 years old"),
        ("What's your favourite colour?", "Blue", "The user's favourite colour is Blue"),
        ("Are you vegetarian?", "Yes", "The user is vegetarian"),
        ("Do you have kids?", "No", "The user does not have kids"),
        ("Do you have any allergies?", "No", "The user does not have any allergies"),
        ("What's your name?", "Rob Stone.", "The user's name is Rob Stone"),
        ("What is your wife's name?", "Carla", "The user's wife's name is Carla"),
        ("What do you do for a living?", "As a nurse.", "The user works as a nurse"),
        ("Which company do you work for?", "For Siemens", "The user works for Siemens"),
    ],
)
def test_an_answer_is_told_in_a_sentence(question: str, reply: str, content: str) -> None:
    """With one preposition, whichever of the two has it."""
    assert answer(question, reply) == [content]


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("Where do you live?", "Nowhere special."),
        ("Where do you live?", "Same as before."),
        ("Where do you work?", "Nowhere, I'm retired."),
        ("How old are you?", "Too old."),
        ("Are you allergic to anything?", "Yes"),
        ("Do you drink tea or coffee?", "Yes"),
        ("What's your name?", "Guess!"),
        ("What's your name?", "Ha ha."),
        ("What's your name?", "Same as my father's."),
        ("What is your wife's name?", "Ex-wife. Carla."),
        ("What is your wife's name?", "Anna, why?"),
    ],
)
def test_who_evades_answers_nothing(question: str, reply: str) -> None:
    """An age, a name or a place is one, or the reply is none."""
    assert answer(question, reply) == []


@pytest.mark.parametrize(
    "text", ["I'm Autistic.", "I'm Fine.", "I'm Gemini.", "This is Great!", "This is Berlin.", "I'm Bi."]
)
def test_a_word_in_capitals_is_no_name(text: str) -> None:
    """However it is written, it says how somebody is, or where."""
    assert [it for it in rules.extract([HumanMessage(text)]) if it.relation == "name"] == []


@pytest.mark.parametrize("text", ["I'm Rob.", "I'm Eric.", "I'm Grant.", "This is Dominic.", "I'm Anna Stone."])
def test_a_name_is_one(text: str) -> None:
    """Though it may look like a word."""
    assert [it.relation for it in rules.extract([HumanMessage(text)])] == ["name"]


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("My name is Rob.", "name"),
        ("My first name is Rob.", "name"),
        ("My surname is Stone.", "surname"),
        ("My last name is Stone.", "surname"),
        ("My nickname is Bo.", "nickname"),
    ],
)
def test_each_name_is_one_of_its_sort(text: str, relation: str) -> None:
    """A nickname takes no name's place."""
    assert [it.relation for it in rules.extract([HumanMessage(text)])] == [relation]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("My youngest son is 2.", "The user's youngest son is 2"),
        ("My younger sister lives in Oslo.", "The user's younger sister lives in Oslo"),
        ("My dear sister lives in Oslo.", "The user's sister lives in Oslo"),
    ],
)
def test_who_is_one_of_several_is_told_apart(text: str, content: str) -> None:
    """By the word that tells which one it is."""
    assert [it.content for it in rules.extract([HumanMessage(text)])] == [content]


def test_a_yes_is_told_with_its_question() -> None:
    """By itself it is evidence of nothing."""
    messages = [HumanMessage("Hi"), AIMessage("Are you vegetarian?", id="q"), HumanMessage("Yes", id="a")]
    (found,) = rules.extract(messages, new_from=2)
    assert (found.provenance.evidence, found.provenance.message_ids) == ("Are you vegetarian? \u2026 Yes", ("q", "a"))

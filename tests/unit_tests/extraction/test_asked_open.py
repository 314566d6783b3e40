"""A few words answer what was asked, in the form that it was asked for; evasions and jokes answer nothing; English."""

from __future__ import annotations

import time

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from langchain_agentmem.english.endings.endings import PASSING
from langchain_agentmem.extraction import RuleExtractor

rules = RuleExtractor()


def answer(question: str, reply: str, first: str = "Hi") -> list[str]:
    messages = [HumanMessage(first), AIMessage(question), HumanMessage(reply)]
    return [it.content for it in rules.extract(messages, new_from=2) if PASSING not in it.tags]


@pytest.mark.parametrize(
    ("question", "reply", "content"),
    [
        ("Do you have any allergies?", "peanuts", "The user is allergic to peanuts"),
        ("Do you have any allergies?", "just penicillin", "The user is allergic to penicillin"),
        ("Are you allergic to anything?", "Peanuts", "The user is allergic to Peanuts"),
        ("Do you have any pets?", "two cats", "The user has two cats"),
        ("Do you have any pets?", "a cat, Miso", "The user has a cat called Miso"),
        ("Do you have kids?", "yes two, emma and noah", "The user has two kids"),
        ("Do you have children?", "two boys", "The user has two boys"),
        ("Are you married?", "yes, to Anna", "The user is married to Anna"),
        ("Are you married?", "nope, divorced", "The user is divorced"),
        ("Are you a vegetarian?", "no, vegan", "The user is vegan"),
        ("Do you eat meat?", "only chicken", "The user only eats chicken"),
        ("Do you work?", "yes at tesco", "The user works at tesco"),
        ("Which medication do you take?", "ramipril 5mg", "The user takes ramipril 5mg"),
        ("Do you take any medication?", "metformin and ramipril", "The user takes metformin and ramipril"),
        ("Do you have any dietary restrictions?", "no pork", "The user does not eat pork"),
        ("Any foods you dislike?", "mushrooms", "The user dislikes mushrooms"),
        ("What do you study?", "architecture", "The user studies architecture"),
        ("Where do you live?", "with my parents", "The user is living with their parents"),
        ("Where do you live?", "still in leeds", "The user is living in leeds"),
        ("What's your favourite colour?", "its blue", "The user's favourite colour is blue"),
        ("What's your name?", "its kate", "The user's name is Kate"),
        ("What's your name?", "Kate, nice to meet you", "The user's name is Kate"),
        ("What should I call you?", "just Dee", "The user's name is Dee"),
        ("What should I call you?", "Dee is fine", "The user's name is Dee"),
        ("What's your son's name?", "noah", "The user's son's name is Noah"),
        ("And your wife's name?", "Anna", "The user's wife's name is Anna"),
        ("How old is your son?", "6", "The user's son is 6"),
        ("What is your job?", "im a nurse", "The user is a nurse"),
        ("Should I use metric or imperial?", "metric pls", "Please always use metric units"),
        ("Should I use Celsius or Fahrenheit?", "celsius always", "Please always use Celsius"),
        ("Do you prefer short or long answers?", "short", "Please keep the assistant's answers short"),
        ("Which language should I answer in?", "german pls", "Please always answer in German"),
        ("So you live in London, right?", "yep", "The user lives in London"),
        ("So you live in London, right?", "no, leeds", "The user lives in leeds"),
    ],
)
def test_a_few_words_answer_what_was_asked(question: str, reply: str, content: str) -> None:
    """Law: what was asked for is told as a sentence, and once."""
    assert answer(question, reply) == [content]


def test_several_things_are_told_apart() -> None:
    """Law: two allergies are two memories."""
    both = ["The user is allergic to nuts", "The user is allergic to shellfish"]
    assert answer("Do you have any allergies?", "Yes, nuts and shellfish.") == both
    assert answer("Do you have any allergies?", "yeah nuts and shellfish") == both


def test_a_name_is_of_whom_the_user_spoke() -> None:
    """Law: "his name" is that of the one being the user had just told of, and nobody's where there are two, or none."""
    assert answer("What's his name?", "biscuit", "I have a dog") == ["The user's dog is called Biscuit"]
    assert answer("What's his name?", "biscuit", "I have a dog and a cat") == []
    assert answer("What's his name?", "biscuit") == []


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("Do you have any allergies?", "mondays lol"),
        ("Do you have any allergies?", "none that I know of"),
        ("Do you have any allergies?", "lots"),
        ("Do you have any allergies?", "can you help me first"),
        ("Do you have any allergies?", "maybe nuts"),
        ("Do you have any allergies?", "skip"),
        ("Are you allergic to anything?", "stupidity haha"),
        ("Do you have any pets?", "one day"),
        ("Do you have any pets?", "a lot"),
        ("Are you married?", "yes to the job"),
        ("Are you married?", "no, thanks"),
        ("Do you work?", "yes in a way"),
        ("Do you eat meat?", "only sometimes"),
        ("Do you drink coffee?", "only on weekends"),
        ("Do you have any dietary restrictions?", "no thanks"),
        ("Do you take any medication?", "sometimes"),
        ("Where do you live?", "far away from here"),
        ("Where do you live?", "with difficulty"),
        ("Where do you work?", "with idiots"),
        ("What's your job?", "boring"),
        ("What's your job?", "used to be a nurse"),
        ("What's your favourite colour?", "dont have one"),
        ("What's your favourite colour?", "blue i guess"),
        ("What's your name?", "tired"),
        ("What's your name?", "not telling"),
        ("What should I call you?", "just kidding"),
        ("So you live in London, right?", "no, why"),
        ("So you live in London, right?", "no, not really"),
        ("Should I use metric or imperial?", "both"),
        ("Is this text metric or imperial?", "metric"),
        ("Is the article short or long?", "short"),
        ("Which language is this?", "german"),
        ("Do you prefer short or long answers?", "depends"),
        ("How old is your son?", "old enough"),
    ],
)
def test_what_is_no_answer_of_that_form_tells_nothing(question: str, reply: str) -> None:
    """Law: never is nonsense put in the place of an answer."""
    assert answer(question, reply) == []


def test_the_evidence_of_an_answer_is_the_users_own_words() -> None:
    """Law: what was read with an apostrophe is quoted without it."""
    messages = [AIMessage("What's your favourite colour?"), HumanMessage("its blue")]
    [found] = rules.extract(messages, new_from=1)
    assert found.provenance.evidence == "its blue"


@pytest.mark.parametrize("unit", [",", " ", "\n", "a ", "nuts and ", "it's ", "please "])
def test_long_replies_are_read_in_linear_time(unit: str) -> None:
    """Law: a pasted reply takes no time that grows faster than it."""
    began = time.process_time()
    answer("Do you have any allergies?", unit * 1_000)
    assert time.process_time() - began < 1

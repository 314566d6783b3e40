"""What is typed in haste, passed on from a doctor, said behind a question or asked to be remembered is told as well."""

from __future__ import annotations

import time

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction import RuleExtractor

rules = RuleExtractor()


def told(text: str) -> list[str]:
    return [it.content for it in rules.extract([HumanMessage(text)])]


@pytest.mark.parametrize("text", ["im kate", "i'm kate", "hi im kate", "I'm Kate", "my name is kate", "Im kate btw"])
def test_a_name_in_lower_case_is_a_name(text: str) -> None:
    """Law: who introduces themselves by a given name is called so, whatever the case."""
    [found] = rules.extract([HumanMessage(text)])
    assert (found.relation, found.object, found.content) == ("name", "Kate", "The user's name is Kate")


@pytest.mark.parametrize("text", ["im will be late", "im hungry", "im dan's wife", "im frank", "im sandy", "im hope"])
def test_what_may_tell_something_of_oneself_is_no_name(text: str) -> None:
    """Law: without a capital, only what can be nothing but a name there is one."""
    assert [it for it in rules.extract([HumanMessage(text)]) if it.relation == "name"] == []


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("Dont call me margaret call me peggy", ["Do not call the user Margaret", "The user's name is Peggy"]),
        ("dont call me margaret, call me peggy", ["Do not call the user Margaret", "The user's name is Peggy"]),
        ("never call me Katherine call me kate please", ["Never call the user Katherine", "The user's name is Kate"]),
        ("don't call me honey call me back", ["Do not call the user honey"]),
        ("call me later kate", []),
    ],
)
def test_one_name_for_another_is_two_orders(text: str, contents: list[str]) -> None:
    """Law: what somebody is to be called is told from what they are not, with a comma or without."""
    assert told(text) == contents


@pytest.mark.parametrize("text", ["im will", "im mark", "i'm rose, 34", "my name is grace"])
def test_a_word_that_can_only_name_there_is_a_name(text: str) -> None:
    """Law: nobody is "will" or "rose" but by name, where nothing else is said."""
    assert "name" in {it.relation for it in rules.extract([HumanMessage(text)])}


def test_a_name_and_what_everyone_says_are_two() -> None:
    """Law: "I'm Deshawn but everyone calls me Dee" tells a name, and what somebody is called."""
    assert told("I'm Deshawn but everyone calls me Dee") == ["The user's name is Deshawn", "The user's name is Dee"]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("they told me i have adhd", "The user has adhd"),
        ("my doctor says i have high blood pressure", "The user has high blood pressure"),
        ("My doctor says I'm lactose intolerant", "The user is lactose intolerant"),
        ("any ideas for dinner, I'm vegan", "The user is vegan"),
        ("What should I cook, I'm allergic to nuts?", "The user is allergic to nuts"),
        ("can you remember that my locker code is 4471", "The user's locker code is 4471"),
        ("pls remember that i hate mondays", "The user hates mondays"),
        ("Dont forget im vegan", "The user is vegan"),
        ("please dont forget that im allergic to nuts", "The user is allergic to nuts"),
        ("my wifes allergic to shellfish", "The user's wife is allergic to shellfish"),
    ],
)
def test_what_stands_before_a_statement_takes_nothing_from_it(text: str, content: str) -> None:
    """Law: a diagnosis is the speaker's own, and so is what stands behind a question, or is asked to be remembered."""
    assert told(text) == [content]


@pytest.mark.parametrize(
    "text",
    [
        "they told me my friend has adhd",
        "they told me i have bad taste",
        "my doctor says i have to wait",
        "my boss says I'm lazy",
        "my friend says I have ADHD",
        "how do I say, I'm allergic to nuts in Italian?",
        "what should I answer, I'm vegan or I'm not hungry?",
        "can you remember that time we met",
        "can you remember that my name is Al?",
        "can you remember my sister's birthday party",
        "do you remember that I live in York?",
    ],
)
def test_what_looks_like_it_and_tells_nothing_of_the_speaker(text: str) -> None:
    """Law: hearsay, words to be translated and questions about memory tell nothing."""
    assert told(text) == []


@pytest.mark.parametrize("unit", ["any ideas ", "they told me ", "can you remember ", "i'm ", ",", " ", "a"])
def test_long_runs_are_read_in_linear_time(unit: str) -> None:
    """Law: a pasted run of the words that begin such sentences takes no time that grows faster than it."""
    began = time.process_time()
    told(unit * 600)
    assert time.process_time() - began < 1

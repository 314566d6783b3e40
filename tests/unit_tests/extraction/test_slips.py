"""A slip is put right in a word, in the next line; what only looks like one changes nothing."""

from __future__ import annotations

import time

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from langchain_agentmem.extraction import RuleExtractor
from langchain_agentmem.types import Candidate

rules = RuleExtractor()


def told(before: str, said: str, reply: str = "Okay.") -> list[Candidate]:
    messages = [HumanMessage(before), AIMessage(reply), HumanMessage(said)]
    return rules.extract(messages, new_from=2)


@pytest.mark.parametrize(
    ("before", "said", "content", "wrong"),
    [
        ("I'm allergic to nuts", "no i meant peanuts", "is allergic to peanuts", "is allergic to nuts"),
        ("I live in York", "*Cork", "lives in Cork", "lives in York"),
        ("I was born in 1990", "*1991", "was born in 1991", "was born in 1990"),
        ("I have two kids", "three actually", "has three kids", "has two kids"),
        ("I'm 34", "oops 35", "is 35", "is 34"),
        ("I work at a cafe", "no not a cafe, i meant a bakery", "works at a bakery", "works at a cafe"),
        (
            "I got a part time job at a cafe",
            "no not a cafe, i meant a bakery",
            "got a part time job at a bakery",
            "got a part time job at a cafe",
        ),
    ],
)
def test_a_slip_is_put_right(before: str, said: str, content: str, wrong: str) -> None:
    """Law: what is right takes the place of what was wrong, and of nothing beside it."""
    [found] = told(before, said)
    assert (found.content, found.corrects) == (f"The user {content}", f"The user {wrong}")


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("I'm allergic to nuts", "*important*"),
        ("I'm allergic to nuts", "* milk\n* eggs"),
        ("I have two kids and three cats", "four actually"),
        ("I like tea", "*lol"),
        ("I'm vegan", "*hugs*"),
        ("I work at Acme", "*yawns*"),
        ("I like tea with milk", "no i meant lemon"),
        ("I like tea with milk", "no, i meant coffee"),
    ],
)
def test_what_looks_like_a_slip_changes_nothing(before: str, said: str) -> None:
    """Law: where nothing tells for what a word stands, nothing is put in its place."""
    assert told(before, said) == []


def test_a_number_answers_what_was_asked() -> None:
    """Law: behind a question about something else, "three actually" is the answer to it."""
    assert told("I have two kids", "three actually", "Nice! How many pets?") == []
    assert told("I'm 34", "35 actually", "Happy birthday! How old is she?") == []


@pytest.mark.parametrize("unit", ["*", "a ", "not a, ", "I meant ", "1 ", "oops "])
def test_long_runs_are_read_in_linear_time(unit: str) -> None:
    """Law: a pasted run of the words of slips takes no time that grows faster than it."""
    began = time.process_time()
    told("I live in York", unit * 400)
    assert time.process_time() - began < 1

"""Whose fact an answer gives: what somebody else does bears out no claim about the user."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.evaluation import RuleEvaluator
from langchain_agentmem.types import Memory

SCOPE = Scope("u1", session_id="s1")
RULES = RuleEvaluator()

OF_ANOTHER = [
    ("My sister works at Globex.", "You work at Globex."),
    ("My manager lives in Leeds.", "You live in Leeds."),
    ("My son is allergic to milk.", "You are allergic to milk."),
    ("My sister Nora works at Acme.", "You work at Acme."),
    ("My brother works as a pilot.", "You work as a pilot."),
]
OF_SAME = [
    ("I work at Acme.", "You work at Acme."),
    ("We live in Rome.", "You live in Rome."),
    ("My wife and I live in Rome.", "You live in Rome."),
    ("My wife works at Acme and I work at Globex.", "You work at Globex."),
    ("My dog's name is Rex.", "Your dog is called Rex."),
    ("My son is allergic to milk. I am allergic to milk.", "You are allergic to milk."),
]
REPEATED = [
    ("My sister works at Globex.", "Your sister works at Globex."),
    ("My sister Nora works at Acme.", "Nora works at Acme."),
    ("My manager lives in Leeds.", "She lives in Leeds."),
]


def known(*texts: str) -> list[Memory]:
    """Return what is remembered of what a user says."""
    memory = AgentMemory.in_memory(embeddings=None, consent="assumed")
    for text in texts:
        memory.background.ingest([HumanMessage(text)], scope=SCOPE)
        memory.jobs.run()
    return list(memory.long_term.list(scope=SCOPE))


@pytest.mark.parametrize(("said", "answer"), OF_ANOTHER)
def test_what_is_told_of_another_supports_no_claim_about_the_user(said: str, answer: str) -> None:
    """The claim is unsupported, and the memory that it takes for the user's counts as not used."""
    found = RULES.evaluate([HumanMessage("Tell me about me"), AIMessage(answer)], recalled=known(said))
    assert (found.supported, found.used) == (False, ())


@pytest.mark.parametrize(("said", "answer"), OF_SAME)
def test_what_is_told_of_the_user_supports_the_claim(said: str, answer: str) -> None:
    """Whoever else is spoken of, what holds for the user may be said."""
    found = RULES.evaluate([HumanMessage("Tell me about me"), AIMessage(answer)], recalled=known(said))
    assert found.supported is True
    assert found.used


@pytest.mark.parametrize(("said", "answer"), REPEATED)
def test_an_answer_about_another_uses_what_is_told_of_them(said: str, answer: str) -> None:
    """A memory about somebody is used where the answer speaks of them."""
    found = RULES.evaluate([HumanMessage("Tell me about them"), AIMessage(answer)], recalled=known(said))
    assert found.supported is not False
    assert found.used


def test_a_protest_against_a_mix_up_contradicts_no_true_memory() -> None:
    """Who does not live where the manager does has denied nothing about the manager."""
    turns = [
        HumanMessage("Where do I live?"),
        AIMessage("You live in Leeds."),
        HumanMessage("No, I don't."),
        AIMessage("Sorry."),
    ]
    recalled = known("I live in Rome.", "My manager lives in Leeds.")
    assert len(recalled) == len(("home", "manager"))
    assert RULES.evaluate(turns, recalled=recalled, new_from=2).contradicted == ()

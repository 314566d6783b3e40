"""Whom a statement is about: what is said of somebody the user has replaces nothing that is said of the user."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Candidate, Scope, UserProfile


class Person(UserProfile):
    """A profile with a place of residence."""

    city: str = ""


SCOPE = Scope("u1", session_id="s1")

BOTH_STAND = [
    ("I live in Rome.", "My manager lives in Leeds."),
    ("My manager lives in Leeds.", "I live in Rome."),
    ("I work at Acme.", "My sister works at Globex."),
    ("My sister works at Globex.", "I work at Acme."),
    ("I work as a nurse.", "My brother works as a pilot."),
    ("My brother works as a pilot.", "I work as a nurse."),
    ("My mother lives in Rome.", "My father lives in Leeds."),
    ("My father lives in Leeds.", "My friend lives in Oslo."),
    ("My friend lives in Oslo.", "My mother lives in Rome."),
    ("My mother works at Acme.", "My father works at Globex."),
    ("My sister works as a nurse.", "My brother works as a pilot."),
    ("My wife works at Acme.", "My daughter works at Globex."),
    ("My boss lives in Rome.", "My landlord lives in Leeds."),
    ("My friend Nora lives in Rome.", "My friend Tom lives in Leeds."),
    ("I live in Rome.", "My sister Nora lives in Leeds."),
    ("I live in Rome.", "Actually, my manager lives in Leeds."),
    ("My manager lives in Leeds.", "Actually, I live in Bradford."),
    ("My manager lives in Leeds.", "I don't live in Leeds, I live in Bradford."),
    ("I was born in Rome.", "My wife was born in Leeds."),
    ("My sister is allergic to nuts.", "I am not allergic to nuts."),
]
SUPERSEDED = [
    ("I live in Rome.", "I live in Leeds."),
    ("I work at Acme.", "I work at Globex."),
    ("I work as a nurse.", "I work as a pilot."),
    ("My manager lives in Rome.", "My manager lives in Leeds."),
    ("My mom lives in Rome.", "My mother lives in Leeds."),
    ("My sister works at Acme.", "My sister works at Globex."),
    ("My brother works as a nurse.", "My brother works as a pilot."),
    ("My mother lives in Rome.", "My mother moved to Leeds."),
    ("My sister Nora lives in Rome.", "My sister Nora lives in Leeds."),
    ("My manager lives in Rome.", "Actually, my manager lives in Leeds."),
    ("My manager lives in Rome.", "My manager now lives in Leeds."),
]
GIVEN_BOTH = [
    ("user", "the user's manager"),
    ("the user's manager", "user"),
    ("the user's mother", "the user's father"),
    ("my sister", "I"),
    ("the user's friend Nora", "the user's friend Tom"),
    ("the user's manager", "the user's manager's sister"),
    ("his manager", "her manager"),
    ("he", "his manager"),
    ("my sister", "Nora's sister"),
    ("we", "our landlord"),
]
GIVEN_ONE = [
    ("user", "I"),
    ("the user's manager", "my manager"),
    ("My manager", "The user's manager"),
    ("the user\u2019s manager", "the user's manager"),
    ("Nora", "nora"),
    ("his manager", "His manager"),
]


def said(memory: AgentMemory, *texts: str) -> list[str]:
    """Return what is remembered of what a user says, turn by turn."""
    for text in texts:
        memory.background.ingest([HumanMessage(text)], scope=SCOPE)
        memory.jobs.run()
    return [it.content for it in memory.long_term.list(scope=SCOPE)]


def lives(subject: str, place: str) -> Candidate:
    """Return that somebody lives somewhere."""
    return Candidate(
        kind="fact", content=f"{subject} lives in {place}", subject=subject, relation="lives_in", object=place
    )


@pytest.fixture
def memory() -> AgentMemory:
    """A memory without a model, as it comes."""
    return AgentMemory.in_memory(embeddings=None, consent="assumed")


@pytest.mark.parametrize(("first", "second"), BOTH_STAND)
def test_what_is_said_of_two_people_stands(memory: AgentMemory, first: str, second: str) -> None:
    """A remark about somebody takes nothing from what is known of somebody else."""
    alone = said(memory, first)
    assert alone
    assert set(alone) < set(said(memory, second))


@pytest.mark.parametrize(("first", "second"), SUPERSEDED)
def test_what_is_said_of_one_person_is_replaced(memory: AgentMemory, first: str, second: str) -> None:
    """What can be so only once gives way to what is said of the same person later."""
    alone = said(memory, first)
    assert alone
    assert not set(alone) <= set(said(memory, second))


@pytest.mark.parametrize(("first", "second"), GIVEN_BOTH)
def test_two_given_subjects_are_two_people(memory: AgentMemory, first: str, second: str) -> None:
    """Candidates about different people stand side by side, however alike their subjects are written."""
    for candidate in (lives(first, "Rome"), lives(second, "Leeds")):
        memory.long_term.remember(candidate, scope=SCOPE)
    assert {it.object for it in memory.long_term.list(scope=SCOPE)} == {"Rome", "Leeds"}


@pytest.mark.parametrize(("first", "second"), GIVEN_ONE)
def test_two_spellings_of_a_subject_are_one_person(memory: AgentMemory, first: str, second: str) -> None:
    """Of one person in two spellings, the later home is the only one."""
    for candidate in (lives(first, "Rome"), lives(second, "Leeds")):
        memory.long_term.remember(candidate, scope=SCOPE)
    assert [it.object for it in memory.long_term.list(scope=SCOPE)] == ["Leeds"]


def test_a_field_that_was_set_outlives_what_is_said_of_another(memory: AgentMemory) -> None:
    """What an application set in a profile is not lost to a remark about somebody else."""
    profiles = memory.profiles.as_(Person)
    profiles.set("city", "Rome", scope=SCOPE)
    said(memory, "My manager lives in Leeds.")
    assert profiles.get(scope=SCOPE).city == "Rome"


@pytest.mark.parametrize("correction", ["Sorry, I meant Bradford, not Leeds.", "No, not Leeds, Bradford."])
def test_a_correction_that_names_nobody_is_of_who_was_spoken_of(memory: AgentMemory, correction: str) -> None:
    """A correction in two names puts right what was said of somebody the user has, in the same conversation."""
    said(memory, "My manager lives in Leeds.")
    memory.background.ingest([HumanMessage("My manager lives in Leeds."), HumanMessage(correction)], scope=SCOPE)
    memory.jobs.run()
    assert [it.content for it in memory.long_term.list(scope=SCOPE)] == ["The user's manager lives in Bradford"]

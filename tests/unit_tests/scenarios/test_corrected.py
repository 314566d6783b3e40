"""What users correct: the statement that is meant changes, and no true fact is lost to words that may mean another."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Scope

BEN = Scope("ben", session_id="s")

IN_ONE_THREAD = [
    (["I like tea and I live in Rome", "Sorry, I meant coffee."], ["The user likes tea", "The user lives in Rome"]),
    (["I live in Paris.", "No, I meant I live in Lyon."], ["The user lives in Lyon"]),
    (["I live in Rome.", "Sorry, I mean I like pizza."], ["The user likes pizza", "The user lives in Rome"]),
    (["I live in Rome.", "Sorry, I meant Milan."], ["The user lives in Milan"]),
    (["I live in Rome.", "What is on in Paris?", "Sorry, I meant Milan."], ["The user lives in Rome"]),
    (["I like tea. I live in Paris.", "Lyon, not Paris."], ["The user likes tea", "The user lives in Lyon"]),
    (
        ["My sister is called Anna", "Oops, her name is Hannah, not Anna"],
        ["The user's sister is called Hannah"],
    ),
]
IN_A_NEW_ONE = [
    ("I live in Paris.", "No wait, I meant I live in Lyon, not Paris", ["The user lives in Lyon, not Paris"]),
    ("I live in Paris.", "Correction: Lyon, not Paris.", ["The user lives in Paris"]),
    ("My sister is called Anna", "Oops, her name is Hannah, not Anna", ["The user's sister is called Anna"]),
]


@pytest.fixture
def memory() -> AgentMemory:
    """A memory without a model, as it comes."""
    return AgentMemory.in_memory(embeddings=None, consent="assumed")


def hear(memory: AgentMemory, *turns: str) -> list[str]:
    """Remember what each turn of a thread says, beside those before it, and return what is in force then."""
    messages = [HumanMessage(it) for it in turns]
    for number in range(len(messages)):
        for candidate in memory.extractor.extract(messages[: number + 1], new_from=number):
            memory.long_term.remember(candidate, scope=BEN)
    return sorted(it.content for it in memory.long_term.list(scope=BEN))


@pytest.mark.parametrize(("turns", "kept"), IN_ONE_THREAD)
def test_a_correction_changes_what_was_meant_and_ends_nothing_else(
    memory: AgentMemory, turns: list[str], kept: list[str]
) -> None:
    """Where it is plain what was wrong, that changes; where it is not, what was known stands."""
    assert hear(memory, *turns) == sorted(kept)


@pytest.mark.parametrize(("before", "correction", "kept"), IN_A_NEW_ONE)
def test_in_a_new_thread_only_a_whole_sentence_corrects(
    memory: AgentMemory, before: str, correction: str, kept: list[str]
) -> None:
    """Two values say nothing without the statement that they stand in, and so they end nothing."""
    hear(memory, before)
    assert hear(memory, correction) == kept


@pytest.mark.parametrize(
    ("turns", "kept"),
    [
        (["My name is Bob.", "My name isn't Bob, it's Rob."], ["The user's name is Rob"]),
        (["I have two children.", "Sorry, I meant three."], ["The user has three children"]),
        (["I have two children.", "Sorry, I meant three children."], ["The user has three children"]),
        (["My yoga class is on Tuesday.", "Sorry, I meant Wednesday."], ["The user's yoga class is on Wednesday"]),
        (["I was born in 1998, sorry, I meant 1989"], ["The user was born in 1989"]),
        (["I live in Bonn, sorry, I mean Berlin"], ["The user lives in Berlin"]),
    ],
)
def test_a_value_alone_stands_for_the_one_of_its_sort(memory: AgentMemory, turns: list[str], kept: list[str]) -> None:
    """A number for a number and a day for a day, in the next turn or the same sentence."""
    assert hear(memory, *turns) == kept


@pytest.mark.parametrize(
    ("turns", "kept"),
    [
        (
            ["I have two children and three dogs.", "Sorry, I meant four."],
            ["The user has three dogs", "The user has two children"],
        ),
        (["I have two children.", "Sorry, I meant Wednesday."], ["The user has two children"]),
        (["I live in Rome.", "Sorry, I meant three."], ["The user lives in Rome"]),
    ],
)
def test_a_value_of_another_sort_or_of_several_changes_nothing(
    memory: AgentMemory, turns: list[str], kept: list[str]
) -> None:
    """Nobody knows which of two numbers was wrong, and no day stands for a number."""
    assert hear(memory, *turns) == kept

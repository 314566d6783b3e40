"""A request that names a thing takes what is told of the user and it, and leaves what others have to do with it."""

from __future__ import annotations

import pytest

from langchain_agentmem import AgentMemory, Scope
from tests.unit_tests.faces.either import Make
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)

ALICE = Scope("alice")
OWN, OTHERS = "I use Java.", "My colleague Jack uses Java."
DOG, DOGS = "I have a dog called Rex.", "I like dogs."
FACTS = {
    OWN: "The user uses Java",
    OTHERS: "Jack uses Java",
    DOG: "The user has a dog called Rex",
    DOGS: "The user likes dogs",
}


@pytest.mark.parametrize(
    ("said", "words", "left"),
    [
        ([OWN, OTHERS], "Forget Java.", [OTHERS]),
        ([OWN, OTHERS], "Forget everything about Java.", []),
        ([OWN, OTHERS], "Forget all you know about Java.", []),
        ([OTHERS], "Forget Java.", []),
        ([OWN, OTHERS], "Forget Jack.", [OWN]),
        ([DOG, DOGS], "Forget my dog.", [DOGS]),
        ([DOG, DOGS], "Forget everything about dogs.", []),
        ([DOG, DOGS], "Forget that I like dogs.", [DOG]),
    ],
)
async def test_what_is_told_of_others_or_of_all_stays(
    memory: AgentMemory, make: Make, said: list[str], words: str, left: list[str]
) -> None:
    """Unless everything about it is to go, or nothing else is there."""
    agent = make(["Fine."] * (len(said) + 1))
    for text in said:
        await agent.say(text)
    await agent.say(words)
    turns = [it.text for it in memory.episodes.list(scope=ALICE)]
    assert [it for it in said if it in turns] == left
    kept = {it.content for it in memory.long_term.list(scope=ALICE)}
    assert [it for it in said if FACTS[it] in kept] == left

"""What a memory says of others than whom the user asked to forget holds on, and nothing that was over comes back."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage
from langgraph.prebuilt import ToolNode
from langgraph.runtime import Runtime

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.tools import create_manage_memory_tool
from tests.conftest import Call
from tests.unit_tests.faces.either import Make
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.scripted import call as called

ALICE = Scope("alice")
DOGS = "I have two dogs, Rex and Bella."
LEEDS = "I live in Leeds with my wife Clara."


@pytest.mark.parametrize(
    ("said", "words", "left"),
    [
        ([DOGS], "Forget Bella.", ["The user has a dog called Rex"]),
        ([DOGS, "Rex died."], "Forget Bella.", ["Rex died"]),
        ([DOGS, "Rex died."], "Forget what I just said.", ["The user has a dog called Bella"]),
        ([LEEDS], "Forget Clara.", ["The user lives in Leeds"]),
        ([LEEDS, "I moved to York."], "Forget Clara.", ["The user moved to York"]),
        ([LEEDS, "I moved to York."], "Forget my wife.", ["The user moved to York"]),
    ],
)
async def test_forgetting_a_part_brings_nothing_back_that_was_over(
    memory: AgentMemory, make: Make, said: list[str], words: str, left: list[str]
) -> None:
    """A dog that died, and the town that one moved from, are told of in memories that were replaced."""
    agent = make(["Fine."] * (len(said) + 1))
    for it in [*said, words]:
        await agent.say(it)
    assert sorted(it.content for it in memory.long_term.list(scope=ALICE)) == left


@pytest.mark.parametrize(
    ("words", "left"), [("Forget Rex.", ["The user has a dog called Bella"]), ("Forget my dogs.", [])]
)
async def test_a_tool_that_deletes_leaves_what_was_not_asked_for(
    memory: AgentMemory, call: Call, words: str, left: list[str]
) -> None:
    """As a request in words does, whatever a model takes for the memory that is meant."""
    [told] = memory.extractor.extract([HumanMessage(DOGS)], new_from=0)
    whole = memory.long_term.remember(told, scope=ALICE).require()
    asked = called("manage_memory", action="delete", id=whole.id, evidence=words)
    node = ToolNode([create_manage_memory_tool(memory, ALICE)])
    config = {"configurable": {"__pregel_runtime": Runtime()}}  # outside of a graph
    await call(node, "invoke", {"messages": [HumanMessage(words), asked]}, config)
    assert [it.content for it in memory.long_term.list(scope=ALICE)] == left

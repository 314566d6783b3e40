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
    node = ToolNode([create_manage_memory_tool(memory, scope=ALICE)])
    config = {"configurable": {"__pregel_runtime": Runtime()}}  # outside of a graph
    await call(node, "invoke", {"messages": [HumanMessage(words), asked]}, config)
    assert [it.content for it in memory.long_term.list(scope=ALICE)] == left


async def test_what_is_left_is_kept_however_much_a_conversation_wrote(memory: AgentMemory, make: Make) -> None:
    """The bound of a session is on what is new: to forget one dog costs nobody the other one."""
    said = [DOGS, *(f"I own a {it}." for it in "boat car house piano guitar drum tent kayak canoe".split())]
    agent = make(["Fine."] * (len(said) + 1))
    for it in [*said, "Forget Rex."]:
        await agent.say(it)
    kept = {it.content for it in memory.long_term.list(scope=ALICE, limit=50)}
    assert "The user has a dog called Bella" in kept
    assert not any("Rex" in it for it in kept)


async def test_what_is_left_comes_with_the_end_of_the_whole(memory: AgentMemory, make: Make) -> None:
    """In one transaction: nobody who reads meanwhile finds neither, and its reason names the memory it was part of."""
    agent = make(["Fine."] * 2)
    await agent.say(DOGS)
    [whole] = memory.long_term.list(scope=ALICE)
    await agent.say("Forget Rex.")
    [left] = memory.long_term.list(scope=ALICE)
    events = [it for it in memory.timeline.events(scope=ALICE) if it.memory_id in {whole.id, left.id}]
    ended, begun = (
        next(it.seq for it in events if it.memory_id == id_ and it.type == type_)
        for id_, type_ in ((whole.id, "forgotten"), (left.id, "remembered"))
    )
    assert begun == ended + 1
    assert any(whole.id in it for it in memory.long_term.why(left.id, scope=ALICE).reasons)

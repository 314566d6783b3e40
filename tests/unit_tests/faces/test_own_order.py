"""Nodes of a graph of one's own note what they did, and the last one sees to the rest, whichever are there."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from langchain_agentmem import AgentMemory
from langchain_agentmem.nodes import (
    DetectIntent,
    Evaluate,
    Forget,
    MemoryState,
    NodeSettings,
    Queue,
    Reason,
    Retrieve,
    Update,
    Write,
)
from langchain_agentmem.nodes.settings import Writes
from langchain_agentmem.nodes.telling import FORGETTING, TO_BE_SOUGHT
from langchain_agentmem.types import Scope
from tests.conftest import Call
from tests.unit_tests.faces.conftest import contents
from tests.unit_tests.faces.either import Made
from tests.unit_tests.faces.scripted import ScriptedModel

WANTED: Final = "Forget that I live in Oslo. I work at Acme now."


def made(memory: AgentMemory, call: Call, nodes: list[Any]) -> Made:
    """Wire a graph of these nodes, in their order."""
    model = ScriptedModel(script=["Noted."] * 4)
    builder: Any = StateGraph(MemoryState)
    nodes = [Reason(model, memory) if it is Reason else it for it in nodes]
    for node in nodes:
        builder.add_node(node.name, node)
    for source, target in pairwise([START, *(node.name for node in nodes), END]):
        builder.add_edge(source, target)
    return Made(builder.compile(checkpointer=InMemorySaver()), model, call)


def behind(memory: AgentMemory, names: str) -> list[Any]:
    """Return nodes that run behind the answer, by their first letters."""
    kinds: dict[str, Any] = {"e": Evaluate, "w": Write, "u": Update, "f": Forget}
    return [kinds[name](memory) for name in names]


@pytest.mark.parametrize("writes", ["background", "inline"])
@pytest.mark.parametrize("names", ["", "f", "w", "ew", "ewu", "ewuf"])
async def test_whatever_nodes_there_are_the_last_one_sees_to_the_rest(
    memory: AgentMemory, call: Call, names: str, writes: Writes
) -> None:
    """What the model is told will be forgotten is, before the run ends, and what else was said is kept."""
    settings = NodeSettings(writes=writes)
    queue = Queue(memory, settings=settings)
    agent = made(memory, call, [DetectIntent(), Retrieve(memory), Reason, *behind(memory, names), queue])
    await agent.say("I live in Oslo.")
    memory.jobs.run()
    report = (await agent.say(WANTED))["memory"]
    assert FORGETTING in agent.told
    assert len(report["forgotten"]) == len(report["forgetting"]) == 2
    assert (contents(memory), report["status"], report["queued"]) == (["The user works at Acme now"], "ok", False)
    assert sorted(report["done"]) == ["evaluate", "forget", "update", "write"]


@pytest.mark.parametrize(("names", "is_queued"), [("", True), ("ew", True), ("ewu", False)])
async def test_in_the_background_what_no_node_did_waits(
    memory: AgentMemory,
    call: Call,
    names: str,
    is_queued: bool,  # noqa: FBT001  (a case)
) -> None:
    """And nothing waits where all was done."""
    queue = Queue(memory, settings=NodeSettings(writes="background"))
    agent = made(memory, call, [DetectIntent(), Retrieve(memory), Reason, *behind(memory, names), queue])
    report = (await agent.say("I live in Oslo."))["memory"]
    assert (report["queued"], len(memory.jobs.list())) == (is_queued, int(is_queued))
    memory.jobs.run()
    assert contents(memory) == ["The user lives in Oslo"]


async def test_a_request_is_held_against_memory_where_it_was_looked_at_before_it_was_read(
    memory: AgentMemory, call: Call
) -> None:
    """With the first two nodes in the wrong order the model is promised nothing; what is meant goes all the same."""
    nodes = [Retrieve(memory), DetectIntent(), Reason, *behind(memory, "ewuf")]
    agent = made(memory, call, nodes)
    await agent.say("I live in Oslo.")
    report = (await agent.say("Forget that I live in Oslo."))["memory"]
    assert TO_BE_SOUGHT in agent.told
    assert (len(report["forgotten"]), contents(memory)) == (2, [])
    assert not memory.episodes.list(scope=Scope("alice"))

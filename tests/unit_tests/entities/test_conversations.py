"""What is said in conversation becomes entities, by rules alone, and through the write policy."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents import create_agent

from langchain_agentmem import AgentMemory
from tests.conftest import Colour
from tests.unit_tests.entities.test_scenarios import ANA, say
from tests.unit_tests.entities.test_scenarios import memory as memory  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.scripted import ScriptedModel


def relations(memory: AgentMemory) -> set[tuple[str, str, str | None]]:
    return {(it.subject, it.relation, it.object or it.value) for it in memory.entities.graph(scope=ANA).relations}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("My sister Nora works at Acme.", {("user", "sister", "nora"), ("nora", "works_at", "acme")}),
        ("My brother is called Tom.", {("user", "brother", "tom")}),
        ("I own a dog called Rex.", {("user", "owns", "rex"), ("rex", "is_a", "dog")}),
        ("I'm married to Clara.", {("user", "partner", "clara")}),
        ("I was born in Porto.", {("user", "birthplace", "porto")}),
        ("I study at MIT.", {("user", "studies_at", "mit")}),
        ("I report to Tom.", {("user", "reports_to", "tom")}),
        ("I manage Nora and Paul.", {("user", "manages", "nora"), ("user", "manages", "paul")}),
        ("My boss Tom manages Nora.", {("user", "boss", "tom"), ("tom", "manages", "nora")}),
        ("I work for Globex.", {("user", "works_at", "globex")}),
    ],
)
async def test_an_everyday_relation_is_an_edge(
    memory: AgentMemory, colour: Colour, text: str, told: set[tuple[str, str, str]]
) -> None:
    """Kin, work, home and pets, as people mention them to an agent, whether it was told their name or not."""
    await say(memory, colour, text, "monday")
    own = ("user", "name", "ana")
    assert relations(memory) - {own} == told


async def test_an_agent_with_the_middleware_learns_them_too(memory: AgentMemory, colour: Colour) -> None:
    """The middleware writes by the same rules."""
    model = ScriptedModel(script=["Noted."], requests=[])
    agent: Any = create_agent(model, middleware=[memory.middleware(writes="inline")])
    given, config = {"messages": [("user", "My sister Nora works at Acme.")]}, {"configurable": {"thread_id": "t"}}
    context = {"user_id": "ana"}
    if colour == "sync":
        agent.invoke(given, config, context=context)
    else:
        await agent.ainvoke(given, config, context=context)
    assert relations(memory) == {("user", "sister", "nora"), ("nora", "works_at", "acme")}


async def test_of_what_is_one_at_a_time_the_last_one_holds(memory: AgentMemory, colour: Colour) -> None:
    """Another employer supersedes the one before; that one left takes the relation away."""
    await say(memory, colour, "My sister Nora works at Acme.", "monday")
    await say(memory, colour, "My sister Nora works at Globex now.", "tuesday")
    assert relations(memory) == {("user", "sister", "nora"), ("nora", "works_at", "globex")}
    await say(memory, colour, "My sister Nora no longer works at Globex.", "friday")
    assert relations(memory) == {("user", "sister", "nora")}


async def test_a_relation_can_be_explained_and_forgotten(memory: AgentMemory, colour: Colour) -> None:
    """It is a memory like any other, with evidence; without it, the edge is gone."""
    await say(memory, colour, "My sister Nora works at Acme.", "monday")
    [work] = [it for it in memory.entities.about("Nora", scope=ANA) if it.relation == "works_at"]
    said = memory.long_term.get(work.memory_ids[0], scope=ANA)
    assert said is not None
    assert said.provenance.evidence == "My sister Nora works at Acme"
    assert work.confidence == pytest.approx(said.confidence)
    memory.long_term.forget(said.id, scope=ANA, reason="the user asked")
    assert relations(memory) == {("user", "sister", "nora")}

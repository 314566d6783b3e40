"""Memory's tools act for the agent that calls them: as its agent, in no laxer mode, however the call reached them."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool

from langchain_agentmem import AgentMemory, ListQuery, Scope
from langchain_agentmem.types.procedures import Skill
from tests.unit_tests.faces.either import Make
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.scripted import call

ROME = {"action": "create", "content": "Alice lives in Rome."}
WRITER = Scope("alice", agent_id="writer")


def by_itself(_memory: AgentMemory, tool: BaseTool) -> tuple[AIMessage, BaseTool]:
    """The model calls the tool."""
    return call("manage_memory", **ROME), tool


def in_a_skill(memory: AgentMemory, tool: BaseTool) -> tuple[AIMessage, BaseTool]:
    """The model calls a skill, of which the tool is a step."""
    steps = [{"name": "note", "instruction": "Note it", "tool": "manage_memory", "args": ROME}]
    given = {"name": "noting", "description": "Note it", "when_to_use": "asked to note", "steps": steps}
    memory.procedural.save(Skill.model_validate(given))
    return call("run_skill", name="noting", inputs={}), memory.procedural.skill_tool([tool])


ways = pytest.mark.parametrize("way", [by_itself, in_a_skill])


async def noted(memory: AgentMemory, make: Make, way: Any, **options: Any) -> list[str | None]:  # noqa: ANN401  (of `ways`)
    """Whose what the tool noted is, by agent."""
    [tool] = [it for it in memory.tools() if it.name == "manage_memory"]
    asked, given = way(memory, tool)
    await make([asked, "Done."], given, writes="background", **options).say("Note where I live.")
    return [it.scope.agent_id for it in memory.long_term.select(ListQuery(statuses=("pending",)), scope=WRITER)]


@ways
async def test_what_a_tool_of_memory_notes_is_its_agents(memory: AgentMemory, make: Make, way: Any) -> None:  # noqa: ANN401
    """Neither kind of agent lets it fall to the shared ones."""
    assert await noted(memory, make, way, agent_id="writer") == ["writer"]


@ways
async def test_a_tool_of_memory_is_no_laxer_than_its_agent(memory: AgentMemory, make: Make, way: Any) -> None:  # noqa: ANN401
    """An agent that only reads has no tool that writes, nor a step of a skill that does."""
    assert await noted(memory, make, way, mode="frozen") == []

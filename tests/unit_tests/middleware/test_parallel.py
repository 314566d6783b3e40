from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.channels.last_value import LastValue

from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.types.procedures import Policy
from tests.unit_tests.faces.conftest import World
from tests.unit_tests.faces.scripted import ScriptedModel, call
from tests.unit_tests.middleware.conftest import MakeAgent, answers

PRODUCTION = {"tool": "deploy", "args": {"target": "production"}}
STAGING = {"tool": "deploy", "args": {"target": "staging"}}


@tool
def look(what: str) -> str:
    """Look whether something is well."""
    return f"{what} is well"


def at_once(*messages: AIMessage) -> AIMessage:
    """Return the calls of some messages in one."""
    return AIMessage("", tool_calls=[it for message in messages for it in message.tool_calls])


async def test_calls_of_one_message_all_run(world: World, agent: MakeAgent) -> None:
    """A model may call several tools at once, memory's own among them."""
    calls = at_once(call("deploy", "1", target="eu"), call("deploy", "2", target="us"), call("look", "3", what="eu"))
    state = await agent([calls, "Done."], world.deploy, look).say("Hello!")
    assert sorted(world.deployed) == ["eu", "us"]
    assert answers(state) == ["deployed to eu", "deployed to us", "eu is well"]


async def test_tools_of_memory_run_at_once(memory: AgentMemory, agent: MakeAgent) -> None:
    """Two searches of one message are answered both, whatever the mode."""
    for mode in ("on", "frozen"):
        calls = at_once(call("search_memory", "1", query="tea"), call("search_memory", "2", query="colours"))
        state = await agent([calls, "Done."], *memory.tools(), mode=mode).say("Hello!", thread=mode)
        assert len(answers(state)) == len(calls.tool_calls)


async def test_what_ran_is_known_after_other_calls(tmp_path: Path, world: World, agent: MakeAgent) -> None:
    """A step that has to come first counts also where something else ran in between."""
    with AgentMemory.in_memory(
        embeddings=None, consent="assumed", procedural={"path": tmp_path / "git", "create": True}
    ) as memory:
        bound = {"name": "careful", "description": "Staging first", "rule": PRODUCTION, "requires": [STAGING]}
        memory.procedural.save(Policy.model_validate(bound))
        script = [
            call("deploy", "1", target="staging"),
            call("look", "2", what="staging"),
            call("deploy", "3", target="production"),
            "Done.",
        ]
        await agent(script, world.deploy, look, parts=memory).say("Hello!")
    assert world.deployed == ["staging", "production"]


def test_what_tools_write_is_joined(memory: AgentMemory, world: World) -> None:
    """No key that calls of one message write at once holds only the last one's value."""
    graph = create_agent(ScriptedModel(script=[]), tools=[world.deploy], middleware=[memory.middleware()])
    channels: Mapping[str, Any] = graph.channels
    assert [name for name in ("messages", "memory", "memory_ran") if isinstance(channels[name], LastValue)] == []

"""A run that begins at an earlier checkpoint is its user's, as the one that was asked for its history."""

from __future__ import annotations

from typing import Any

import pytest

from langchain_agentmem import AgentMemory
from langchain_agentmem.errors import ScopeError
from tests.conftest import Call
from tests.unit_tests.faces.conftest import remember
from tests.unit_tests.faces.either import USER, Made, agent_of
from tests.unit_tests.faces.scripted import ScriptedModel

OSLO = "Alice lives in Oslo"
NOBODY: dict[str, Any] = {"configurable": {"thread_id": "t"}}


def made(memory: AgentMemory, call: Call, kind: str) -> Made:
    """Make an agent over memory's own checkpointer."""
    remember(memory, OSLO, kind="fact")
    model = ScriptedModel(script=["Oslo."] * 3)
    return Made(agent_of(kind, memory, model, saver=memory.checkpointer), model, call)


def first(graph: Any, config: dict[str, Any]) -> Any:  # noqa: ANN401  (a snapshot)
    """Return the snapshot before the turn's first node."""
    return [it for it in graph.get_state_history(config) if it.values.get("messages") and it.next][-1]


@pytest.mark.parametrize("kind", ["graph", "agent"])
async def test_a_snapshot_names_the_user_who_asked_for_it(memory: AgentMemory, call: Call, kind: str) -> None:
    """A run from there recalls what is theirs, and so does one from what `update_state` returns."""
    agent = made(memory, call, kind)
    await agent.say("Where do I live?")
    snapshot = first(agent.graph, USER)
    state = await call(agent.graph, "invoke", None, snapshot.config)
    assert (state["memory"]["status"], OSLO in agent.told) == ("ok", True)
    branch = agent.graph.update_state(snapshot.config, {"messages": [("user", "Which city do I live in?")]})
    assert branch["configurable"]["user_id"] == "alice"


@pytest.mark.parametrize("kind", ["graph", "agent"])
async def test_whoever_names_nobody_is_told_nobodys_name(memory: AgentMemory, call: Call, kind: str) -> None:
    """A thread's owner is no credential: who asks without a user goes on as a visitor, and as another user never."""
    agent = made(memory, call, kind)
    await agent.say("Where do I live?")
    snapshot = first(agent.graph, NOBODY)
    assert "user_id" not in snapshot.config["configurable"]
    state = await call(agent.graph, "invoke", None, snapshot.config)
    assert (state["memory"]["status"], OSLO in agent.told) == ("anonymous", False)
    with pytest.raises(ScopeError):
        first(agent.graph, {"configurable": {"thread_id": "t", "user_id": "bob"}})

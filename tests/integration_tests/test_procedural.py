from __future__ import annotations

from pathlib import Path
from typing import Any

from langgraph.types import Command

from langchain_agentmem.graph import create_memory_graph
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.types import Scope
from langchain_agentmem.types.procedures import Policy
from tests.conftest import Colour
from tests.unit_tests.faces.conftest import World
from tests.unit_tests.faces.scripted import ScriptedModel, call

PRODUCTION = {"tool": "deploy", "args": {"target": "production"}}


async def test_an_approval_is_given_in_another_process(
    prepared_postgres_url: str, tmp_path: Path, colour: Colour
) -> None:
    """On PostgreSQL one process asks and another one goes on; the log of both is one chain."""
    world = World()
    config: Any = {"configurable": {"thread_id": "t"}}
    script = [call("deploy", target="production"), "Deployed."]
    settings: dict[str, Any] = {"path": tmp_path / "procedures", "create": True}
    given: Any = {"messages": [("user", "Hello!")]}
    approval = {"decision": "approve", "by": "bo", "approval_id": ""}
    turns: list[Any] = [given, Command(resume=approval)]
    for turn in turns:
        made = AgentMemory.connect(sql=prepared_postgres_url, embeddings=None, consent="assumed", procedural=settings)
        policy = Policy.model_validate(
            {"name": "careful", "description": "No toy", "rule": PRODUCTION, "approval": True}
        )
        if turn is given:
            made.procedural.save(policy)
        graph: Any = create_memory_graph(
            ScriptedModel(script=script), [world.deploy], made, checkpointer=made.checkpointer
        )
        if colour == "sync":
            state = graph.invoke(turn, config, context={"user_id": "alice"})
            made.close()
        else:
            state = await graph.ainvoke(turn, config, context={"user_id": "alice"})
            await made.aclose()
        script = script[1:]
        for question in state.get("__interrupt__", ()):
            approval["approval_id"] = question.value["approval_id"]
    assert (state["messages"][-1].text, world.deployed) == ("Deployed.", ["production"])
    with AgentMemory.connect(sql=prepared_postgres_url, embeddings=None) as memory:
        (event,) = memory.procedural.events(scope=Scope("alice"))
        assert (event.type, (event.payload or {})["note"]["by"]) == ("policy_applied", "bo")
        assert memory.long_term.verify(scope=Scope("alice")).is_intact

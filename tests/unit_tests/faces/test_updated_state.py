"""Words that an application puts into a thread by `update_state` are treated alike by both kinds of agent."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage, HumanMessage

from langchain_agentmem import AgentMemory
from tests.conftest import Call
from tests.unit_tests.faces.conftest import contents
from tests.unit_tests.faces.either import USER, Make
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)


async def test_a_turn_that_the_application_writes_is_a_turn(memory: AgentMemory, make: Make, call: Call) -> None:
    """Who may change a thread may begin a turn in it: the run that goes on takes in what the user said there."""
    made = make(["Fine.", "Fine."], writes="background")
    await made.say("I live in Oslo.")
    nodes = made.graph.get_graph().nodes
    config: Any = USER
    await call(made.graph, "update_state", config, {"messages": [HumanMessage("I like jazz.")]})
    answered = {"messages": [AIMessage("Sure.")]}
    await call(made.graph, "update_state", config, answered, "model" if "model" in nodes else "reason")
    await made.run(None)
    await made.say("I own a boat.")
    memory.jobs.run()
    assert sorted(contents(memory)) == ["The user likes jazz", "The user lives in Oslo", "The user owns a boat"]

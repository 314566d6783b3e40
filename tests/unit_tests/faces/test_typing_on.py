"""Users who type on while a call waits for their approval leave no conversation that a provider refuses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.types import interrupt

from langchain_agentmem import AgentMemory
from langchain_agentmem.nodes import DetectIntent
from langchain_agentmem.types.procedures import Policy
from tests.unit_tests.faces.conftest import World
from tests.unit_tests.faces.either import USER, Make
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.scripted import call

RUN: Any = USER
RULE = {"tool": "deploy", "args": {"target": "production"}}


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture(autouse=True)
def _careful(memory: AgentMemory) -> None:
    given = {"name": "careful", "description": "Production needs a yes", "rule": RULE, "approval": True}
    memory.procedural.save(Policy.model_validate(given))


def shape(messages: Sequence[BaseMessage]) -> list[str]:
    """What providers look at: who speaks, and which call is answered."""
    return [f"tool:{it.tool_call_id}" if isinstance(it, ToolMessage) else it.type for it in messages]


async def test_a_call_that_nobody_approved_is_answered_in_the_next_turn(make: Make, world: World) -> None:
    """Behind the call, as not run, in the request and in the thread; also in all turns after that."""
    made = make([call("deploy", "c1", target="production"), "Fine.", "Ok."], world.deploy)
    assert (await made.say("Deploy it."))["__interrupt__"]
    state = await made.say("Wait, what is the weather like?")
    assert shape(state["messages"]) == ["human", "ai", "tool:c1", "human", "ai"]
    state = await made.say("Thanks!")
    assert shape(state["messages"]) == ["human", "ai", "tool:c1", "human", "ai", "human", "ai"]
    assert shape(made.model.requests[-1]).count("tool:c1") == 1
    assert (world.deployed, state["memory"]["outcomes"]) == ([], [])
    assert "Not run" in state["messages"][2].text


async def test_the_same_call_may_be_asked_for_again(make: Make, world: World) -> None:
    """What was left behind is no refusal: a person is asked anew."""
    asking = call("deploy", "c2", target="production")
    made = make([call("deploy", "c1", target="production"), asking, "Done."], world.deploy)
    await made.say("Deploy it.")
    state = await made.say("Yes, do deploy it.")
    assert state["__interrupt__"][0].value["tool"] == "deploy"
    assert world.deployed == []


async def test_a_tool_that_asked_something_itself_is_answered_too(make: Make) -> None:
    """Nothing of ours asked: the conversation is valid all the same."""

    @tool
    def book(hotel: str) -> str:
        """Book a hotel."""
        return str(interrupt({"sure": hotel}))

    made = make([call("book", "c1", hotel="Ritz"), "Fine."], book)
    await made.say("Book the Ritz.")
    assert shape((await made.say("Never mind."))["messages"]) == ["human", "ai", "tool:c1", "human", "ai"]


def test_calls_that_have_their_answers_are_left_alone() -> None:
    """Nothing is given anew where nothing is missing, an answer stands further behind, or the call still waits."""
    both = AIMessage("", tool_calls=[{"name": "a", "args": {}, "id": id_} for id_ in ("1", "2")])
    answers = [ToolMessage("x", tool_call_id="1"), HumanMessage("by the tool"), ToolMessage("y", tool_call_id="2")]
    for messages in ([HumanMessage("hi"), both, *answers, HumanMessage("go on")], [HumanMessage("hi"), both]):
        assert "messages" not in DetectIntent().invoke({"messages": messages}, RUN)


def test_an_answer_to_another_call_of_that_id_is_none_of_its_own() -> None:
    """Models that count their calls anew in each turn use the same ids again."""
    asked = [call("a", "1"), HumanMessage("go on"), call("a", "1"), ToolMessage("x", tool_call_id="1")]
    update = DetectIntent().invoke({"messages": [HumanMessage("hi"), *asked, HumanMessage("and?")]}, RUN)
    expected = ["human", "ai", "tool:1", "human", "ai", "tool:1", "human"]
    assert shape(update["messages"][1:]) == expected

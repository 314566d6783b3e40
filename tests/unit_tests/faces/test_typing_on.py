"""Users who type on while a call waits for their approval leave no conversation that a provider refuses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import interrupt

from langchain_agentmem import AgentMemory
from langchain_agentmem.nodes import DetectIntent, MemoryState
from langchain_agentmem.nodes.abandoned import ABANDONED, UNKNOWN
from langchain_agentmem.types.procedures import Policy
from tests.conftest import Call
from tests.unit_tests.faces.conftest import World
from tests.unit_tests.faces.either import USER, Make
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.scripted import call as call_of

RUN: Any = USER
RULE = {"tool": "deploy", "args": {"target": "production"}}


class Killed(BaseException):
    """The process ends."""


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
    made = make([call_of("deploy", "c1", target="production"), "Fine.", "Ok."], world.deploy)
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
    asking = call_of("deploy", "c2", target="production")
    made = make([call_of("deploy", "c1", target="production"), asking, "Done."], world.deploy)
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

    made = make([call_of("book", "c1", hotel="Ritz"), "Fine."], book)
    await made.say("Book the Ritz.")
    assert shape((await made.say("Never mind."))["messages"]) == ["human", "ai", "tool:c1", "human", "ai"]


async def test_what_ran_beside_a_call_that_waited_keeps_its_answer(make: Make, world: World) -> None:
    """Only what waited is told as not run: whoever reads that a deployment did not run repeats it."""

    @tool
    def book(hotel: str) -> str:
        """Book a hotel."""
        return str(interrupt({"sure": hotel}))

    calls = [*call_of("book", "c1", hotel="Ritz").tool_calls, *call_of("deploy", "c2", target="staging").tool_calls]
    made = make([AIMessage("", tool_calls=calls), "Fine.", "Ok."], book, world.deploy)
    await made.say("Book the Ritz and deploy it.")
    state = await made.say("What happened?")
    assert shape(state["messages"]) == ["human", "ai", "tool:c1", "tool:c2", "human", "ai"]
    assert (state["messages"][2].text, state["messages"][3].text) == (ABANDONED, "deployed to staging")
    assert (world.deployed, state["memory"]["outcomes"]) == (["staging"], [])
    assert shape((await made.say("Thanks!"))["messages"]).count("tool:c2") == 1


async def test_two_calls_that_waited_are_told_as_not_run(make: Make, world: World) -> None:
    """Each asked something of its own, or one person was asked before anything ran."""
    calls = [call_of("deploy", id_, target="production").tool_calls[0] for id_ in ("c1", "c2")]
    made = make([AIMessage("", tool_calls=calls), "Fine."], world.deploy)
    await made.say("Deploy it twice.")
    state = await made.say("Never mind.")
    assert [it.text for it in state["messages"][2:4]] == [ABANDONED, ABANDONED]


async def test_what_a_crash_cut_short_may_have_run(make: Make) -> None:
    """Nobody knows how far a tool came whose process was killed, so nobody is told that it did not run."""

    @tool
    def pay(amount: int) -> str:
        """Pay."""
        raise Killed(amount)

    made = make([call_of("pay", "c1", amount=5), "Fine."], pay)
    with pytest.raises(Killed):
        await made.say("Pay 5.")
    state = await made.say("Did you pay?")
    assert [it.text for it in state["messages"] if it.type == "tool"] == [UNKNOWN]


async def test_what_a_node_of_tools_lost_may_have_run(call: Call, world: World) -> None:
    """A `ToolNode` that is interrupted keeps nothing of what ran beside it, so that nobody can tell the two apart."""

    @tool
    def book(hotel: str) -> str:
        """Book a hotel."""
        return str(interrupt({"sure": hotel}))

    calls = [
        {"name": "book", "args": {"hotel": "Ritz"}, "id": "c1"},
        {"name": "deploy", "args": {"target": "x"}, "id": "c2"},
    ]
    builder = StateGraph(MemoryState)
    builder.add_node("begin", DetectIntent())
    builder.add_node("ask", lambda _: {"messages": [AIMessage("", tool_calls=calls)]})
    builder.add_node("tools", ToolNode([book, world.deploy]))
    builder.add_edge(START, "begin")
    builder.add_conditional_edges("begin", lambda it: "ask" if len(it["messages"]) == 1 else END, ["ask", END])
    builder.add_edge("ask", "tools")
    graph = builder.compile(checkpointer=InMemorySaver())
    await call(graph, "invoke", {"messages": [("user", "Do both.")]}, RUN)
    state = await call(graph, "invoke", {"messages": [("user", "And?")]}, RUN)
    assert [it.text for it in state["messages"] if it.type == "tool"] == [UNKNOWN, UNKNOWN]


def test_calls_that_have_their_answers_are_left_alone() -> None:
    """Nothing is given anew where nothing is missing, an answer stands further behind, or the call still waits."""
    both = AIMessage("", tool_calls=[{"name": "a", "args": {}, "id": id_} for id_ in ("1", "2")])
    answers = [ToolMessage("x", tool_call_id="1"), HumanMessage("by the tool"), ToolMessage("y", tool_call_id="2")]
    for messages in ([HumanMessage("hi"), both, *answers, HumanMessage("go on")], [HumanMessage("hi"), both]):
        assert "messages" not in DetectIntent().invoke({"messages": messages}, RUN)


def test_an_answer_to_another_call_of_that_id_is_none_of_its_own() -> None:
    """Models that count their calls anew in each turn use the same ids again."""
    asked = [call_of("a", "1"), HumanMessage("go on"), call_of("a", "1"), ToolMessage("x", tool_call_id="1")]
    update = DetectIntent().invoke({"messages": [HumanMessage("hi"), *asked, HumanMessage("and?")]}, RUN)
    expected = ["human", "ai", "tool:1", "human", "ai", "tool:1", "human"]
    assert shape(update["messages"][1:]) == expected

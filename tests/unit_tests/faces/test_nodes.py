from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.message import add_messages
from pydantic import BaseModel

from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.nodes import (
    DetectIntent,
    Evaluate,
    MemoryNode,
    MemoryState,
    Retrieve,
    UpdateWorkingMemory,
    Write,
)
from langchain_agentmem.nodes.state import merge_reports, new_report
from langchain_agentmem.nodes.turn import start_of_turn
from tests.conftest import Call
from tests.unit_tests.faces.conftest import contents, remember

USER: dict[str, Any] = {"configurable": {"user_id": "alice"}}
NOTE = {"lc_source": "summarization"}


def alone(node: MemoryNode, state: type = MemoryState) -> Any:  # noqa: ANN401
    """A graph of one node."""
    return StateGraph(state).add_node("it", node).add_edge(START, "it").add_edge("it", END).compile()


async def test_write_works_alone_in_a_plain_messages_graph(memory: AgentMemory, call: Call) -> None:
    """No report to keep, and still the turn is remembered."""
    messages = [("user", "I prefer tea over coffee."), ("ai", "Noted.")]
    await call(alone(Write(memory), MessagesState), "invoke", {"messages": messages}, USER)
    assert len(contents(memory)) == 1


async def test_retrieve_works_alone(memory: AgentMemory, call: Call) -> None:
    """Without a node that looked for the intent, it looks itself."""
    kept = remember(memory, "Alice likes sushi")
    state = await call(alone(Retrieve(memory)), "invoke", {"messages": [("user", "Do I like sushi?")]}, USER)
    assert [it["id"] for it in state["memory"]["recalled"]] == [kept.id]


@dataclass
class Recorded:
    """A state as a dataclass."""

    messages: Annotated[list[AnyMessage], add_messages]


class Modelled(BaseModel):
    """A state as a pydantic model."""

    messages: Annotated[list[AnyMessage], add_messages]


NODES: tuple[Callable[[AgentMemory], Any], ...] = (
    lambda memory: DetectIntent(memory=memory),
    Retrieve,
    Evaluate,
    Write,
    lambda memory: UpdateWorkingMemory(memory.working),
)


@pytest.mark.parametrize("state", [Recorded, Modelled])
@pytest.mark.parametrize("node", NODES)
async def test_a_node_takes_whatever_a_state_is_made_of(
    memory: AgentMemory, call: Call, state: type, node: Callable[[AgentMemory], Any]
) -> None:
    """LangGraph hands a node the dataclass or the model that the graph was made with."""
    given = {"messages": [HumanMessage("I prefer tea over coffee.")]}
    config = {"configurable": {"user_id": "alice", "thread_id": "t"}}
    after = await call(alone(node(memory), state), "invoke", given, config)
    assert [it.text for it in after["messages"]] == ["I prefer tea over coffee."]
    assert len(contents(memory)) == (1 if node is Write else 0)


async def test_a_node_works_outside_of_any_graph(call: Call) -> None:
    """A node is a runnable: it takes a state and returns the update."""
    update = await call(DetectIntent(), "invoke", {"messages": [HumanMessage("Hello!", id="1")]}, USER)
    assert update["memory"]["turn"] == "1"


async def test_only_the_new_messages_are_extracted(memory: AgentMemory, call: Call) -> None:
    """What an earlier turn said was its own turn's business."""
    messages = [("user", "I like sushi."), ("ai", "Noted."), ("user", "I like tea."), ("ai", "Noted.")]
    state = await call(alone(Write(memory)), "invoke", {"messages": messages}, USER)
    assert len(state["memory"]["written"]) == 1
    assert "tea" in contents(memory)[0]


async def test_what_a_harness_says_is_not_the_users_word(memory: AgentMemory, call: Call) -> None:
    """A summary put into the conversation as a human message teaches nothing."""
    messages = [HumanMessage("I like sushi.", additional_kwargs=NOTE), AIMessage("Noted.")]
    await call(alone(Write(memory)), "invoke", {"messages": messages}, USER)
    assert contents(memory) == []


@pytest.mark.parametrize(
    ("messages", "start"),
    [
        ([HumanMessage("a")], 0),
        ([HumanMessage("a"), AIMessage("b"), HumanMessage("left behind"), HumanMessage("d")], 3),
        ([HumanMessage("a"), AIMessage("b"), HumanMessage("c"), AIMessage(""), ToolMessage("x", tool_call_id="1")], 2),
        ([SystemMessage("s"), HumanMessage("a"), AIMessage("b")], 0),
        ([HumanMessage("a"), AIMessage("b"), HumanMessage("n", additional_kwargs=NOTE), AIMessage("c")], 0),
        ([], 0),
    ],
)
def test_a_turn_begins_with_the_users_last_words(messages: list[AnyMessage], start: int) -> None:
    """Not with what a harness put there, nor with what a refused run left without an answer."""
    assert start_of_turn(messages) == start


def test_reports_of_one_turn_are_merged() -> None:
    """Each node adds its part, also where two run side by side."""
    merged = merge_reports(merge_reports(None, {"turn": "1", "used": ["a"]}), {"turn": "1", "held": ["b"]})
    assert (merged["used"], merged["held"]) == (["a"], ["b"])


def test_a_new_turn_begins_a_new_report() -> None:
    """Nothing of the turn before shines through."""
    assert merge_reports({**new_report("1"), "used": ["a"]}, {"turn": "2"}) == new_report("2")

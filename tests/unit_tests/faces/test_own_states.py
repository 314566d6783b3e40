"""Memory's nodes work in a state of the application's own, whatever it makes of the report."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Annotated, Any, Final

import pytest
from langchain_core.messages import AIMessage, AnyMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph, add_messages
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from langchain_agentmem import AgentMemory
from langchain_agentmem.nodes import Evaluate, Forget, NodeSettings, Queue, Retrieve, Update, Write
from tests.conftest import Call
from tests.unit_tests.faces.conftest import contents, remember
from tests.unit_tests.faces.either import USER


class Typed(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    memory: dict[str, Any]


class Joined(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    memory: Annotated[dict[str, Any], operator.or_]


class Silent(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


class Model(BaseModel):
    messages: Annotated[list[AnyMessage], add_messages] = Field(default_factory=list)
    memory: dict[str, Any] = Field(default_factory=dict)


@dataclass
class Record:
    messages: Annotated[list[AnyMessage], add_messages] = field(default_factory=list)
    memory: Any = None


STATES: Final[list[Any]] = [Typed, Joined, Silent, Model, Record]


def graph_of(memory: AgentMemory, state: Any, *, is_queued: bool) -> Any:  # noqa: ANN401  (a state, and a graph of it)
    """Wire memory's nodes around an answer."""
    builder: Any = StateGraph(state)
    settings = NodeSettings(writes="background" if is_queued else "inline")
    behind = [] if is_queued else [Evaluate(memory), Write(memory), Update(memory), Forget(memory)]
    nodes = [Retrieve(memory), *behind, Queue(memory, settings=settings)]
    names = [node.name for node in nodes]
    for node in nodes:
        builder.add_node(node.name, node)
    builder.add_node("answer", lambda _state: {"messages": [AIMessage("Fine.")]})
    path = [START, names[0], "answer", *names[1:], END]
    for source, target in pairwise(path):
        builder.add_edge(source, target)
    return builder.compile(checkpointer=InMemorySaver())


@pytest.mark.parametrize("is_queued", [True, False], ids=["queued", "at once"])
@pytest.mark.parametrize("state", STATES)
async def test_what_a_turn_says_is_kept(memory: AgentMemory, call: Call, state: Any, is_queued: bool) -> None:  # noqa: ANN401, FBT001  (a case)
    """Turn for turn, and no job fails."""
    graph = graph_of(memory, state, is_queued=is_queued)
    for said in ("I live in Oslo.", "I own a boat."):
        await call(graph, "invoke", {"messages": [("user", said)]}, USER)
        memory.jobs.run()
    assert sorted(contents(memory)) == ["The user lives in Oslo", "The user owns a boat"]
    assert not memory.jobs.list(status="failed")


@pytest.mark.parametrize("state", [Typed, Joined, Model, Record])
async def test_the_report_is_whole(memory: AgentMemory, call: Call, state: Any) -> None:  # noqa: ANN401  (a case)
    """What each node has to say of the turn stands in it as it ends."""
    remember(memory, "Alice lives in Oslo", kind="fact")
    graph = graph_of(memory, state, is_queued=False)
    given = {"messages": [("user", "I own a boat. Forget where I live.")]}
    config = {"configurable": {**USER["configurable"], "user_name": "Alice"}}
    report = (await call(graph, "invoke", given, config))["memory"]
    assert (report["status"], len(report["written"]), len(report["forgotten"])) == ("ok", 1, 1)
    assert contents(memory) == ["Alice owns a boat"]

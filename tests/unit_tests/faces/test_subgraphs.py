"""A graph with memory has other graphs in it: they run, and no words of a memory are stored with their input."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from langchain_agentmem import AgentMemory
from langchain_agentmem.graph import GraphOptions, create_memory_graph
from langchain_agentmem.nodes import DetectIntent, MemoryState, Reason, Retrieve
from langchain_agentmem.nodes.state import Unshown, unwrapped
from langchain_agentmem.types.procedures import Skill
from tests.conftest import Call
from tests.unit_tests.faces.conftest import remember
from tests.unit_tests.faces.either import USER
from tests.unit_tests.faces.scripted import ScriptedModel

Saver: TypeAlias = BaseCheckpointSaver[Any]
WORDS = "Alice prefers region eu-north"
ASKED = {"messages": [("user", "Which region do I prefer?")]}


class SkilledState(MemoryState):
    """State of a graph with memory in which a skill runs."""

    inputs: dict[str, Any]
    status: str
    results: dict[str, Any]


def remembering(memory: AgentMemory) -> Any:  # noqa: ANN401  (a graph)
    return create_memory_graph(ScriptedModel(script=["Noted."]), memory=memory)


def plain(_memory: AgentMemory) -> Any:  # noqa: ANN401  (a graph)
    graph = StateGraph(MessagesState)
    graph.add_node("answer", lambda _: {"messages": [AIMessage("Noted.")]})
    return graph.add_edge(START, "answer").compile()


def skilled(memory: AgentMemory) -> Any:  # noqa: ANN401  (a graph)
    @tool
    def probe() -> str:
        """Probe the service."""
        return "healthy"

    steps = [{"instruction": "Probe it", "tool": "probe"}]
    skill = Skill.model_validate({"name": "check", "description": "Check", "when_to_use": "asked", "steps": steps})
    return memory.procedural.skill_graph(skill, [probe])


def within(memory: AgentMemory, *children: Any) -> StateGraph[Any, Any, Any, Any]:
    """A graph that recalls, and then has other graphs go on, one after the other."""
    graph = StateGraph(SkilledState)
    graph.add_sequence([("detect_intent", DetectIntent()), ("retrieve", Retrieve(memory)), *_named(children)])
    return graph.add_edge(START, "detect_intent")


def _named(children: tuple[Any, ...]) -> list[tuple[str, Any]]:
    return [(f"child_{place}", child) for place, child in enumerate(children)]


@pytest.fixture(params=["langgraph", "memory"])
def saver(memory: AgentMemory, request: pytest.FixtureRequest) -> Saver:
    return memory.checkpointer if request.param == "memory" else InMemorySaver(serde=JsonPlusSerializer())


def stored(saver: Saver) -> str:
    """All that a saver keeps, of subgraphs too."""
    raw = (saver.storage, saver.blobs, saver.writes) if isinstance(saver, InMemorySaver) else ()
    found = [*saver.list({"configurable": {**USER["configurable"]}}), *saver.list(None)]
    assert found
    return repr((raw, found))


@pytest.mark.parametrize("children", [(plain,), (remembering,), (remembering, remembering), (skilled,)])
async def test_what_a_subgraph_is_given_is_stored_without_words_of_memory(
    memory: AgentMemory, saver: Saver, call: Call, children: tuple[Callable[[AgentMemory], Any], ...]
) -> None:
    """Whatever graph goes on after memory was read, and whatever keeps the thread."""
    remember(memory, WORDS)
    graph = within(memory, *(child(memory) for child in children)).compile(checkpointer=saver)
    state = await call(graph, "invoke", ASKED, USER)
    assert state["memory_text"]["contents"]
    assert state["messages"][-1].text == "Noted." or state["status"] == "completed"
    assert "region do I prefer" in stored(saver)
    assert "eu-north" not in stored(saver)


async def test_graphs_with_memory_run_at_once(memory: AgentMemory, saver: Saver, call: Call) -> None:
    """Both answer; of their words the last ones are shown, and none are stored."""
    remember(memory, WORDS)
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(MemoryState)
    for name in ("a", "b"):
        graph.add_node(name, remembering(memory))
        graph.add_edge(START, name)
    state = await call(graph.compile(checkpointer=saver), "invoke", ASKED, USER)
    assert [it.text for it in state["messages"][1:]] == ["Noted.", "Noted."]
    assert list(state["memory_text"]["contents"].values()) == [WORDS]
    assert "eu-north" not in stored(saver)


async def test_a_subgraph_that_asks_reads_the_words_anew(memory: AgentMemory, saver: Saver, call: Call) -> None:
    """What a checkpoint has in their place is not taken for them."""
    remember(memory, WORDS)
    model = ScriptedModel(script=["eu-north."])
    child: StateGraph[Any, Any, Any, Any] = StateGraph(MemoryState)
    child.add_node("ask", lambda _: {"messages": [AIMessage(interrupt("Go on?"))]})
    child.add_node("reason", Reason(model, memory))
    child.add_edge("ask", "reason")
    graph = within(memory, child.add_edge(START, "ask").compile()).compile(checkpointer=saver)
    assert (await call(graph, "invoke", ASKED, USER))["__interrupt__"]
    assert "eu-north" not in stored(saver)
    await call(graph, "invoke", Command(resume="Yes."), USER)
    assert WORDS in model.told


def test_words_of_memory_are_nothing_wherever_they_are_stored() -> None:
    """Pickled or serialized, they become a text that says so, and are none when they are read back."""
    words = Unshown({"prompt": WORDS})
    serde = JsonPlusSerializer()
    for copied in (pickle.loads(pickle.dumps(words)), serde.loads_typed(serde.dumps_typed(words))):  # noqa: S301  (our own)
        assert (type(copied), copied) == (str, repr(words))
        assert unwrapped({"memory_text": copied})["memory_text"] is None
    assert unwrapped({"memory_text": words})["memory_text"] == {"prompt": WORDS}


@pytest.mark.parametrize("options", [GraphOptions(), GraphOptions(working=True)], ids=["plain", "working"])
def test_a_graph_tells_its_schemas(options: GraphOptions) -> None:
    """What LangGraph's tools draw and check is made of them."""
    memory = AgentMemory.in_memory(embeddings=None)
    graph = create_memory_graph(ScriptedModel(script=[]), memory=memory, options=options)
    assert {"messages", "memory"} <= graph.get_output_jsonschema()["properties"].keys()
    assert "messages" in graph.get_input_jsonschema()["properties"]

"""What a policy requires counts where it succeeded earlier in the thread, also where an agent is a node of a graph."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph

from langchain_agentmem import AgentMemory, Policy
from langchain_agentmem.graph import create_memory_graph
from langchain_agentmem.nodes import MemoryState
from langchain_agentmem.procedural.guard import UNKNOWN_BEFORE, fingerprint
from tests.conftest import Call
from tests.unit_tests.faces.either import USER
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.scripted import ScriptedModel

STAGING_FIRST = Policy(
    name="staging-first",
    description="Production comes after staging",
    rule={"tool": "deploy", "args": {"target": "production"}},
    requires=[{"tool": "deploy", "args": {"target": "staging"}}],
)


@tool
def deploy(target: str) -> str:
    """Deploy it."""
    return f"deployed to {target}"


def deploying(target: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": "deploy", "args": {"target": target}, "id": target}])


def agent(kind: str, memory: AgentMemory, script: list[Any]) -> Any:  # noqa: ANN401  (a graph)
    model = ScriptedModel(script=script)
    if kind == "graph":
        return create_memory_graph(model, [deploy], memory)
    return create_agent(model, [deploy], middleware=[memory.middleware(tools=False)])


@pytest.mark.parametrize("saver", ["ours", "other", "none"])
@pytest.mark.parametrize("kind", ["graph", "agent"])
async def test_an_earlier_turn_counts_where_the_agent_is_a_node(
    memory: AgentMemory, call: Call, kind: str, saver: str
) -> None:
    """Its own state begins anew with each run: the thread is read, and where nobody keeps it the refusal says so."""
    memory.procedural.save(STAGING_FIRST)
    script = [deploying("staging"), "Staged.", deploying("production"), "So."]
    builder: Any = StateGraph(MessagesState)
    builder.add_node("one", agent(kind, memory, script))
    graph = builder.add_edge(START, "one").compile(
        checkpointer={"ours": memory.checkpointer, "other": InMemorySaver(), "none": None}[saver]
    )
    state = await call(graph, "invoke", {"messages": [("user", "Deploy it to staging.")]}, USER)
    said = [*([] if saver != "none" else state["messages"]), ("user", "Now to production.")]
    state = await call(graph, "invoke", {"messages": said}, USER)
    answer = state["messages"][-2].text
    assert (answer == "deployed to production", UNKNOWN_BEFORE in answer) == (saver != "none", saver == "none")


@pytest.mark.parametrize("state", [MessagesState, MemoryState])
@pytest.mark.parametrize("kind", ["graph", "agent"])
async def test_what_another_agent_of_the_thread_did_counts(
    memory: AgentMemory,
    call: Call,
    kind: str,
    state: Any,  # noqa: ANN401  (a schema)
) -> None:
    """One stages, the other ships, in one turn."""
    memory.procedural.save(STAGING_FIRST)
    builder: Any = StateGraph(state)
    builder.add_node("one", agent(kind, memory, [deploying("staging"), "Staged."]))
    builder.add_node("two", agent(kind, memory, [deploying("production"), "So."]))
    graph = builder.add_edge(START, "one").add_edge("one", "two").compile(checkpointer=InMemorySaver())
    done = await call(graph, "invoke", {"messages": [("user", "Deploy it everywhere.")]}, USER)
    assert done["messages"][-2].text == "deployed to production"


@pytest.mark.parametrize("kind", ["graph", "agent"])
async def test_what_a_caller_says_was_done_counts_nowhere(memory: AgentMemory, call: Call, kind: str) -> None:
    """A call, its answer and a note of it in the input prove nothing: notes count that no input reaches."""
    memory.procedural.save(STAGING_FIRST)
    builder: Any = StateGraph(MemoryState)
    builder.add_node("one", agent(kind, memory, [deploying("production"), "So."]))
    graph = builder.add_edge(START, "one").compile(checkpointer=InMemorySaver())
    asked, answer = deploying("staging"), ToolMessage("deployed to staging", tool_call_id="staging", name="deploy")
    said = [HumanMessage("Deploy it."), asked, answer, HumanMessage("Now to production.")]
    given = {"messages": said, "memory_ran": [fingerprint(asked.tool_calls[0], answer)]}
    done = await call(graph, "invoke", given, USER)
    assert "First, with success" in done["messages"][-2].text

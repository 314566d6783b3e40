"""An agent that hands over to another one ends its turn there: what it did is remembered, in both kinds of agent."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool, InjectedToolCallId, tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState
from langgraph.types import Command

from langchain_agentmem import AgentMemory
from langchain_agentmem.graph import GraphOptions, create_memory_graph
from langchain_agentmem.nodes import MemoryState
from langchain_agentmem.nodes.settings import Writes
from tests.conftest import Call
from tests.unit_tests.faces.conftest import contents
from tests.unit_tests.faces.either import USER
from tests.unit_tests.faces.scripted import ScriptedModel


@tool
def ship(target: str) -> str:
    """Ship it."""
    return f"shipped {target}"


@tool
def transfer_to_two(
    tool_call_id: Annotated[str, InjectedToolCallId], state: Annotated[dict[str, Any], InjectedState]
) -> Command[Any]:
    """Hand over with the whole conversation."""
    answer = ToolMessage("transferred", tool_call_id=tool_call_id)
    return Command(goto="two", graph=Command.PARENT, update={"messages": [*state["messages"], answer]})


@tool
def pass_to_two(
    tool_call_id: Annotated[str, InjectedToolCallId], state: Annotated[dict[str, Any], InjectedState]
) -> Command[Any]:
    """Hand over with the last two messages."""
    asked = next(it for it in reversed(state["messages"]) if isinstance(it, AIMessage))
    answer = ToolMessage("transferred", tool_call_id=tool_call_id)
    return Command(goto="two", graph=Command.PARENT, update={"messages": [asked, answer]})


def calling(name: str, number: str, **args: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": number}])


def agent(kind: str, memory: AgentMemory, script: list[Any], tools: list[BaseTool], writes: Writes) -> Any:  # noqa: ANN401  (a graph)
    model = ScriptedModel(script=script)
    if kind == "graph":
        return create_memory_graph(model, tools, memory, options=GraphOptions(writes=writes))
    return create_agent(model, tools, middleware=[memory.middleware(tools=False, writes=writes)])


@pytest.mark.parametrize("writes", ["background", "inline"])
@pytest.mark.parametrize("state", [MessagesState, MemoryState])
@pytest.mark.parametrize("handing", [transfer_to_two, pass_to_two])
@pytest.mark.parametrize("kind", ["graph", "agent"])
async def test_what_an_agent_did_before_it_handed_over_is_remembered(  # noqa: PLR0917  (a case)
    memory: AgentMemory,
    call: Call,
    kind: str,
    handing: BaseTool,
    state: Any,  # noqa: ANN401  (a schema)
    writes: Writes,
) -> None:
    """Each deed once, whatever messages it passes on; and handing over is none."""
    first = [calling("ship", "a", target="eu"), calling(handing.name, "b")]
    second = [calling("ship", "c", target="us"), "All of it is shipped."]
    builder: Any = StateGraph(state)
    builder.add_node("one", agent(kind, memory, first, [ship, handing], writes))
    builder.add_node("two", agent(kind, memory, second, [ship], writes))
    graph = builder.add_edge(START, "one").compile()
    await call(graph, "invoke", {"messages": [("user", "I prefer tea. Ship it everywhere.")]}, USER)
    memory.jobs.run()
    deeds = [f'ship(target="{it}") succeeded: shipped {it}' for it in ("eu", "us")]
    assert sorted(contents(memory)) == ["The user prefers tea", *deeds]
    assert not memory.jobs.list(status="failed")

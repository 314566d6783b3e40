"""Rounds of tools: the order of their answers, and answers that end a turn."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool, tool
from langgraph.types import Command

from langchain_agentmem import AgentMemory
from langchain_agentmem.types.procedures import Policy
from tests.unit_tests.faces.either import Make
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.scripted import call


@tool(return_direct=True)
def quote(item: str) -> str:
    """Quote a price."""
    return f"{item} costs 5 euros"


@tool
def look(item: str) -> str:
    """Look something up."""
    return f"{item} is blue"


@tool
def filed(item: str) -> Command[Any]:
    """File something."""
    return Command(update={"messages": [ToolMessage(f"{item} filed", tool_call_id=item)]})


def calls(*named: tuple[BaseTool, str]) -> AIMessage:
    """One message that calls tools, each by the id that is its argument."""
    return AIMessage("", tool_calls=[{"name": it.name, "args": {"item": id_}, "id": id_} for it, id_ in named])


async def test_what_a_direct_tool_answers_is_the_answer(make: Make) -> None:
    """With `return_direct` the turn ends with what the tool said, and is written as any other."""
    state = await make([call("quote", item="tea"), "Not asked."], quote).say("What is tea? I live in Oslo.")
    assert state["messages"][-1].text == "tea costs 5 euros"
    assert "fact" in [it["kind"] for it in state["memory"]["written"]]


async def test_the_model_goes_on_where_another_tool_ran_too(make: Make) -> None:
    """What one of several calls answers is not the whole answer."""
    state = await make([calls((quote, "1"), (look, "2")), "Blue, 5 euros."], quote, look).say("What is tea?")
    assert state["messages"][-1].text == "Blue, 5 euros."


@pytest.mark.parametrize("make", ["graph"], indirect=True)
async def test_a_direct_tool_that_did_not_run_is_no_answer(make: Make, memory: AgentMemory) -> None:
    """What a policy says to a call is for the model."""
    memory.procedural.save(Policy(name="no-quote", description="Prices are secret", rule={"tool": "quote"}))
    state = await make([call("quote", item="tea"), "I may not say."], quote).say("What is tea?")
    assert state["messages"][-1].text == "I may not say."


async def test_answers_stand_in_the_order_of_their_calls(make: Make) -> None:
    """Whatever they are made of: plain answers, commands, and what was refused."""
    named = [(name, str(id_)) for id_, name in enumerate(["none", "look", "filed", "look"])]
    asked = AIMessage("", tool_calls=[{"name": name, "args": {"item": id_}, "id": id_} for name, id_ in named])
    state = await make([asked, "Done."], look, filed).say("Do all.")
    assert [it.tool_call_id for it in state["messages"] if it.type == "tool"] == ["0", "1", "2", "3"]

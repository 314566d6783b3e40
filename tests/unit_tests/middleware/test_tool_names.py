"""A tool of the agent's never stands unnoticed in the place of one of memory's."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.tools import tool

from langchain_agentmem import AgentMemory, ConfigurationError
from tests.conftest import Call
from tests.unit_tests.faces.either import USER
from tests.unit_tests.faces.scripted import ScriptedModel


@tool
def manage_memory(content: str) -> str:
    """Keep something, as tools of other packages do."""
    return content


async def test_a_tool_that_takes_the_name_of_one_of_memorys_is_refused(call: Call) -> None:
    """The model would get that one, and delete nothing that the user asks to forget; without memory's it runs."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for ours, is_refused in (({}, True), ({"tools": False}, False)):
            middleware = memory.middleware(**ours)
            agent = create_agent(ScriptedModel(script=["Fine."]), [manage_memory], middleware=[middleware])
            if is_refused:
                with pytest.raises(ConfigurationError, match=r"manage_memory.*tools=False"):
                    await call(agent, "invoke", {"messages": [("user", "Hi")]}, USER)
            else:
                state = await call(agent, "invoke", {"messages": [("user", "Hi")]}, USER)
                assert state["messages"][-1].text == "Fine."


async def test_memorys_own_tools_may_be_given_twice(call: Call) -> None:
    """By the middleware and by hand; and a provider's tools, which are plain dicts, take nobody's name."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        tools: list[Any] = [*memory.tools(), {"type": "web_search"}]
        agent = create_agent(ScriptedModel(script=["Fine."]), tools, middleware=[memory.middleware()])
        state = await call(agent, "invoke", {"messages": [("user", "Hi")]}, USER)
        assert state["messages"][-1].text == "Fine."

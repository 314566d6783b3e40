"""Both kinds of agent out of one script: a memory graph, and `create_agent` with the middleware."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from langchain.agents import create_agent
from langchain_core.tools import BaseTool
from langgraph.checkpoint.memory import InMemorySaver

from langchain_agentmem import AgentMemory
from langchain_agentmem.graph import GraphOptions, create_memory_graph
from tests.conftest import Call
from tests.unit_tests.faces.scripted import ScriptedModel

USER: dict[str, Any] = {"configurable": {"user_id": "alice", "thread_id": "t"}}


class Made:
    """A graph or an agent, and what its model was asked."""

    def __init__(self, graph: Any, model: ScriptedModel, call: Call) -> None:  # noqa: ANN401  (of either type)
        self.graph, self.model, self._call = graph, model, call

    async def say(self, text: str, **configurable: Any) -> dict[str, Any]:
        """Take a turn."""
        return await self.run({"messages": [("user", text)]}, **configurable)

    async def run(self, given: Any, **configurable: Any) -> dict[str, Any]:  # noqa: ANN401  (a state, or a command)
        config = {"configurable": {**USER["configurable"], **configurable}}
        state: dict[str, Any] = await self._call(self.graph, "invoke", given, config)
        return state

    @property
    def told(self) -> str:
        """All that the last request says."""
        return "\n".join(it.text for it in self.model.requests[-1])


Make: TypeAlias = Callable[..., Made]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[AgentMemory]:
    """Memory with a repository of skills and policies, empty as yet."""
    settings = {"path": tmp_path / "procedures", "create": True}
    with AgentMemory.in_memory(embeddings=None, consent="assumed", procedural=settings) as memory:
        yield memory


@pytest.fixture(params=["graph", "agent"])
def make(memory: AgentMemory, call: Call, request: pytest.FixtureRequest) -> Make:
    """Make either kind of agent out of a script, with the same options; it writes before a turn ends."""

    def made(script: list[Any], *tools: BaseTool, saver: Any = None, **options: Any) -> Made:  # noqa: ANN401
        options = {"writes": "inline", **options}
        model = ScriptedModel(script=script)
        return Made(agent_of(request.param, memory, model, *tools, saver=saver, **options), model, call)

    return made


def agent_of(
    kind: str,
    memory: AgentMemory,
    model: ScriptedModel,
    *tools: BaseTool,
    saver: Any = None,  # noqa: ANN401
    **options: Any,
) -> Any:  # noqa: ANN401  (of either type)
    """Return an agent of a kind, with its options; its tools are those that are given."""
    saver = InMemorySaver() if saver is None else saver
    if kind == "graph":
        return create_memory_graph(model, tools, memory, checkpointer=saver, options=GraphOptions(**options))
    middleware = memory.middleware(tools=False, **options)
    return create_agent(model, tools=list(tools), middleware=[middleware], checkpointer=saver)

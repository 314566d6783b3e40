"""Both kinds of agent out of one script: a memory graph, and `create_agent` with the middleware."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest
from langchain.agents import create_agent
from langchain_core.tools import BaseTool
from langgraph.checkpoint.memory import InMemorySaver

from langchain_agentmem import AgentMemory
from langchain_agentmem.graph import GraphOptions, create_memory_graph
from tests.conftest import Call
from tests.unit_tests.faces.scripted import ScriptedModel
from tests.vaults import CHOICE

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
After: TypeAlias = Callable[..., Awaitable[Made]]

_held: Final[dict[tuple[str, ...], tuple[bytes, Any]]] = {}
"""What is stored after a talk, by the kind of agent, its colour and what was said."""


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


@pytest.fixture
def after(memory: AgentMemory, make: Make, request: pytest.FixtureRequest) -> After:
    """Make an agent to whom all of something was said, and the memory of it; it is said once, and then copied."""

    async def begun(*said: str) -> Made:
        saver = InMemorySaver()
        agent = make(["Fine."] * (len(said) + 1), saver=saver)
        held = _held.get(key := (*(request.node.callspec.params[it] for it in ("make", "colour")), *said))
        if held is None or CHOICE:  # under a vault of its own a copy could not be read
            for it in said:
                await agent.say(it)
            _held[key] = read_all(memory), deepcopy((saver.storage, saver.writes, saver.blobs))
        else:
            write_all(memory, held[0])
            saver.storage, saver.writes, saver.blobs = deepcopy(held[1])
        return agent

    return begun


def read_all(memory: AgentMemory) -> bytes:
    """Return the database of a memory."""
    with stored(memory) as database:
        return database.serialize()


def write_all(memory: AgentMemory, content: bytes) -> None:
    """Put a database in the place of a memory's."""
    memory.open()
    with stored(memory) as database, closing(sqlite3.connect(":memory:")) as source:
        source.deserialize(content)
        source.backup(database)


@contextmanager
def stored(memory: AgentMemory) -> Iterator[sqlite3.Connection]:
    with closing(memory._database._engine().raw_connection()) as connection:
        database: Any = connection.driver_connection
        yield database


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

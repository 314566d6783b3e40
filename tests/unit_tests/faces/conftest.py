from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import pytest
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from langchain_agentmem.graph import GraphOptions, create_memory_graph
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.types import Memory, Scope
from tests.conftest import Colour
from tests.unit_tests.faces.scripted import ScriptedModel

Result: TypeAlias = dict[str, Any]
ALICE = Scope("alice")
BOB = Scope("bob")


@dataclass
class Agent:
    """A memory graph, and what a test sees of it."""

    graph: CompiledStateGraph[Any, Any, Any, Any]
    model: ScriptedModel
    saver: InMemorySaver | None
    colour: Colour

    async def say(self, text: str, *, user: str | None = "alice", thread: str = "t", **context: Any) -> Result:
        """Take one turn and return the state after it."""
        given = {**({} if user is None else {"user_id": user}), **context}
        config: RunnableConfig = {"configurable": {"thread_id": thread}}
        return await self._run({"messages": [("user", text)]}, config, given)

    async def resume(self, answer: Any, *, thread: str = "t") -> Result:  # noqa: ANN401  (whatever is asked for)
        """Go on after an interrupt."""
        config: RunnableConfig = {"configurable": {"thread_id": thread}}
        return await self._run(Command(resume=answer), config, {"user_id": "alice"})

    async def _run(self, given: Any, config: RunnableConfig, context: dict[str, Any]) -> Result:  # noqa: ANN401  (a state, or a command)
        if self.colour == "sync":
            state: Result = self.graph.invoke(given, config, context=context)
        else:
            state = await self.graph.ainvoke(given, config, context=context)
        return state

    def stored(self) -> str:
        """All that the checkpointer keeps, as text."""
        assert self.saver
        return repr(self.saver.storage) + repr(self.saver.blobs) + repr(self.saver.writes)


@dataclass
class World:
    """Where a tool acts: what was deployed, and what breaks."""

    deployed: list[str] = field(default_factory=list)
    broken: bool = False

    @property
    def deploy(self) -> BaseTool:
        @tool
        def deploy(target: str) -> str:
            """Deploy the service to a target."""
            if self.broken:
                msg = "no healthy upstream"
                raise RuntimeError(msg)
            self.deployed.append(target)
            return f"deployed to {target}"

        return deploy


@pytest.fixture
def memory() -> Iterator[AgentMemory]:
    """Memory of users who were asked, searched by words."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        yield memory


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def agent(memory: AgentMemory, colour: Colour) -> Callable[..., Agent]:
    """Make an agent out of a script, which writes before a turn ends; each test runs in both colours."""

    def make(script: Sequence[Any], *tools: BaseTool, parts: Any = None, mode: Any = "on", **options: Any) -> Agent:  # noqa: ANN401
        model = ScriptedModel(script=list(script), requests=[])
        saver = InMemorySaver(serde=JsonPlusSerializer(allowed_msgpack_modules=None))
        chosen = GraphOptions(**{"writes": "inline", **options})
        graph = create_memory_graph(model, tools, parts or memory, checkpointer=saver, mode=mode, options=chosen)
        return Agent(graph, model, saver, colour)

    return make


def remember(memory: AgentMemory, content: str, *, scope: Scope = ALICE, kind: Any = "preference") -> Memory:  # noqa: ANN401
    """Put a memory in place."""
    decision = memory.long_term.remember(content, scope=scope, kind=kind)
    assert decision.memory is not None
    return decision.memory


def contents(memory: AgentMemory, scope: Scope = ALICE) -> list[str]:
    """What is remembered of a user."""
    return [it.content for it in memory.long_term.list(scope=scope)]


MakeAgent: TypeAlias = Callable[..., Agent]

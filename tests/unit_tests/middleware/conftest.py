from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import pytest
from langchain.agents import create_agent
from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from langchain_agentmem import AgentMemory
from tests.conftest import Colour
from tests.unit_tests.faces.conftest import Result, World
from tests.unit_tests.faces.scripted import ScriptedModel


@dataclass
class Made:
    """An agent, and what a test sees of it."""

    graph: CompiledStateGraph[Any, Any, Any, Any]
    model: ScriptedModel
    saver: InMemorySaver
    colour: Colour

    async def say(self, text: str, *, user: str | None = "alice", thread: str = "t", **context: Any) -> Result:
        """Take one turn and return the state after it."""
        given = {**({} if user is None else {"user_id": user}), **context}
        return await self.run({"messages": [("user", text)]}, thread, given)

    async def resume(self, answer: Any, *, thread: str = "t") -> Result:  # noqa: ANN401  (whatever is asked for)
        """Go on after an interrupt."""
        return await self.run(Command(resume=answer), thread, {"user_id": "alice"})

    async def run(self, given: Any, thread: str, context: dict[str, Any]) -> Result:  # noqa: ANN401  (a state, or a command)
        """Run the agent in this test's colour."""
        config: RunnableConfig = {"configurable": {"thread_id": thread}}
        if self.colour == "sync":
            state: Result = self.graph.invoke(given, config, context=context)
        else:
            state = await self.graph.ainvoke(given, config, context=context)
        return state

    @property
    def told(self) -> str:
        """All that the last request says beside the conversation: the system message and the note."""
        return "\n".join([system_of(self.model), note_of(self.model)])

    def stored(self) -> str:
        """All that the checkpointer keeps, as text."""
        return repr(self.saver.storage) + repr(self.saver.blobs) + repr(self.saver.writes)


def system_of(model: ScriptedModel) -> str:
    """The system message of the last request."""
    return model.requests[-1][0].text


def notes_in(request: Sequence[BaseMessage]) -> list[BaseMessage]:
    """What memory put into a request beside the system message."""
    return [it for it in request if it.additional_kwargs.get("agentmem") == "memories"]


def note_of(model: ScriptedModel) -> str:
    """What memory put before the user's last message, in the last request."""
    return "\n".join(it.text for it in notes_in(model.requests[-1]))


def answers(state: Result) -> list[str]:
    """What the tools, or those who held them, answered."""
    return [it.text for it in state["messages"] if it.type == "tool"]


@pytest.fixture
def memory() -> Iterator[AgentMemory]:
    """Memory of users who were asked, searched by words."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        yield memory


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def agent(memory: AgentMemory, colour: Colour) -> Callable[..., Made]:
    """Make an agent out of a script; each test runs in both colours."""

    def make(script: Sequence[Any], *tools: Any, parts: Any = None, around: Any = None, **options: Any) -> Made:  # noqa: ANN401
        model = ScriptedModel(script=list(script))
        saver = InMemorySaver(serde=JsonPlusSerializer(allowed_msgpack_modules=None))
        middleware = (parts or memory).middleware(**options)
        listed = [middleware] if around is None else around(middleware)
        graph = create_agent(model, tools=list(tools), middleware=listed, checkpointer=saver, system_prompt="Be brief.")
        return Made(graph, model, saver, colour)

    return make


MakeAgent: TypeAlias = Callable[..., Made]

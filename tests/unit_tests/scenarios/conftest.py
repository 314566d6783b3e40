"""A memory whose clock the test moves, and an agent on it that takes one turn at a time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

import pytest

from langchain_agentmem import AgentMemory, GraphOptions, create_memory_graph
from tests.conftest import Colour
from tests.unit_tests.faces.scripted import ScriptedModel

Say: TypeAlias = Callable[..., Awaitable[dict[str, Any]]]


class Calendar:
    """A clock that stands until days are let pass."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 2, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_days(self, days: int) -> None:
        self.now += timedelta(days=days)


@pytest.fixture
def calendar() -> Calendar:
    return Calendar()


@pytest.fixture
def memory(calendar: Calendar) -> Iterator[AgentMemory]:
    """Memory of several applications: one platform has one architecture at a time."""
    made = AgentMemory.in_memory(embeddings=None, consent="assumed", clock=calendar, relations={"architecture": "one"})
    with made as memory:
        yield memory


@pytest.fixture
def say(memory: AgentMemory, colour: Colour) -> Say:
    """Give a function that takes one turn of a conversation with an agent, and returns the state after it."""

    async def take_turn(text: str, *, user: str | None = "ana", thread: str | None = "t") -> dict[str, Any]:
        graph = create_memory_graph(
            ScriptedModel(script=["Noted."]), memory=memory, options=GraphOptions(writes="inline")
        )
        config: Any = {} if thread is None else {"configurable": {"thread_id": thread}}
        context: Any = {} if user is None else {"user_id": user}
        if colour == "sync":
            return graph.invoke({"messages": [("user", text)]}, config, context=context)
        return await graph.ainvoke({"messages": [("user", text)]}, config, context=context)

    return take_turn

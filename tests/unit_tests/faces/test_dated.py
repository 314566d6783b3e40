"""When what was said in a turn holds: a recall of an earlier time gives what held then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.runnables import RunnableConfig

from langchain_agentmem import AgentMemory, GraphOptions, RecallQuery, Scope, create_memory_graph
from tests.conftest import Colour
from tests.contracts.profiles_contract import Clock
from tests.unit_tests.faces.scripted import ScriptedModel

ALICE = Scope("alice")
JUNE = datetime(2026, 6, 10, tzinfo=UTC)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(clock: Clock) -> Iterator[AgentMemory]:
    with AgentMemory.in_memory(embeddings=None, consent="assumed", clock=clock) as memory:
        yield memory


def graph(memory: AgentMemory, model: ScriptedModel) -> Any:  # noqa: ANN401  (of one state or another)
    return create_memory_graph(model, (), memory, options=GraphOptions(writes="inline"))


def inline(memory: AgentMemory, model: ScriptedModel) -> Any:  # noqa: ANN401  (as above)
    return create_agent(model, middleware=[memory.middleware(writes="inline")])


def queued(memory: AgentMemory, model: ScriptedModel) -> Any:  # noqa: ANN401  (as above)
    return create_agent(model, middleware=[memory.middleware()])


@pytest.mark.parametrize("make", [graph, inline, queued])
@pytest.mark.parametrize(
    "told", [("I moved to Lille.", JUNE), ("I moved to Lille last March.", datetime(2026, 3, 1, tzinfo=UTC))]
)
async def test_before_a_move_the_old_town_holds(
    memory: AgentMemory, clock: Clock, colour: Colour, make: Callable[..., Any], told: tuple[str, datetime]
) -> None:
    """Whoever runs the turn, the day that is named counts, or the day on which it was said."""
    said, moved = told
    config: RunnableConfig = {"configurable": {"thread_id": "t", "user_id": "alice", "user_name": "Alice"}}
    agent = make(memory, ScriptedModel(script=["Fine.", "Fine."]))
    clock.now = datetime(2025, 12, 1, tzinfo=UTC)
    for text in ("I live in Paris.", said):
        given: Any = {"messages": [("user", text)]}
        _ = agent.invoke(given, config) if colour == "sync" else await agent.ainvoke(given, config)
        memory.jobs.run()
        clock.now = JUNE

    def town(at: datetime) -> list[str]:
        query = RecallQuery(text="Where does Alice live?", kinds=("fact",), as_of=at, limit=9)
        return [it.memory.object or it.memory.content for it in memory.long_term.recall(query, scope=ALICE)]

    assert town(moved - timedelta(days=1)) == ["Paris"]
    assert town(moved + timedelta(days=1)) == ["Lille"]


async def test_a_move_told_of_late_ends_the_old_town_then(memory: AgentMemory, clock: Clock) -> None:
    """Where both are told on one day: the old town held before the move, the new one since."""
    agent = graph(memory, ScriptedModel(script=["Fine.", "Fine."]))
    clock.now = JUNE
    for text in ("I live in Paris.", "I moved to Lille last March."):
        await agent.ainvoke({"messages": [("user", text)]}, {"configurable": {"user_id": "alice"}})
    days = (datetime(2026, month, 1, tzinfo=UTC) for month in (2, 4))
    asked = [RecallQuery(text="town lives moved", as_of=day) for day in days]
    towns = [[it.memory.object for it in memory.long_term.recall(query, scope=ALICE)] for query in asked]
    assert towns == [["Paris"], ["Lille"]]

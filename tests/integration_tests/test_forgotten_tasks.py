"""What was forgotten is in no state of a task, on PostgreSQL and on Redis."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from langchain_agentmem import AgentMemory, Scope
from tests.conftest import Call
from tests.unit_tests.working.test_forgotten_tasks import TOLD

ALICE = Scope("alice of the forgotten tasks")
TASK = Scope(ALICE.user_id, session_id="s")


@pytest.fixture(params=["postgres", "redis"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AgentMemory]:
    if request.param == "redis":
        options = {"sql": f"sqlite:///{tmp_path / 'agent.db'}", "redis": request.getfixturevalue("valkey_url")}
    else:
        options = {"sql": request.getfixturevalue("postgres_url")}
    with AgentMemory.connect(**options, embeddings=None, consent="assumed") as memory:
        yield memory


async def test_a_request_in_words_reaches_every_task(memory: AgentMemory, call: Call) -> None:
    """The state loses what says it, and keeps the rest; a second request changes nothing."""
    await call(memory.working, "update", TASK, goal=TOLD, add_completed=["booked a table"])
    for _ in range(2):
        fact = (await call(memory.long_term, "remember", "The user has HIV", scope=ALICE)).require()
        await call(memory.long_term, "erase", fact.id, scope=ALICE)
    left = await call(memory.working, "get", TASK)
    assert (left.goal, left.completed_steps) == ("", ("booked a table",))
    await call(memory.working, "update", TASK, goal="Plan the trip")
    assert (await call(memory.working, "get", TASK)).goal == "Plan the trip"

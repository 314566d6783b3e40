"""Conversations handed over, on PostgreSQL; and by several processes, on SQLite as well, some of which are killed."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Final

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.ledger.sql.jobs import LEASE_S
from langchain_agentmem.long_term import ListQuery
from langchain_agentmem.long_term.remove.ending import INGEST_JOB
from tests.contracts.background_contract import BackgroundContract
from tests.integration_tests.worker import NEVER, opened, run_jobs
from tests.processes import Process, together
from tests.whole import ByTurns

USERS: Final = [f"user-{number}" for number in range(6)]
CITIES: Final = ("Rome", "Oslo", "Ghent", "Vienna")
WORKERS: Final = 3
DIES_AT: Final = (1, 2, 5)
"""While turns are embedded, while facts are, and later."""


class TestBackground(BackgroundContract):
    """The whole contract."""

    by_turns: ClassVar[ByTurns] = (BackgroundContract, 1)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """URL of a database that processes share."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'agent.db'}"
    found: str = request.getfixturevalue("prepared_postgres_url")
    return found


def hand_over(memory: AgentMemory) -> None:
    """Give every user conversations of which each contradicts the one before."""
    for number, city in enumerate(CITIES):
        for user in USERS:
            said = [HumanMessage(f"I live in {city}.", id=f"h{number}"), AIMessage("I see", id=f"a{number}")]
            memory.background.ingest(said, scope=Scope(user, session_id=f"s{number}"))


def check(memory: AgentMemory) -> None:
    """See that every user moved from city to city, each time once and in this order, and that every turn is there."""
    left = [it for it in memory.jobs.list() if it.kind == INGEST_JOB]  # a scrub waits while another process reads
    assert left == []
    for user in USERS:
        scope = Scope(user)
        homes = memory.long_term.select(ListQuery(statuses=("active", "superseded")), scope=scope)
        told = sorted(homes, key=lambda it: it.created_at)
        assert [it.content for it in told] == [f"The user lives in {city}" for city in CITIES]
        assert [it.status for it in told] == [*["superseded"] * (len(CITIES) - 1), "active"]
        assert [it.sightings for it in told] == [1] * len(CITIES)
        assert [it.text for it in memory.episodes.list(scope=scope)] == [f"I live in {city}." for city in CITIES]
        assert memory.long_term.verify(scope=scope).is_intact


def test_several_processes_take_in_every_conversation_once_and_in_order(url: str) -> None:
    """Workers of one database share the users out among them; none is done twice, none overtakes its user's others."""
    with opened(url) as memory:
        hand_over(memory)
        together([Process(run_jobs, url) for _ in range(WORKERS)])
        memory.jobs.run()
        check(memory)


def test_what_killed_workers_had_is_done_by_the_next(url: str) -> None:
    """After kill -9, while turns or facts are embedded, nothing is lost or doubled, and every user's order is kept."""
    with opened(url) as memory:
        hand_over(memory)
        for dies_at in DIES_AT:
            dying = Process(run_jobs, url, dies_at)
            dying.go()
            assert dying.end(is_killed=True) == []
        memory.jobs.run()
        assert memory.jobs.counts()["running"] == len(DIES_AT)
        together([Process(run_jobs, url, NEVER, LEASE_S)])
        check(memory)

"""Consolidation on PostgreSQL; and by several processes, on SQLite as well, one of which is killed."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import ClassVar, Final

import pytest

from langchain_agentmem import Candidate, Scope
from langchain_agentmem.consolidation import CONSOLIDATE_JOB
from langchain_agentmem.ledger.sql.jobs import LEASE_S
from langchain_agentmem.long_term import ListQuery
from tests.contracts.consolidation_contract import LONG, SHORT, ConsolidationContract
from tests.integration_tests.worker import NEVER, opened, run_jobs
from tests.processes import Process, together
from tests.whole import ByTurns

USERS: Final = [Scope(f"user-{number}", session_id="talk") for number in range(6)]
PAIRS: Final = ((SHORT, LONG), (SHORT.replace("Python", "tea"), LONG.replace("Python", "tea")))
WORKERS: Final = 2


class TestConsolidation(ConsolidationContract):
    """The whole contract."""

    by_turns: ClassVar[ByTurns] = (ConsolidationContract, 1)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """URL of a database that processes share."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'agent.db'}"
    found: str = request.getfixturevalue("prepared_postgres_url")
    return found


def test_several_processes_merge_everything_once(url: str) -> None:
    """One dies with a merge half done, two others do what it left: each pair is one memory, made once."""
    with opened(url) as memory:
        for scope in USERS:
            for content in (it for pair in PAIRS for it in pair):
                memory.long_term.remember(Candidate(content=content, kind="preference"), scope=scope)
            for session in ("talk", "another"):
                memory.consolidation.schedule(replace(scope, session_id=session), after=timedelta())
        dying = Process(run_jobs, url, 1)
        dying.go()
        assert dying.end(is_killed=True) == []
        together([Process(run_jobs, url, NEVER, LEASE_S) for _ in range(WORKERS)])
        assert [it for it in memory.jobs.list() if it.kind == CONSOLIDATE_JOB] == []
        for scope in USERS:
            every = memory.long_term.select(ListQuery(statuses=("active", "superseded")), scope=scope)
            merged = sorted(it.content for it in every if it.source == "merged")
            assert merged == sorted(long for _, long in PAIRS)
            assert sorted(it.content for it in every if it.status == "active") == merged
            assert memory.long_term.verify(scope=scope).is_intact

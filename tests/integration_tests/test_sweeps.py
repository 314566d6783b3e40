from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from langchain_agentmem._flow import run
from langchain_agentmem.jobs import JobReport
from tests import servers
from tests.conftest import Call
from tests.contracts.sweep_contract import DAY, HOUR, ROUNDS, SharedSweepContract, SweepContract, Time, opened, use


class TestSweeps(SweepContract):
    """The contract on PostgreSQL."""


class TestSharedSweeps(SharedSweepContract):
    """The contract of several processes on PostgreSQL."""

    @pytest.fixture
    def shared_url(self, prepared_postgres_url: str) -> str:
        return prepared_postgres_url


async def test_with_redis_a_run_repairs_the_indexes(redis_url: str, tmp_path: Path, call: Call) -> None:
    """What expired is in no list of threads any more, and what lives is."""
    clock = Time()
    with opened(f"sqlite:///{tmp_path / 'agent.db'}", clock, redis=redis_url) as memory:
        use(memory, "goes", HOUR)
        use(memory, "stays", None)
        registry = memory.checkpointer._setting.threads._backend.registry  # type: ignore[attr-defined]  # Redis's
        clock.now += DAY + timedelta(minutes=1)
        assert await call(memory.jobs, "run") == JobReport(done=ROUNDS)
        assert [it.thread_id for it in run(registry.page(registry.everything, None, 9))] == ["stays"]
        assert not any(b"{goes}" in key for key in servers.redis_keys(redis_url))

"""Turns of threads end with them, on PostgreSQL, and where the threads are on Redis."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import ClassVar

import pytest

from langchain_agentmem import AgentMemory
from langchain_agentmem.sql.url import sqlite_url
from tests.contracts.kept_threads_contract import KeptThreadsContract, Open
from tests.contracts.long_term_contract import Clock
from tests.whole import ByTurns


class TestPostgres(KeptThreadsContract):
    """Threads and turns in one database."""

    by_turns: ClassVar[ByTurns] = (KeptThreadsContract, 0)

    @pytest.fixture
    def opened(self, prepared_postgres_url: str) -> Open:
        return partial(AgentMemory.connect, sql=prepared_postgres_url)


class TestRedis(KeptThreadsContract):
    """Threads apart from their turns: Redis drops what has expired without a word."""

    by_turns: ClassVar[ByTurns] = (KeptThreadsContract, 1)

    histories_are_pointed_at = False

    @pytest.fixture
    def clock(self) -> Clock:
        """Begin now: Redis ends keys by its own clock."""
        clock = Clock()
        clock.now = datetime.now(UTC)
        return clock

    @pytest.fixture
    def opened(self, tmp_path: Path, valkey_url: str) -> Open:
        return partial(AgentMemory.connect, sql=sqlite_url(tmp_path / "memory.db"), redis=valkey_url)

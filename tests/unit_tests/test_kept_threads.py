"""Turns of threads end with them, on SQLite."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from langchain_agentmem import AgentMemory
from tests.contracts.kept_threads_contract import KeptThreadsContract, Open


class TestKeptThreads(KeptThreadsContract):
    """On a file of SQLite, which holds threads and turns."""

    @pytest.fixture
    def opened(self, tmp_path: Path) -> Open:
        return partial(AgentMemory.embedded, tmp_path / "memory.db")

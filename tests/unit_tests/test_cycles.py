"""Cycles of forgetting beside others, in a SQLite file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contracts.cycle_contract import CycleContract


class TestCycles(CycleContract):
    """The whole contract, in a file: one in memory has one connection."""

    @pytest.fixture
    def sql_url(self, tmp_path: Path) -> str:
        return f"sqlite:///{tmp_path / 'agent.db'}"

"""Forgetting on SQLite."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contracts.forgetting_contract import ForgettingContract


class TestForgetting(ForgettingContract):
    """The whole contract, in a file."""

    @pytest.fixture
    def sql_url(self, tmp_path: Path) -> str:
        return f"sqlite:///{tmp_path / 'agent.db'}"

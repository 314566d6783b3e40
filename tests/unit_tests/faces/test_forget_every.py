"""A request to forget reaches everything that says it, on SQLite."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contracts.forget_every_contract import ForgetEveryContract


class TestForgetEvery(ForgetEveryContract):
    """The whole contract."""

    @pytest.fixture
    def sql_url(self, tmp_path: Path) -> str:
        return f"sqlite:///{tmp_path / 'agent.db'}"

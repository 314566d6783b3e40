"""What is shown of sensitive data, on SQLite."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contracts.shown_contract import ShownContract


class TestShown(ShownContract):
    """The whole contract, in a file."""

    @pytest.fixture
    def sql_url(self, tmp_path: Path) -> str:
        return f"sqlite:///{tmp_path / 'agent.db'}"

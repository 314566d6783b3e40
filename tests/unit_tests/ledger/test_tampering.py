from __future__ import annotations

import pytest

from tests.contracts.tamper_contract import TamperContract


class TestTampering(TamperContract):
    """The contract on SQLite; a file would hold the same rows."""

    @pytest.fixture
    def sql_url(self) -> str:
        return "sqlite://"

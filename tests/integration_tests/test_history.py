from __future__ import annotations

import pytest

from tests.contracts.history_contract import HistoryContract, SharedHistoryContract


class TestHistory(HistoryContract):
    """The contract on PostgreSQL."""


class TestSharedHistory(SharedHistoryContract):
    """The contract of several processes on PostgreSQL."""

    @pytest.fixture
    def shared_url(self, postgres_url: str) -> str:
        return postgres_url

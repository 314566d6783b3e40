from __future__ import annotations

import pytest

from langchain_agentmem.testing import HistorySuite
from tests.contracts.flat_adds_contract import FlatAddsContract
from tests.contracts.history_contract import HistoryContract, OfBackend, OnSQL
from tests.contracts.retention_contract import RetentionContract
from tests.contracts.shared_history_contract import SharedHistoryContract
from tests.contracts.summary_contract import SummaryContract


class TestHistory(OnSQL, OfBackend, HistorySuite):
    """The public laws on PostgreSQL."""


class TestHistoryBeside(OnSQL, HistoryContract):
    """What is ours beside them."""


class TestFlatAdds(OnSQL, FlatAddsContract):
    """The contract of what an add costs, on PostgreSQL."""


class TestRetention(OnSQL, RetentionContract):
    """The contract of what is kept, on PostgreSQL."""


class TestSummary(OnSQL, SummaryContract):
    """The contract of summaries, on PostgreSQL."""


class TestSharedHistory(SharedHistoryContract):
    """The contract of several processes on PostgreSQL."""

    @pytest.fixture
    def shared_url(self, postgres_url: str) -> str:
        return postgres_url

from __future__ import annotations

from tests.contracts.cold_view_contract import ColdViewContract


class TestColdView(ColdViewContract):
    """The contract on a SQLite file and in memory."""

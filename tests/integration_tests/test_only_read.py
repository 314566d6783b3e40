"""Recalls of a PostgreSQL that is only read, as a standby is."""

from __future__ import annotations

import pytest

from tests.contracts.only_read_contract import OnlyReadContract


class TestOnlyRead(OnlyReadContract):
    """The contract on PostgreSQL."""

    @pytest.fixture
    def only_read_url(self, sql_url: str) -> str:
        self.fill(sql_url)
        return f"{sql_url}?options=-c%20default_transaction_read_only%3Don"

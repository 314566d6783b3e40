from __future__ import annotations

import pytest

from langchain_agentmem._flow import run
from langchain_agentmem.ledger.sql import SQLLedger
from tests.contracts.tamper_contract import HEAD, TamperContract
from tests.ledgers import ALICE, sql


class TestTampering(TamperContract):
    """The contract on SQLite; a file would hold the same rows."""

    @pytest.fixture
    def sql_url(self) -> str:
        return "sqlite://"

    @pytest.mark.parametrize("value", ["'text'", "7", "X'00ff'"])
    @pytest.mark.parametrize(
        "column",
        ["genesis_salt", "genesis", "head_seq", "head_digest", "head_mac", "consent_purposes", "consent_at"],
    )
    def test_a_value_of_another_type_is_found(self, ledger: SQLLedger, column: str, value: str) -> None:
        """SQLite takes any type into any column: what cannot be walked is a finding, not an accident."""
        sql(ledger.database, HEAD.format(f"{column} = {value}"))
        assert not run(ledger.verify(ALICE)).is_intact

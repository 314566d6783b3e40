from __future__ import annotations

import re

import pytest

from langchain_agentmem._flow import run
from langchain_agentmem.ledger.sql import SQLLedger
from tests.contracts.head_contract import HeadContract
from tests.contracts.history_contract import HistoryContract
from tests.contracts.privacy_contract import PrivacyContract
from tests.contracts.sql_saver_contract import SQLSaverContract
from tests.contracts.tamper_contract import HEAD, TamperContract
from tests.contracts.timeline_contract import TimelineContract
from tests.contracts.vault_contract import VaultContract
from tests.ledgers import ALICE, sql
from tests.meta_tests.package import ROOT


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


class TestHeads(HeadContract):
    """The contract on SQLite."""

    @pytest.fixture
    def sql_url(self) -> str:
        return "sqlite://"


def test_every_line_about_attackers_names_a_test() -> None:
    """What the page says is held by tests that exist."""
    named = set(re.findall(r"`(test_\w+)`", (ROOT / "docs" / "attackers.md").read_text("utf-8")))
    ours = [TestTampering, TestHeads, TimelineContract, VaultContract, PrivacyContract]
    places = [*ours, HistoryContract, SQLSaverContract]
    assert len(named) >= 10
    assert {name for name in named if not any(hasattr(place, name) for place in places)} == set()

from __future__ import annotations

from langchain_agentmem.testing import LedgerSuite
from tests.contracts.ledger_contract import LedgerContract, LedgerFixtures


class TestLedger(LedgerFixtures, LedgerSuite):
    """The public laws on PostgreSQL."""


class TestLedgerBeside(LedgerContract):
    """What is ours beside them."""

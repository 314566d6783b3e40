from __future__ import annotations

from tests.contracts.ledger_contract import LedgerContract


class TestLedger(LedgerContract):
    """The contract on PostgreSQL."""

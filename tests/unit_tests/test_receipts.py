"""Receipts on SQLite, in a file and in memory."""

from __future__ import annotations

from tests.contracts.receipt_contract import ReceiptContract


class TestReceipts(ReceiptContract):
    """The whole contract."""

"""Receipts on PostgreSQL."""

from __future__ import annotations

from tests.contracts.receipt_contract import ReceiptContract


class TestReceipts(ReceiptContract):
    """The whole contract."""

"""Receipts on PostgreSQL."""

from __future__ import annotations

from typing import ClassVar

from tests.contracts.receipt_contract import ReceiptContract
from tests.whole import ByTurns


class TestReceipts(ReceiptContract):
    """The whole contract."""

    by_turns: ClassVar[ByTurns] = (ReceiptContract, 1)

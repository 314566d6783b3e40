"""Approvals on PostgreSQL."""

from __future__ import annotations

from typing import ClassVar

from tests.contracts.approval_contract import ApprovalContract
from tests.whole import ByTurns


class TestApprovals(ApprovalContract):
    """Every other law; SQLite holds to all of them."""

    by_turns: ClassVar[ByTurns] = (ApprovalContract, 1)

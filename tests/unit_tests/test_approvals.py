"""Approvals on SQLite, in a file and in memory."""

from __future__ import annotations

from tests.contracts.approval_contract import ApprovalContract


class TestApprovals(ApprovalContract):
    """The whole contract."""

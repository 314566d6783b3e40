"""Approvals on PostgreSQL."""

from __future__ import annotations

from tests.contracts.approval_contract import ApprovalContract


class TestApprovals(ApprovalContract):
    """The whole contract, on PostgreSQL."""

"""What the parts that govern promise of each other, on PostgreSQL."""

from __future__ import annotations

from tests.contracts.governance_contract import GovernanceContract


class TestGovernance(GovernanceContract):
    """The whole contract."""

"""Who may do what with the parts that govern a memory, on PostgreSQL."""

from __future__ import annotations

from tests.contracts.governed_access_contract import GovernedAccessContract


class TestGovernedAccess(GovernedAccessContract):
    """The whole contract."""

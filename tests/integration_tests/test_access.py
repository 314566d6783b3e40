"""Who may do what with whose memory, on PostgreSQL."""

from __future__ import annotations

from tests.contracts.access_contract import AccessContract


class TestAccess(AccessContract):
    """The whole contract."""

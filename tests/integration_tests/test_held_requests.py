"""What a legal hold leaves of a request to forget, on PostgreSQL."""

from __future__ import annotations

from tests.contracts.held_requests_contract import HeldRequestsContract


class TestHeldRequests(HeldRequestsContract):
    """The whole contract."""

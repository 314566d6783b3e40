"""What is shown of sensitive data, on PostgreSQL."""

from __future__ import annotations

from tests.contracts.shown_contract import ShownContract


class TestShown(ShownContract):
    """The whole contract."""

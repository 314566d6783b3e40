"""Statements that change, on PostgreSQL."""

from __future__ import annotations

from tests.contracts.updates_contract import UpdatesContract


class TestUpdates(UpdatesContract):
    """The whole contract."""

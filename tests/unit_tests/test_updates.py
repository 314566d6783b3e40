"""Statements that change, on SQLite."""

from __future__ import annotations

from tests.contracts.updates_contract import UpdatesContract


class TestUpdates(UpdatesContract):
    """The whole contract."""

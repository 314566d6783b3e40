"""Sizes of what is stored on SQLite, in a file and in memory."""

from __future__ import annotations

from tests.contracts.usage_contract import UsageContract


class TestUsage(UsageContract):
    """The whole contract."""

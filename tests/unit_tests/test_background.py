"""Conversations handed over, on SQLite, in a file and in memory."""

from __future__ import annotations

from tests.contracts.background_contract import BackgroundContract


class TestBackground(BackgroundContract):
    """The whole contract."""

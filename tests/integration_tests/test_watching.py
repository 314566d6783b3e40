"""Observers and counters on PostgreSQL."""

from __future__ import annotations

from tests.contracts.watching_contract import WatchingContract


class TestWatching(WatchingContract):
    """The whole contract."""

"""Runs that name no user, on SQLite, in a file and in memory."""

from __future__ import annotations

from tests.contracts.visitor_contract import VisitorContract


class TestVisitors(VisitorContract):
    """The whole contract."""

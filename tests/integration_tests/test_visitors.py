"""Runs that name no user, on PostgreSQL."""

from __future__ import annotations

from tests.contracts.visitor_contract import VisitorContract


class TestVisitors(VisitorContract):
    """The whole contract."""

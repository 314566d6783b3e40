"""Odd questions on SQLite."""

from __future__ import annotations

from tests.contracts.bad_query_contract import BadQueryContract


class TestBadQueries(BadQueryContract):
    """The whole contract."""

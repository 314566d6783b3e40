"""Integration tests: the same contracts on real servers."""

from __future__ import annotations

import pytest


@pytest.fixture
def sql_url(postgres_url: str) -> str:
    """URL of an empty PostgreSQL database; SQLite's turn is in the unit tests."""
    return postgres_url

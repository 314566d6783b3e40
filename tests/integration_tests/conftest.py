"""Integration tests: the same contracts on real servers."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def sql_url(postgres_url: str) -> str:
    """URL of an empty PostgreSQL database; SQLite's turn is in the unit tests."""
    return postgres_url


@pytest.fixture(params=["sqlite", "postgresql", "valkey", "cluster"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """URL of an empty place that processes can share: a SQLite file, PostgreSQL, Valkey, then a cluster of it."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'agent.db'}"
    fixtures = {"postgresql": "postgres_url", "valkey": "valkey_url", "cluster": "redis_cluster_url"}
    url: str = request.getfixturevalue(fixtures[request.param])
    return url

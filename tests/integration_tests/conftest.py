"""Integration tests: the same contracts on real servers."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(params=["postgresql"])
def sql_url(prepared_postgres_url: str) -> str:
    """URL of a PostgreSQL database without a row; SQLite's turn, in both colours, is in the unit tests."""
    return prepared_postgres_url


@pytest.fixture(scope="session")
def chroma_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where embedded Chroma keeps its files: making them takes longer than most tests; names keep these apart."""
    return tmp_path_factory.mktemp("chroma")


@pytest.fixture(params=["sqlite", "postgresql", "valkey", "cluster"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """URL of an empty place that processes can share: a SQLite file, PostgreSQL, Valkey, then a cluster of it."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'agent.db'}"
    fixtures = {"postgresql": "prepared_postgres_url", "valkey": "valkey_url", "cluster": "redis_cluster_url"}
    url: str = request.getfixturevalue(fixtures[request.param])
    return url

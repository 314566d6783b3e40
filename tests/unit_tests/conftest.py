"""Unit tests reach no network: opening a socket is an error here, unix sockets of the event loop apart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import pytest_socket


@pytest.fixture(autouse=True)
def _no_network() -> Iterator[None]:
    pytest_socket.disable_socket(allow_unix_socket=True)
    yield
    pytest_socket.enable_socket()


@pytest.fixture(params=["sqlite-file", "sqlite-memory"])
def sql_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """URL of an empty SQLite database: a file, then one in memory."""
    return "sqlite://" if request.param == "sqlite-memory" else f"sqlite:///{tmp_path / 'agent.db'}"

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.stores import Open, opening


@pytest.fixture
def open_store(sql_url: str) -> Iterator[Open]:
    """Open stores on an empty database, and close them after the test."""
    with opening(sql_url) as open_one:
        yield open_one

from __future__ import annotations

from collections.abc import Iterator

import pytest

from langchain_agentmem import AgentMemory
from langchain_agentmem.testing import LeakSuite
from tests.ledgers import Clock


class TestLeaks(LeakSuite):
    """The suite on SQLite, searched by words; PostgreSQL runs it in both colours for every kind of id."""

    colours = ("sync",)

    @pytest.fixture
    def memory(self) -> Iterator[AgentMemory]:
        with AgentMemory.in_memory(embeddings=None, clock=Clock()) as memory:
            yield memory


class TestAwaitedLeaks(TestLeaks):
    """The awaited methods, for users."""

    colours = ("async",)
    dimensions = ("user_id",)

from __future__ import annotations

from collections.abc import Iterator

import pytest

from langchain_agentmem import AgentMemory
from langchain_agentmem.testing import Colour, Dimension, LeakSuite
from tests.ledgers import Clock


class TestAwaitedLeaks(LeakSuite):
    """The awaited methods on PostgreSQL."""

    colours: tuple[Colour, ...] = ("async",)
    dimensions: tuple[Dimension, ...] = ("user_id", "agent_id")

    @pytest.fixture
    def memory(self, prepared_postgres_url: str) -> Iterator[AgentMemory]:
        with AgentMemory.connect(sql=prepared_postgres_url, embeddings=None, clock=Clock()) as memory:
            yield memory


class TestLeaks(TestAwaitedLeaks):
    """The blocking methods on PostgreSQL, for the ids that the awaited ones leave out."""

    colours: tuple[Colour, ...] = ("sync",)
    dimensions: tuple[Dimension, ...] = ("joined",)

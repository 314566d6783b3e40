from __future__ import annotations

from collections.abc import Iterator

import pytest

from langchain_agentmem import AgentMemory
from langchain_agentmem.testing import LeakSuite
from tests.ledgers import Clock


class TestLeaks(LeakSuite):
    """The whole suite on PostgreSQL."""

    @pytest.fixture
    def memory(self, postgres_url: str) -> Iterator[AgentMemory]:
        with AgentMemory.connect(sql=postgres_url, embeddings=None, clock=Clock()) as memory:
            yield memory

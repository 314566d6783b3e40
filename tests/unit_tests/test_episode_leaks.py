from __future__ import annotations

from collections.abc import Iterator

import pytest

from langchain_agentmem import AgentMemory
from langchain_agentmem.testing import DIMENSIONS, Dimension
from tests.contracts.episode_leaks import EpisodeLeakContract
from tests.ledgers import Clock
from tests.whole import few


class TestEpisodeLeaks(EpisodeLeakContract):
    """On SQLite, searched by words; ids that are joined have their turn on PostgreSQL."""

    dimensions: tuple[Dimension, ...] = few(("user_id", "agent_id"), of=DIMENSIONS)

    @pytest.fixture
    def memory(self) -> Iterator[AgentMemory]:
        with AgentMemory.in_memory(embeddings=None, clock=Clock()) as memory:
            yield memory


class TestTenants(TestEpisodeLeaks):
    """The same for tenants."""

    dimensions: tuple[Dimension, ...] = ("tenant_id",)

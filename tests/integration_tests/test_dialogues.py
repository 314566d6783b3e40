"""Conversations that are threads, on PostgreSQL and on Redis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import pytest

from langchain_agentmem import AgentMemory
from tests.contracts.dialogue_contract import DialogueContract
from tests.whole import ByTurns


class TestPostgres(DialogueContract):
    """Threads on PostgreSQL."""

    by_turns: ClassVar[ByTurns] = (DialogueContract, 0)

    @pytest.fixture
    def memory(self, prepared_postgres_url: str) -> Iterator[AgentMemory]:
        """Memory on a server."""
        with AgentMemory.connect(sql=prepared_postgres_url, embeddings=None, consent="assumed") as memory:
            yield memory


class TestRedis(DialogueContract):
    """Threads on Redis."""

    by_turns: ClassVar[ByTurns] = (DialogueContract, 1)

    @pytest.fixture
    def memory(self, valkey_url: str) -> Iterator[AgentMemory]:
        """Memory whose threads and conversations are on Redis."""
        with AgentMemory.connect(sql="sqlite://", redis=valkey_url, embeddings=None, consent="assumed") as memory:
            yield memory

"""The contract of the vault on PostgreSQL, and on Valkey beside it."""

from __future__ import annotations

import pytest
import redis

from langchain_agentmem import AgentMemory
from tests.contracts.vault_contract import VaultContract
from tests.whole import ByTurns


class TestVault(VaultContract):
    """PostgreSQL alone."""

    by_turns: ByTurns = (VaultContract, 0)

    @pytest.fixture
    def sql_url(self, prepared_postgres_url: str) -> str:
        return prepared_postgres_url


class TestVaultWithRedis(TestVault):
    """Conversations, tasks, threads and profiles on Valkey; what is stored is the dump of every key too."""

    by_turns: ByTurns = (VaultContract, 1)

    @pytest.fixture
    def redis_address(self, valkey_url: str) -> str | None:
        self.address = valkey_url
        return valkey_url

    def stored(self, memory: AgentMemory) -> bytes:
        with redis.Redis.from_url(self.address) as client:
            keys = [*client.scan_iter()]
            dumps = [*keys, *(client.dump(key) or b"" for key in keys)]
            assert len(keys) > 3
        return b"\n".join(dumps).lower() + super().stored(memory)

"""Sensitive data on PostgreSQL; and with conversations and working states on Redis."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from langchain_agentmem.redis.database import RedisDatabase
from tests.contracts.sensitive_contract import SensitiveContract


class TestSensitive(SensitiveContract):
    """Every other law on PostgreSQL."""

    by_turns = (SensitiveContract, 0)


class TestSensitiveOnRedis(SensitiveContract):
    """The other laws where conversations and states are on a Redis."""

    by_turns = (SensitiveContract, 1)

    @pytest.fixture
    def redis(self, valkey_url: str) -> Iterator[RedisDatabase]:
        database = RedisDatabase(valkey_url)
        yield database
        database.close()

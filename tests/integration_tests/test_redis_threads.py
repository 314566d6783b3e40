from __future__ import annotations

from collections.abc import Iterator

import pytest

from langchain_agentmem._flow import run
from langchain_agentmem.checkpoints.redis import RedisThreads
from langchain_agentmem.redis.database import RedisDatabase
from tests.contracts.threads_contract import Holds, ThreadsContract


class TestRedisThreads(ThreadsContract):
    """The contract on Valkey, Redis 8 and a cluster, and the laws of Redis."""

    @pytest.fixture
    def threads(self, redis_url: str) -> Iterator[RedisThreads]:
        database = RedisDatabase(redis_url)
        yield RedisThreads(database)
        database.close()

    @pytest.fixture
    def holds(self, threads: RedisThreads) -> Holds:
        return lambda: len(run(threads.database.scan(b"*")))

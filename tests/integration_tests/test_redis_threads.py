from __future__ import annotations

from collections.abc import Iterator

import pytest

from langchain_agentmem._flow import run
from langchain_agentmem.checkpoints import turns
from langchain_agentmem.checkpoints.redis import RedisThreads, removing
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

    def test_a_removal_has_its_turn(self, valkey_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """However busy this process is with a thread, it begins once; and then the turn is somebody else's."""
        monkeypatch.setattr(removing, "MAX_STARTS", 1)
        monkeypatch.setattr(turns, "PATIENCE_S", 60)
        database = RedisDatabase(valkey_url)
        threads = RedisThreads(database)
        self.test_a_removal_takes_nothing_that_came_meanwhile(threads)
        assert threads._backend.turns.take("t")
        database.close()

"""Sizes of what is stored on PostgreSQL, and beside it on Redis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import pytest
from typer.testing import CliRunner

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.cli import app
from langchain_agentmem.redis.database import RedisDatabase
from tests.contracts.usage_contract import SAID, UsageContract
from tests.whole import ByTurns


class TestUsage(UsageContract):
    """The whole contract."""

    by_turns: ClassVar[ByTurns] = (UsageContract, 0)


class TestUsageOnRedis(UsageContract):
    """The whole contract, conversations and threads on Valkey, Redis and a cluster."""

    by_turns: ClassVar[ByTurns] = (UsageContract, 1)

    @pytest.fixture
    def redis(self, redis_url: str) -> Iterator[RedisDatabase]:
        database = RedisDatabase(redis_url)
        yield database
        database.close()


def test_the_command_line_shows_servers_too(sql_url: str, valkey_url: str) -> None:
    """`agentmem stats` takes the URL of a PostgreSQL, and of the Redis beside it."""
    with AgentMemory.connect(sql=sql_url, redis=valkey_url, embeddings=None, consent="assumed") as memory:
        memory.history(Scope("alice", session_id="talk")).add_messages(SAID)
    output = CliRunner().invoke(app, ["stats", sql_url, "--redis", valkey_url], env={"COLUMNS": "200"}).output
    rows = {line.split()[0]: line.split()[1] for line in output.splitlines() if line.strip()}
    assert rows["conversations"] == "2"

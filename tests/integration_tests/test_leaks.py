from __future__ import annotations

from collections.abc import Iterator

import pytest

from langchain_agentmem import AgentMemory
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.states.redis import RedisStates
from langchain_agentmem.testing import Colour, Dimension, LeakSuite, WorkingDimension, WorkingSuite
from langchain_agentmem.working.service import WorkingMemory
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


class TestWorkingLeaks(WorkingSuite):
    """Working memory on PostgreSQL."""

    colours: tuple[Colour, ...] = ("async",)
    dimensions: tuple[WorkingDimension, ...] = ("user_id", "session_id", "joined")

    @pytest.fixture
    def working(self, prepared_postgres_url: str) -> Iterator[WorkingMemory]:
        with AgentMemory.connect(sql=prepared_postgres_url, embeddings=None) as memory:
            yield memory.working


class TestWorkingLeaksOfRedis(WorkingSuite):
    """Working memory on Redis: in the awaited colour for every kind of id."""

    colours: tuple[Colour, ...] = ("async",)

    @pytest.fixture
    def working(self, valkey_url: str) -> Iterator[WorkingMemory]:
        database = RedisDatabase(valkey_url)
        yield WorkingMemory(RedisStates(database))
        database.close()

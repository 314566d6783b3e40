from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import pytest

from langchain_agentmem import AgentMemory, ApprovalPolicy
from langchain_agentmem.policies.approve import BySpeaker
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.states.redis import RedisStates
from langchain_agentmem.testing import (
    COLOURS,
    DIMENSIONS,
    WORKING_DIMENSIONS,
    Colour,
    Dimension,
    GovernanceLeakSuite,
    LeakSuite,
    WorkingDimension,
    WorkingSuite,
)
from langchain_agentmem.testing.leaks import FAMILIES
from langchain_agentmem.working.service import WorkingMemory
from tests.ledgers import Clock
from tests.whole import ByTurns, few


class TestAwaitedLeaks(LeakSuite):
    """The awaited methods on PostgreSQL, for what a collation or a pattern may confuse; SQLite is asked for all."""

    by_turns: ClassVar[ByTurns] = (LeakSuite, 0)

    colours: tuple[Colour, ...] = few(("async",), of=COLOURS)
    dimensions: tuple[Dimension, ...] = few(("user_id",), of=DIMENSIONS)
    families: Sequence[Sequence[str]] = few(FAMILIES[1:5], of=FAMILIES)
    neighbours: int = few(4, of=8)

    @pytest.fixture
    def memory(self, prepared_postgres_url: str) -> Iterator[AgentMemory]:
        with AgentMemory.connect(sql=prepared_postgres_url, embeddings=None, clock=Clock()) as memory:
            yield memory


class TestLeaks(TestAwaitedLeaks):
    """The blocking methods on PostgreSQL, for the ids that the awaited ones leave out."""

    by_turns: ClassVar[ByTurns] = (LeakSuite, 1)

    colours: tuple[Colour, ...] = ("sync",)
    dimensions: tuple[Dimension, ...] = ("joined",)


class TestGovernanceLeaks(GovernanceLeakSuite):
    """What governs, on PostgreSQL, for ids that read the same when joined."""

    by_turns: ClassVar[ByTurns] = (GovernanceLeakSuite, 1)

    colours: tuple[Colour, ...] = few(("async",), of=COLOURS)
    dimensions: tuple[Dimension, ...] = few(("joined",), of=DIMENSIONS)

    @pytest.fixture
    def memory(self, prepared_postgres_url: str) -> Iterator[AgentMemory]:
        policy = ApprovalPolicy(rules=[BySpeaker({"tool": "ask"})])
        with AgentMemory.connect(sql=prepared_postgres_url, embeddings=None, clock=Clock(), approval=policy) as memory:
            yield memory


class TestWorkingLeaks(WorkingSuite):
    """Working memory on PostgreSQL."""

    colours: tuple[Colour, ...] = few(("async",), of=COLOURS)
    dimensions: tuple[WorkingDimension, ...] = few(("user_id", "session_id", "joined"), of=WORKING_DIMENSIONS)

    @pytest.fixture
    def working(self, prepared_postgres_url: str) -> Iterator[WorkingMemory]:
        with AgentMemory.connect(sql=prepared_postgres_url, embeddings=None) as memory:
            yield memory.working


class TestWorkingLeaksOfRedis(WorkingSuite):
    """Working memory on Redis: in the awaited colour for every kind of id."""

    colours: tuple[Colour, ...] = few(("async",), of=COLOURS)

    @pytest.fixture
    def working(self, valkey_url: str) -> Iterator[WorkingMemory]:
        database = RedisDatabase(valkey_url)
        yield WorkingMemory(RedisStates(database))
        database.close()

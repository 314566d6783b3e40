"""What contracts about conversations start from: a memory on a database of its own, and two users who agreed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from langchain_agentmem import AgentMemory
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.sql.engine import Database
from tests.contracts.long_term_contract import Clock
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import ALICE, BOB


class ConversingBase:
    """Subclass it beside a fixture `sql_url`; override `options` for others."""

    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @pytest.fixture
    def embeddings(self) -> WordEmbeddings:
        return WordEmbeddings()

    @pytest.fixture
    def options(self, clock: Clock) -> MemoryOptions:
        return MemoryOptions(clock=clock)

    @pytest.fixture
    def database(self, sql_url: str) -> Iterator[Database]:
        database = Database(sql_url)
        yield database
        database.close()

    @pytest.fixture
    async def memory(
        self, database: Database, options: MemoryOptions, embeddings: WordEmbeddings
    ) -> AsyncIterator[AgentMemory]:
        async with AgentMemory(database, embeddings=embeddings, options=options) as memory:
            memory.consent.grant(ALICE)
            memory.consent.grant(BOB)
            yield memory

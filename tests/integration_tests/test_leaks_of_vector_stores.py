"""The leak suite where a vector store proposes: the kinds of id take turns among the stores, and so do the colours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from langchain_agentmem import AgentMemory
from langchain_agentmem.testing import COLOURS, DIMENSIONS, Colour, Dimension, LeakSuite
from langchain_agentmem.testing.leaks import FAMILIES
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import Clock
from tests.servers import Server
from tests.vector_stores import Place, collection, opened
from tests.whole import ByTurns, few

DIM = 64
NEIGHBOURS = 2
"""They write more rows than a vector store is asked for, and a store takes its time for each."""

FEW = (FAMILIES[0], FAMILIES[2][:4], FAMILIES[6][-4:])
"""Prefixes, wildcards and quotes: a store sees the keys of scopes, never an id; the ledger is asked for all of them."""


def memory_in(sql: str, place: Place) -> Iterator[AgentMemory]:
    with opened(place) as build:
        embeddings = WordEmbeddings(dim=DIM)
        options: dict[str, Any] = {"index_above": 0, "clock": Clock()}
        with AgentMemory.connect(sql=sql, embeddings=embeddings, index=build, **options) as memory:
            yield memory


class TestEmbeddedChroma(LeakSuite):
    """Chroma on files."""

    by_turns: ClassVar[ByTurns] = (LeakSuite, 0)

    colours: tuple[Colour, ...] = few(("sync",), of=COLOURS)
    dimensions: tuple[Dimension, ...] = few(("user_id",), of=DIMENSIONS)
    families: Sequence[Sequence[str]] = few(FEW, of=FAMILIES)
    neighbours: int = NEIGHBOURS

    @pytest.fixture
    def memory(self, chroma_folder: Path) -> Iterator[AgentMemory]:
        with collection("chroma", str(chroma_folder), DIM) as place:
            yield from memory_in("sqlite://", place)


class TestChromaServer(LeakSuite):
    """Chroma's server."""

    by_turns: ClassVar[ByTurns] = (LeakSuite, 1)

    colours: tuple[Colour, ...] = few(("async",), of=COLOURS)
    dimensions: tuple[Dimension, ...] = few(("joined",), of=DIMENSIONS)
    families: Sequence[Sequence[str]] = few(FEW, of=FAMILIES)
    neighbours: int = NEIGHBOURS

    @pytest.fixture
    def memory(self, chroma_server: Server) -> Iterator[AgentMemory]:
        with collection("chroma-server", f"{chroma_server.host}:{chroma_server.port}", DIM) as place:
            yield from memory_in("sqlite://", place)


class TestRedisVectorStore(LeakSuite):
    """Redis with the query engine."""

    by_turns: ClassVar[ByTurns] = (LeakSuite, 0)

    colours: tuple[Colour, ...] = few(("async",), of=COLOURS)
    dimensions: tuple[Dimension, ...] = few(("user_id", "agent_id"), of=DIMENSIONS)
    families: Sequence[Sequence[str]] = few(FEW, of=FAMILIES)
    neighbours: int = NEIGHBOURS

    @pytest.fixture
    def memory(self, redis_search_url: str) -> Iterator[AgentMemory]:
        yield from memory_in("sqlite://", Place(store="redis", where=redis_search_url, dim=DIM))


class TestPGVectorStore(LeakSuite):
    """PostgreSQL for the ledger and for the vectors."""

    by_turns: ClassVar[ByTurns] = (LeakSuite, 1)

    colours: tuple[Colour, ...] = few(("sync",), of=COLOURS)
    dimensions: tuple[Dimension, ...] = few(("tenant_id",), of=DIMENSIONS)
    families: Sequence[Sequence[str]] = few(FEW, of=FAMILIES)
    neighbours: int = NEIGHBOURS

    @pytest.fixture
    def memory(self, prepared_postgres_url: str) -> Iterator[AgentMemory]:
        yield from memory_in(prepared_postgres_url, Place(store="postgresql", where=prepared_postgres_url, dim=DIM))

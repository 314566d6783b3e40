"""The leak suite where a vector store proposes: the kinds of id take turns among the stores, and so do the colours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from langchain_agentmem import AgentMemory
from langchain_agentmem.testing import Colour, Dimension, LeakSuite
from langchain_agentmem.testing.leaks import FAMILIES
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import Clock
from tests.servers import Server
from tests.vector_stores import Place, collection, opened

DIM = 64
NEIGHBOURS = 4
"""They write more rows than a vector store is asked for, and a store takes its time for each."""

FEW = (FAMILIES[0], FAMILIES[2], FAMILIES[6])
"""Prefixes, wildcards and quotes: a store sees the keys of scopes, never an id; the ledger is asked for all of them."""


def memory_in(sql: str, place: Place) -> Iterator[AgentMemory]:
    with opened(place) as build:
        embeddings = WordEmbeddings(dim=DIM)
        with AgentMemory.connect(sql=sql, embeddings=embeddings, index=build, clock=Clock()) as memory:
            yield memory


class TestEmbeddedChroma(LeakSuite):
    """Chroma on files."""

    colours: tuple[Colour, ...] = ("sync",)
    dimensions: tuple[Dimension, ...] = ("user_id",)
    families = FEW
    neighbours: int = NEIGHBOURS

    @pytest.fixture
    def memory(self, chroma_folder: Path) -> Iterator[AgentMemory]:
        with collection("chroma", str(chroma_folder), DIM) as place:
            yield from memory_in("sqlite://", place)


class TestChromaServer(LeakSuite):
    """Chroma's server."""

    colours: tuple[Colour, ...] = ("async",)
    dimensions: tuple[Dimension, ...] = ("joined",)
    families = FEW
    neighbours: int = NEIGHBOURS

    @pytest.fixture
    def memory(self, chroma_server: Server) -> Iterator[AgentMemory]:
        with collection("chroma-server", f"{chroma_server.host}:{chroma_server.port}", DIM) as place:
            yield from memory_in("sqlite://", place)


class TestRedisVectorStore(LeakSuite):
    """Redis with the query engine."""

    colours: tuple[Colour, ...] = ("async",)
    dimensions: tuple[Dimension, ...] = ("user_id", "agent_id")
    families = FEW
    neighbours: int = NEIGHBOURS

    @pytest.fixture
    def memory(self, redis_search_url: str) -> Iterator[AgentMemory]:
        yield from memory_in("sqlite://", Place(store="redis", where=redis_search_url, dim=DIM))


class TestPGVectorStore(LeakSuite):
    """PostgreSQL for the ledger and for the vectors."""

    colours: tuple[Colour, ...] = ("sync",)
    dimensions: tuple[Dimension, ...] = ("tenant_id", "joined")
    families = FEW
    neighbours: int = NEIGHBOURS

    @pytest.fixture
    def memory(self, prepared_postgres_url: str) -> Iterator[AgentMemory]:
        yield from memory_in(prepared_postgres_url, Place(store="postgresql", where=prepared_postgres_url, dim=DIM))

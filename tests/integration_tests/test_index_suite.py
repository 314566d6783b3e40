"""The public index suite on the vector stores that LangChain users have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from langchain_agentmem.index.base import Index
from langchain_agentmem.index.vector_store import VectorStoreIndex
from langchain_agentmem.testing import COLOURS, Colour, IndexSuite
from langchain_agentmem.testing.leaks import FAMILIES
from tests.servers import Server
from tests.vector_stores import Place, collection, opened
from tests.whole import few


class TestEmbeddedChroma(IndexSuite):
    """Chroma on files, called; its server is awaited: both are one adapter and one client."""

    colours: ClassVar[tuple[Colour, ...]] = few(("sync",), of=COLOURS)

    @pytest.fixture
    def index(self, chroma_folder: Path) -> Iterator[Index]:
        with collection("chroma", str(chroma_folder)) as place, opened(place) as build:
            yield VectorStoreIndex(build, "m")


class TestChromaServer(IndexSuite):
    """Chroma's server, awaited, and without every look-alike: it takes its time for each row."""

    colours: ClassVar[tuple[Colour, ...]] = few(("async",), of=COLOURS)
    families: ClassVar[Sequence[Sequence[str]]] = few(FAMILIES[::3], of=FAMILIES)

    @pytest.fixture
    def index(self, chroma_server: Server) -> Iterator[Index]:
        where = f"{chroma_server.host}:{chroma_server.port}"
        with collection("chroma-server", where) as place, opened(place) as build:
            yield VectorStoreIndex(build, "m")


class TestRedisVectorStore(IndexSuite):
    """Redis with the query engine, rows as hashes."""

    options: ClassVar[dict[str, Any]] = {}

    @pytest.fixture
    def index(self, redis_search_url: str) -> Iterator[Index]:
        with opened(Place(store="redis", where=redis_search_url), **self.options) as build:
            yield VectorStoreIndex(build, "M,m|m")


class TestRedisJSON(TestRedisVectorStore):
    """The same, rows as JSON, and keys with one colon."""

    options: ClassVar[dict[str, Any]] = {"storage_type": "json", "legacy_key_format": False}


class TestPGVectorStore(IndexSuite):
    """PostgreSQL with pgvector, through psycopg."""

    driver = "psycopg"

    @pytest.fixture
    def index(self, prepared_postgres_url: str) -> Iterator[Index]:
        where = prepared_postgres_url.replace("+psycopg", f"+{self.driver}")
        with opened(Place(store="postgresql", where=where)) as build:
            yield VectorStoreIndex(build, "m")


class TestAsyncpg(TestPGVectorStore):
    """PostgreSQL with pgvector, through asyncpg, which is awaited."""

    colours: ClassVar[tuple[Colour, ...]] = ("async",)
    driver = "asyncpg"

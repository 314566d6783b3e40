"""Long-term memory whose vectors are in a vector store: the whole contract, store by store.

What every memory promises is shown of one of four stores, by turns (SQLite alone shows all of it), what concerns the
store of each of them. Users with few memories are asked about apart: there a view answers, and a recall promises the
same.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Colour
from tests.contracts.fed_long_term_contract import DIM, FedLongTermContract, FeedingContract, FewMemoriesContract
from tests.contracts.long_term_contract import LongTermContract
from tests.servers import Server
from tests.vector_stores import Place, StoreName, collection
from tests.whole import ByTurns, few


class TestEmbeddedChroma(FedLongTermContract):
    """SQLite, and Chroma on files, called; its server is awaited: both are one adapter and one client."""

    by_turns: ByTurns = (LongTermContract, 0, 4)

    @pytest.fixture(params=["sync"])
    def colour(self, request: pytest.FixtureRequest) -> Colour:
        colour: Colour = request.param
        return colour

    @pytest.fixture
    def sql_url(self, tmp_path: Path) -> str:
        return f"sqlite:///{tmp_path / 'agent.db'}"

    @pytest.fixture
    def place(self, chroma_folder: Path) -> Iterator[Place]:
        with collection("chroma", str(chroma_folder), DIM) as place:
            yield place


class TestChromaServer(TestEmbeddedChroma):
    """SQLite, and Chroma's server, awaited."""

    by_turns: ByTurns = (LongTermContract, 1, 4)

    @pytest.fixture(params=["async"])
    def colour(self, request: pytest.FixtureRequest) -> Colour:
        colour: Colour = request.param
        return colour

    @pytest.fixture
    def place(self, chroma_server: Server) -> Iterator[Place]:
        with collection("chroma-server", f"{chroma_server.host}:{chroma_server.port}", DIM) as place:
            yield place


class TestFedRedisVectorStore(FeedingContract):
    """PostgreSQL, and a Redis with the query engine, awaited."""

    @pytest.fixture(params=["async"])
    def colour(self, request: pytest.FixtureRequest) -> Colour:
        colour: Colour = request.param
        return colour

    @pytest.fixture
    def place(self, redis_search_url: str) -> Place:
        return Place(store="redis", where=redis_search_url, dim=DIM)


class TestRedisVectorStore(TestFedRedisVectorStore, FedLongTermContract):
    """The same, called."""

    by_turns: ByTurns = (LongTermContract, 2, 4)

    @pytest.fixture(params=["sync"])
    def colour(self, request: pytest.FixtureRequest) -> Colour:
        colour: Colour = request.param
        return colour


class TestFedPGVectorStore(FeedingContract):
    """PostgreSQL, and pgvector in the same database, called."""

    @pytest.fixture(params=["sync"])
    def colour(self, request: pytest.FixtureRequest) -> Colour:
        colour: Colour = request.param
        return colour

    @pytest.fixture
    def place(self, sql_url: str) -> Place:
        return Place(store="postgresql", where=sql_url, dim=DIM)


class TestPGVectorStore(TestFedPGVectorStore, FedLongTermContract):
    """The same, awaited."""

    by_turns: ByTurns = (LongTermContract, 3, 4)

    @pytest.fixture(params=["async"])
    def colour(self, request: pytest.FixtureRequest) -> Colour:
        colour: Colour = request.param
        return colour


class TestFewMemories(FewMemoriesContract):
    """Stores in one colour, the other one than above: none of them is asked."""

    @pytest.fixture(params=few(["chroma", "postgresql"], of=["chroma", "chroma-server", "redis", "postgresql"]))
    def store(self, request: pytest.FixtureRequest) -> StoreName:
        store: StoreName = request.param
        return store

    @pytest.fixture
    def colour(self, store: StoreName) -> Colour:
        return "async" if store in {"chroma", "redis"} else "sync"

    @pytest.fixture
    def place(self, store: StoreName, request: pytest.FixtureRequest) -> Iterator[Place]:
        if store in {"redis", "postgresql"}:
            url = request.getfixturevalue("redis_search_url" if store == "redis" else "prepared_postgres_url")
            yield Place(store=store, where=url, dim=DIM)
            return
        server = request.getfixturevalue("chroma_folder" if store == "chroma" else "chroma_server")
        where = str(server) if store == "chroma" else f"{server.host}:{server.port}"
        with collection(store, where, DIM) as place:
            yield place

"""Odd questions on PostgreSQL, and where a vector store proposes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, get_args

import pytest

from tests.contracts.bad_query_contract import BadQueryContract
from tests.contracts.long_term_contract import BuildIndex
from tests.fake_embeddings import WordEmbeddings
from tests.vector_stores import Place, StoreName, collection, opened
from tests.whole import ByTurns

DIM = 512


class TestBadQueries(BadQueryContract):
    """The whole contract."""

    by_turns: ClassVar[ByTurns] = (BadQueryContract, 0)


class TestBadQueriesOfVectorStores(BadQueryContract):
    """The whole contract, store by store, facts of SQLite's."""

    by_turns: ClassVar[ByTurns] = (BadQueryContract, 1)

    @pytest.fixture
    def sql_url(self, tmp_path: Path) -> str:
        return f"sqlite:///{tmp_path / 'agent.db'}"

    @pytest.fixture
    def embeddings(self) -> WordEmbeddings:
        return WordEmbeddings(dim=DIM)

    @pytest.fixture(params=get_args(StoreName))
    def place(self, request: pytest.FixtureRequest) -> Iterator[Place]:
        store: StoreName = request.param
        if store in {"redis", "postgresql"}:
            where = request.getfixturevalue("redis_search_url" if store == "redis" else "prepared_postgres_url")
            yield Place(store=store, where=where, dim=DIM)
            return
        server = request.getfixturevalue("chroma_folder" if store == "chroma" else "chroma_server")
        where = str(server) if store == "chroma" else f"{server.host}:{server.port}"
        with collection(store, where, DIM) as place:
            yield place

    @pytest.fixture
    def index(self, place: Place) -> Iterator[BuildIndex]:
        with opened(place) as build:
            yield build

"""The public suite of erasure where PostgreSQL or a vector store beside SQLite keeps what is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection

from langchain_agentmem import AgentMemory
from langchain_agentmem._flow import run
from langchain_agentmem.sql.schema import METADATA
from langchain_agentmem.testing import COLOURS, Colour, ErasureSuite
from tests.fake_embeddings import WordEmbeddings
from tests.vector_stores import collection, opened
from tests.whole import few

DIM = 64
UNCLEAN = "data_level0.bin"
"""hnswlib writes it as long as it may become: where no vector is yet, it holds what the process had in its memory."""


def every_byte(connection: Connection) -> bytes:
    """What all tables hold."""
    values = [it for table in METADATA.sorted_tables for row in connection.execute(table.select()) for it in row]
    return b"\n".join(it if isinstance(it, bytes) else str(it).encode() for it in values)


class TestErasure(ErasureSuite):
    """Every table of PostgreSQL."""

    @pytest.fixture
    def memory(self, prepared_postgres_url: str) -> Iterator[AgentMemory]:
        with AgentMemory.connect(sql=prepared_postgres_url, embeddings=WordEmbeddings(dim=DIM)) as memory:
            yield memory

    @pytest.fixture
    def stored(self, memory: AgentMemory) -> Callable[[], bytes]:
        return lambda: run(memory._database.read(every_byte))


class TestErasureWithChroma(ErasureSuite):
    """Every file of SQLite's and of embedded Chroma's: no word ever leaves the database for the vector store."""

    colours: tuple[Colour, ...] = few(("sync",), of=COLOURS)

    @pytest.fixture
    def memory(self, tmp_path: Path) -> Iterator[AgentMemory]:
        embeddings = WordEmbeddings(dim=DIM)
        with collection("chroma", str(tmp_path), DIM) as place, opened(place) as build:
            sql = f"sqlite:///{tmp_path / 'agent.db'}"
            with AgentMemory.connect(sql=sql, embeddings=embeddings, index=build, index_above=0) as memory:
                yield memory

    @pytest.fixture
    def stored(self, tmp_path: Path) -> Callable[[], bytes]:
        def look() -> bytes:
            files = (it for it in tmp_path.rglob("*") if it.is_file() and it.name != UNCLEAN)
            return b"".join(file.read_bytes() for file in files)

        return look

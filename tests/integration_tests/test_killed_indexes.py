"""What is left of a write whose process was killed between the ledger and the vector store."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem._flow import run
from tests.contracts.fed_long_term_contract import index_of
from tests.contracts.long_term_contract import Clock
from tests.fake_embeddings import WordEmbeddings
from tests.integration_tests.feeder import Moment, remember_and_die
from tests.processes import Process
from tests.servers import Server
from tests.vector_stores import STORES, Place, opened

ALICE = Scope("alice")
DIM = 64


@pytest.fixture(params=STORES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Each vector store, where two processes can reach it."""
    if request.param == "redis":
        return Place(store="redis", where=request.getfixturevalue("redis_search_url"), dim=DIM)
    if request.param == "postgresql":
        return Place(store="postgresql", where=request.getfixturevalue("postgres_url"), dim=DIM)
    if request.param == "chroma":
        return Place(store="chroma", where=str(tmp_path / "chroma"), dim=DIM)
    server: Server = request.getfixturevalue("chroma_server")
    return Place(store="chroma-server", where=f"{server.host}:{server.port}", dim=DIM, name=f"killed-{uuid4().hex}")


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_kill_between_ledger_and_index_loses_nothing(
    prepared_postgres_url: str, place: Place, moment: Moment
) -> None:
    """What the ledger has is found at once, and enters the index when the lease of the dead has run out."""
    clock = Clock()
    clock.now += timedelta(days=36_500)  # any lease that the other process took
    dying = Process(remember_and_die, prepared_postgres_url, place, moment, ["Alice owns a cat", "Alice owns a boat"])
    dying.go()
    assert dying.end(is_killed=True) == []
    with (
        opened(place) as build,
        AgentMemory.connect(
            sql=prepared_postgres_url,
            embeddings=WordEmbeddings(dim=DIM),
            index=build,
            index_above=0,
            consent="assumed",
            clock=clock,
        ) as memory,
    ):
        found = [hit.memory.content for hit in memory.long_term.recall("boat", scope=ALICE)]
        unfinished = memory.jobs.counts()
        done = run(memory._parts[1].jobs.run()).done
        report = memory.long_term.repair_index(dry_run=True)
        again = [hit.memory.content for hit in memory.long_term.recall("boat", scope=ALICE)]
        assert index_of(memory).dim == DIM
    assert (found, again) == (["Alice owns a boat"], ["Alice owns a boat"])
    assert (unfinished, done) == ({"running": 1}, 1)
    assert (report.checked, report.damaged) == (2, 0)

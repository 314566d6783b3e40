"""The vector store index on the real thing: Chroma in this process, and Chroma as a server."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import chromadb
import numpy as np
import pytest
from langchain_chroma import Chroma
from langchain_core.embeddings import Embeddings

from langchain_agentmem._flow import arun, run
from langchain_agentmem._search import SearchFilter, SearchQuery
from langchain_agentmem.errors import ConfigurationError, StorageError
from langchain_agentmem.index.scope_view import ScopeView
from langchain_agentmem.index.vector_store import VectorStoreIndex
from langchain_agentmem.types import Scope
from tests import servers
from tests.unit_tests.index.rows import AGENTS, query, row

ALICE, BOB = Scope("alice"), Scope("bob")
SETTINGS = chromadb.Settings(anonymized_telemetry=False)

Build = Callable[[Embeddings], Chroma]


def building(client: chromadb.ClientAPI, space: str = "cosine") -> Build:
    name = f"c{uuid.uuid4().hex}"
    settings = {"hnsw": {"space": space}}
    return lambda it: Chroma(name, embedding_function=it, client=client, collection_configuration=settings)


@pytest.fixture(params=["embedded", "server"])
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[chromadb.ClientAPI]:
    if request.param == "embedded":
        yield chromadb.PersistentClient(tmp_path, settings=SETTINGS)
    else:
        server: servers.Server = request.getfixturevalue("chroma_server")
        yield chromadb.HttpClient(server.host, server.port, settings=SETTINGS)


@pytest.fixture
def index(client: chromadb.ClientAPI) -> VectorStoreIndex:
    return VectorStoreIndex(building(client), "m")


def ids(index: VectorStoreIndex, scope: Scope, asked: SearchQuery) -> list[str]:
    return [proposal.memory_id for proposal in run(index.search(scope, asked))]


FILTERS = [
    SearchFilter(now=50, at=50),
    SearchFilter(now=50, at=50, agent_id="coder"),
    SearchFilter(now=50, at=50, kinds=("goal", "fact"), min_confidence=0.7),
    SearchFilter(now=50, at=50, kinds=()),
    SearchFilter(now=90, at=20, statuses=("active", "superseded")),
    SearchFilter(now=50, at=50, tags=("work",)),
    SearchFilter(now=50, at=50, tags=("work", "home"), purpose="ads"),
    SearchFilter(now=50, at=50, purpose="support"),
    SearchFilter(now=50, at=50, since=30, until=70),
]


def test_chroma_admits_exactly_the_rows_that_a_view_admits(index: VectorStoreIndex) -> None:
    """Every filter, compiled to Chroma's language, proposes the same memories with the same relevance."""
    random, view = np.random.default_rng(7), ScopeView()
    found = [
        row(
            f"m{at}",
            agent_id=AGENTS[at % 4],
            kind=("fact", "goal", "preference")[at % 3],
            status=("active", "active", "superseded")[at % 7 % 3],
            confidence=(0.3, 0.7, 1.0)[at % 5 % 3],
            created_at=at,
            valid_at=None if at % 2 else at,
            invalid_at=None if at % 3 else at + 40,
            expires_at=None if at % 5 else at + 60,
            tags=[("work", "home")[: at % 3], ()][at % 4 == 0],
            purposes=[(), ("ads",), ("support", "ads")][at % 6 % 3],
            vector=random.standard_normal(4),
        )
        for at in range(120)
    ]
    run(index.upsert(ALICE, found))
    view.apply(found, 1)
    for wanted in FILTERS:
        asked = SearchQuery(text="", vector=query("", [1, 1, 0, 0]).vector, filter=wanted, limit=99)
        expected = {it.memory_id: pytest.approx(it.relevance, abs=1e-4) for it in view.search(asked)}
        assert {it.memory_id: it.relevance for it in run(index.search(ALICE, asked))} == expected


async def test_what_is_awaited_is_kept(index: VectorStoreIndex) -> None:
    """The awaited forms write, replace, search and delete like the blocking ones."""
    await arun(index.upsert(ALICE, [row("a", vector=[0, 1]), row("b", vector=[1, 0])]))
    await arun(index.upsert(ALICE, [row("a", vector=[1, 0.1])]))
    assert [it.memory_id for it in await arun(index.search(ALICE, query("", [1, 0])))] == ["b", "a"]
    await arun(index.delete(ALICE, ["b", "unknown"]))
    assert ids(index, ALICE, query("", [1, 0])) == ["a"]


def test_a_changed_row_keeps_nothing_of_its_old_self(index: VectorStoreIndex) -> None:
    """Chroma merges metadata on update: a tag, a purpose and an end of time that went are gone all the same."""
    run(index.upsert(ALICE, [row("a", tags=["work"], purposes=["ads"], invalid_at=10, vector=[1, 0])]))
    run(index.upsert(ALICE, [row("a", vector=[1, 0])]))
    assert ids(index, ALICE, query("", [1, 0])) == ["a"]
    assert ids(index, ALICE, query("", [1, 0], tags=("work",))) == []


def test_users_with_memories_of_equal_ids_do_not_meet(index: VectorStoreIndex) -> None:
    """A write, a search and a delete of one user leave the other's memories alone."""
    run(index.upsert(ALICE, [row("same", vector=[1, 0])]))
    run(index.upsert(BOB, [row("same", vector=[1, 0]), row("bobs", vector=[1, 0])]))
    assert ids(index, ALICE, query("", [1, 0])) == ["same"]
    run(index.delete(BOB, ["same"]))
    assert (ids(index, ALICE, query("", [1, 0])), ids(index, BOB, query("", [1, 0]))) == (["same"], ["bobs"])


def test_chroma_is_told_no_text(client: chromadb.ClientAPI) -> None:
    """Documents in the collection are opaque ids, and no metadata says who or what."""
    build = building(client)
    index = VectorStoreIndex(build, "m", key=b"secret")
    run(index.upsert(ALICE, [row("m1", "zanzibar", agent_id="coder", tags=["hush"], vector=[1, 0])]))
    held = repr([client.get_collection(it.name).get() for it in client.list_collections()])
    assert not [word for word in ("zanzibar", "alice", "coder", "hush") if word in held]


@pytest.mark.parametrize("space", ["cosine", "l2", "ip"])
def test_every_distance_of_chroma_gives_the_same_relevance(client: chromadb.ClientAPI, space: str) -> None:
    """The collection's distance is read from its configuration and turned into the cosine."""
    index = VectorStoreIndex(building(client, space), "m")
    run(index.upsert(ALICE, [row("a", vector=[3, 4])]))
    (proposal,) = run(index.search(ALICE, query("", [1, 0])))
    assert proposal.parts["vector"] == pytest.approx(0.6, abs=1e-5)


def test_a_collection_of_another_size_is_refused_after_a_restart(client: chromadb.ClientAPI) -> None:
    """The size of what is in the collection is known when it is opened, and can change only after `reset`."""
    build = building(client)
    run(VectorStoreIndex(build, "m").upsert(ALICE, [row("a", vector=[1, 0])]))
    reopened = VectorStoreIndex(build, "m")
    with pytest.raises(ConfigurationError, match="3 numbers where the store's have 2"):
        run(reopened.upsert(ALICE, [row("b", vector=[1, 0, 0])]))
    run(reopened.reset())
    run(reopened.upsert(ALICE, [row("b", vector=[1, 0, 0])]))
    assert ids(reopened, ALICE, query("", [1, 0, 0])) == ["b"]


def test_more_rows_than_chroma_takes_at_once_are_written_in_batches(index: VectorStoreIndex) -> None:
    """A rebuild of a large scope is one call here."""
    random = np.random.default_rng(1)
    run(index.upsert(ALICE, [row(f"{at:04}", vector=random.standard_normal(4)) for at in range(2_500)]))
    assert len(ids(index, ALICE, query("", [1, 0, 0, 0], limit=30))) == 30


def test_a_server_that_is_gone_is_a_retryable_storage_error(chroma_server: servers.Server) -> None:
    """A connection that fails may be tried again."""
    client = chromadb.HttpClient(chroma_server.host, chroma_server.port, settings=SETTINGS)
    index = VectorStoreIndex(building(client), "m")
    client._server._api_url = f"http://{servers.HOST}:{servers.free_port()}"
    with pytest.raises(StorageError, match="the vector store failed") as caught:
        run(index.upsert(ALICE, [row("a", vector=[1, 0])]))
    assert caught.value.is_retryable

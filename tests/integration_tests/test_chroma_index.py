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

from langchain_agentmem._flow import run
from langchain_agentmem._search import SearchQuery
from langchain_agentmem.errors import ConfigurationError, StorageError
from langchain_agentmem.index.vector_store import EXACT_ROWS, VectorStoreIndex
from langchain_agentmem.types import Scope
from tests import servers
from tests.unit_tests.index.rows import query, row

ALICE = Scope("alice")

Build = Callable[[Embeddings], Chroma]


def building(client: chromadb.ClientAPI, space: str = "cosine") -> Build:
    name = f"c{uuid.uuid4().hex}"
    settings = {"hnsw": {"space": space}}
    return lambda it: Chroma(name, embedding_function=it, client=client, collection_configuration=settings)


@pytest.fixture(params=["embedded", "server"])
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[chromadb.ClientAPI]:
    if request.param == "embedded":
        yield chromadb.PersistentClient(tmp_path, settings=chromadb.Settings(anonymized_telemetry=False))
    else:
        server: servers.Server = request.getfixturevalue("chroma_server")
        yield chromadb.HttpClient(server.host, server.port, settings=chromadb.Settings(anonymized_telemetry=False))


@pytest.fixture
def index(client: chromadb.ClientAPI) -> VectorStoreIndex:
    return VectorStoreIndex(building(client), "m")


def ids(index: VectorStoreIndex, scope: Scope, asked: SearchQuery) -> list[str]:
    return [proposal.memory_id for proposal in run(index.search(scope, asked))]


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


def test_what_is_equal_to_hundreds_of_others_is_found(index: VectorStoreIndex) -> None:
    """Chroma's own search loses a row among enough equals of other users: few rows are compared one by one instead."""
    run(index.upsert(ALICE, [row("a", vector=[1, 0, 0, 0]), row("b", vector=[1, 1, 0, 0])]))
    for scope in (Scope(f"user-{number}") for number in range(40)):
        run(index.upsert(scope, [row(f"m{at}", vector=[1, 0, 0, 0]) for at in range(10)]))
    assert ids(index, ALICE, query("", [1, 0, 0, 0])) == ["a", "b"]


def test_many_rows_are_searched_by_chroma_itself(index: VectorStoreIndex) -> None:
    """Beyond a few hundred rows the store's own search answers, for any limit."""
    random = np.random.default_rng(1)
    run(index.upsert(ALICE, [row(f"{at:04}", vector=random.standard_normal(4)) for at in range(EXACT_ROWS + 50)]))
    few, all_of_them = (ids(index, ALICE, query("", [1, 0, 0, 0], limit=limit)) for limit in (30, 1_000_000))
    assert few == all_of_them[:30]
    assert len(all_of_them) > 100


def test_a_server_that_is_gone_is_a_retryable_storage_error(chroma_server: servers.Server) -> None:
    """A connection that fails may be tried again."""
    client = chromadb.HttpClient(
        chroma_server.host, chroma_server.port, settings=chromadb.Settings(anonymized_telemetry=False)
    )
    index = VectorStoreIndex(building(client), "m")
    client._server._api_url = f"http://{servers.HOST}:{servers.free_port()}"
    with pytest.raises(StorageError, match="the vector store failed") as caught:
        run(index.upsert(ALICE, [row("a", vector=[1, 0])]))
    assert caught.value.is_retryable

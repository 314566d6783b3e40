from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from langgraph.store.base import PutOp

from langchain_agentmem.store.sql import SQLStore
from langchain_agentmem.testing import PLACES, Place, StillClock, StoreContents, StoreIsolation, StoreLifetimes
from tests.contracts.store_contract import StoreContract
from tests.contracts.store_differential import StoreDifferential
from tests.contracts.store_interop_contract import StoreInteropContract
from tests.contracts.store_owner_contract import StoreOwnerContract
from tests.contracts.store_reindex_contract import StoreReindexContract
from tests.contracts.store_search_contract import StoreSearchContract
from tests.fake_embeddings import WordEmbeddings
from tests.processes import Process, Say, together
from tests.stores import Open, opening
from tests.whole import few


def write(_say: Say, url: str, name: str) -> None:
    """Put, delete and search."""
    with SQLStore.from_url(url, index={"embed": WordEmbeddings(dim=32), "fields": ["text"]}) as store:
        for number in range(25):
            store.put(("memories", "alice"), f"{name}-{number}", {"text": f"tea number {number} of {name}"})
            store.put(("memories", "alice"), "shared", {"text": f"word of {name} {number}"})
            store.put(("memories", "alice"), "passing", {"text": f"passing {name}"})
            store.delete(("memories", "alice"), "passing")
            assert len(store.search(("memories",), query="tea", limit=1000)) >= number + 1


@pytest.fixture
def open_store(sql_url: str) -> Iterator[Open]:
    """Open stores on an empty PostgreSQL database, and close them after the test."""
    with opening(sql_url) as open_one:
        yield open_one


class TestStore(StoreContents, StoreLifetimes):
    """The public laws on PostgreSQL, by words."""

    @pytest.fixture
    def store(self, open_store: Open, clock: StillClock) -> SQLStore:
        return open_store(clock=clock)


class TestStoreBeside(StoreContract):
    """What is ours beside them."""


class TestStoreSearch(StoreSearchContract):
    """The contract of queries on PostgreSQL."""


class TestStoreOwners(StoreOwnerContract):
    """The contract of owners on PostgreSQL."""


class TestStoreReindex(StoreReindexContract):
    """The contract of re-indexing on PostgreSQL."""


class TestStoreInterop(StoreInteropContract):
    """The tools that others build on PostgreSQL."""


class TestStoreDifferential(StoreDifferential):
    """PostgreSQL beside the store in memory."""


class TestLeaks(StoreIsolation):
    """Isolation on PostgreSQL."""

    places: tuple[Place, ...] = few(("last",), of=PLACES)

    @pytest.fixture
    def store(self, open_store: Open) -> SQLStore:
        return open_store(index={"embed": WordEmbeddings(dim=64)})


@pytest.fixture(params=["sqlite", "postgresql"])
def shared_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """URL of a database that processes share."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'store.db'}"
    url: str = request.getfixturevalue("prepared_postgres_url")
    return url


def test_processes_that_write_at_once_lose_nothing(shared_url: str) -> None:
    """Three processes put, delete and search in one namespace; what each put is there, and a query finds it."""
    names = ["one", "two", "three"]
    with SQLStore.from_url(shared_url, index={"embed": WordEmbeddings(dim=32), "fields": ["text"]}) as store:
        store.search((), query="tea")
        together([Process(write, shared_url, name) for name in names])
        wanted = {f"{name}-{number}" for name in names for number in range(25)} | {"shared"}
        assert {item.key for item in store.search(("memories",), limit=1_000)} == wanted
        assert {item.key for item in store.search(("memories",), query="tea word", limit=1_000)} == wanted


def test_threads_that_write_at_once_wait_for_each_other(shared_url: str) -> None:
    """Batches over the same namespaces in different orders are all written; none stands in another's way."""
    spaces = [(f"n{number}",) for number in range(6)]
    with SQLStore.from_url(shared_url) as store:

        def write(turn: int) -> None:
            order = spaces if turn % 2 else spaces[::-1]
            store.batch([PutOp(it, str(turn), {"n": turn}) for it in order])

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(write, range(60)))
        assert len(store.search((), limit=1_000)) == 360

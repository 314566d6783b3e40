from __future__ import annotations

import pytest

from langchain_agentmem.store.sql import SQLStore
from langchain_agentmem.testing import StillClock, StoreContents, StoreIsolation, StoreLifetimes
from tests.contracts.store_contract import StoreContract
from tests.contracts.store_differential import StoreDifferential
from tests.contracts.store_interop_contract import StoreInteropContract
from tests.contracts.store_owner_contract import StoreOwnerContract
from tests.contracts.store_reindex_contract import StoreReindexContract
from tests.contracts.store_search_contract import StoreSearchContract
from tests.fake_embeddings import WordEmbeddings
from tests.stores import Open


class TestStore(StoreContents, StoreLifetimes):
    """The public laws on SQLite, in a file and in memory, by words."""

    @pytest.fixture
    def store(self, open_store: Open, clock: StillClock) -> SQLStore:
        return open_store(clock=clock)


class TestStoreBeside(StoreContract):
    """What is ours beside them."""


class TestStoreSearch(StoreSearchContract):
    """The contract of queries on SQLite."""


class TestStoreOwners(StoreOwnerContract):
    """The contract of owners on SQLite."""


class TestStoreReindex(StoreReindexContract):
    """The contract of re-indexing on SQLite."""


class TestStoreInterop(StoreInteropContract):
    """The tools that others build on SQLite."""


class TestStoreDifferential(StoreDifferential):
    """SQLite beside the store in memory."""


class TestLeaks(StoreIsolation):
    """Isolation on SQLite, by words and vectors."""

    @pytest.fixture
    def store(self, open_store: Open) -> SQLStore:
        return open_store(index={"embed": WordEmbeddings(dim=64)})

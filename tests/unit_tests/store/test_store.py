from __future__ import annotations

import pytest

from langchain_agentmem.store.sql import SQLStore
from langchain_agentmem.testing import StoreSuite
from tests.contracts.store_contract import StoreContract
from tests.contracts.store_differential import StoreDifferential
from tests.contracts.store_owner_contract import StoreOwnerContract
from tests.contracts.store_reindex_contract import StoreReindexContract
from tests.contracts.store_search_contract import StoreSearchContract
from tests.fake_embeddings import WordEmbeddings
from tests.stores import Open


class TestStore(StoreContract):
    """The contract on SQLite, in a file and in memory."""


class TestStoreSearch(StoreSearchContract):
    """The contract of queries on SQLite."""


class TestStoreOwners(StoreOwnerContract):
    """The contract of owners on SQLite."""


class TestStoreReindex(StoreReindexContract):
    """The contract of re-indexing on SQLite."""


class TestStoreDifferential(StoreDifferential):
    """SQLite beside the store in memory."""


class TestLeaks(StoreSuite):
    """Isolation on SQLite, by words and vectors."""

    @pytest.fixture
    def store(self, open_store: Open) -> SQLStore:
        return open_store(index={"embed": WordEmbeddings(dim=64)})

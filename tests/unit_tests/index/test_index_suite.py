"""The public index suite on what needs no server, the documentation's index too, and on indexes that break its laws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import pytest
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_agentmem._flow import Flow
from langchain_agentmem._search import Proposal, SearchQuery, SearchRow
from langchain_agentmem.index.base import Index
from langchain_agentmem.index.vector_store import VectorStoreIndex
from langchain_agentmem.testing import IndexSuite
from langchain_agentmem.types import Scope
from tests.documented import classes_of
from tests.unit_tests.index.view_index import ViewIndex

TestAcmeIndex = classes_of("backends.md")["TestAcmeIndex"]


class TestScopeView(IndexSuite):
    """The view that every memory has."""

    tells_damage: ClassVar[bool] = False
    tells_number: ClassVar[bool] = False

    @pytest.fixture
    def index(self) -> Index:
        return ViewIndex()


class TestInMemoryVectorStore(IndexSuite):
    """LangChain's own vector store."""

    @pytest.fixture
    def index(self) -> Index:
        return VectorStoreIndex(InMemoryVectorStore, "m")


class SharedIndex(ViewIndex):
    """It takes all users for one."""

    def search(self, scope: Scope, query: SearchQuery) -> Flow[list[Proposal]]:
        return super().search(Scope("all"), query)

    def upsert(self, scope: Scope, rows: Sequence[SearchRow]) -> Flow[None]:
        return super().upsert(Scope("all"), rows)


class CuttingIndex(VectorStoreIndex):
    """It filters what is left after the cut."""

    def _ask(self, vector: list[float], count: int, wanted: Any) -> Flow[Any]:  # noqa: ANN401
        found = yield from super()._ask(vector, count, lambda _: True)
        return [hit for hit in found if wanted(hit[0])]


class GrowingIndex(ViewIndex):
    """It deletes nothing."""

    def delete(self, scope: Scope, memory_ids: Sequence[str]) -> Flow[None]:
        yield from ()


class UnpagedIndex(ViewIndex):
    """It knows no offset."""

    def search(self, scope: Scope, query: SearchQuery) -> Flow[list[Proposal]]:
        return super().search(scope, SearchQuery(text="", vector=query.vector, filter=query.filter, limit=query.limit))


@pytest.mark.parametrize(
    ("index", "law"),
    [
        (SharedIndex(), "test_users_do_not_meet"),
        (SharedIndex(), "test_others_move_nothing"),
        (CuttingIndex(InMemoryVectorStore, "m"), "test_a_filter_is_applied_before_the_cut"),
        (GrowingIndex(), "test_a_deleted_row_is_gone"),
        (UnpagedIndex(), "test_pages_show_every_row_once"),
    ],
)
def test_the_suite_finds_an_index_that_breaks_a_law(index: Index, law: str) -> None:
    """An index that is wrong in one way only does not pass."""
    with pytest.raises(AssertionError):
        getattr(IndexSuite(), law)(index, "sync")

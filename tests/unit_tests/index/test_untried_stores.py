"""A store of an unknown class is trusted with nobody's rows before it has shown what it does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore

from langchain_agentmem._flow import run
from langchain_agentmem.errors import ConfigurationError, StorageError
from langchain_agentmem.index import probing
from langchain_agentmem.index.vector_store import VectorStoreIndex
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.testing.laws import Colour
from langchain_agentmem.types import Scope
from tests.acme import AcmeVectorStore
from tests.conftest import Call
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import Drive, drive_of
from tests.unit_tests.index.rows import query, row

ALICE = Scope("alice")
BARE = replace(AcmeVectorStore.agentmem_dialect, read=None, holds=None, empty=None)


class Kept(AcmeVectorStore):
    def delete(self, ids: list[str] | None = None, **_: Any) -> None:
        """Say that it was done."""


class Undeletable(AcmeVectorStore):
    def delete(self, ids: list[str] | None = None, **_: Any) -> None:
        raise NotImplementedError


class Renamed(AcmeVectorStore):
    agentmem_dialect = BARE

    def add_texts(self, *given: Any, ids: list[str] | None = None, **more: Any) -> list[str]:
        before = set(self.rows)
        super().add_texts(*given, **more)
        for name in set(self.rows) - before:
            self.rows[uuid4().hex] = self.rows.pop(name)
        return list(self.rows)


class Unfiltered(AcmeVectorStore):
    agentmem_dialect = replace(AcmeVectorStore.agentmem_dialect, compile=lambda _: lambda _: True)


class Unscored(AcmeVectorStore):
    agentmem_dialect = replace(AcmeVectorStore.agentmem_dialect, to_cosine=lambda _: lambda score: score)


class Altered(AcmeVectorStore):
    agentmem_dialect = BARE

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        return [Document(it.page_content, metadata={**it.metadata, "labels": ""}) for it in super().get_by_ids(ids)]


class Strict(AcmeVectorStore):
    """Like FAISS: an id that is not there, or is there already, is an error, and nothing is done."""

    def add_texts(self, *given: Any, ids: list[str] | None = None, **more: Any) -> list[str]:
        if not self.rows.keys().isdisjoint(ids or ()):
            raise ValueError
        return super().add_texts(*given, ids=ids, **more)

    def delete(self, ids: list[str] | None = None, **_: Any) -> None:
        if not self.rows.keys() >= set(ids or ()):
            raise ValueError
        super().delete(ids)


class Unread(AcmeVectorStore):
    """As most stores of the community are: it gives no row back by its id."""

    agentmem_dialect = BARE
    get_by_ids = VectorStore.get_by_ids


class StrictUnread(Strict):
    agentmem_dialect = BARE
    get_by_ids = VectorStore.get_by_ids


@pytest.fixture
def drive(colour: Colour) -> Drive:
    return drive_of(colour)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "LAG_S", 0)


@pytest.mark.parametrize(
    ("store", "why"),
    [
        (Kept, "does not delete a row"),
        (Undeletable, "does not delete a row"),
        (Renamed, "under another id"),
        (Unfiltered, "finds a row of another user"),
        (Unscored, "a vector 0 like itself"),
        (Altered, "other metadata"),
        (StrictUnread, "cannot be asked which it has"),
    ],
)
async def test_a_store_that_does_not_what_it_is_told_gets_no_row_of_anybody(
    store: type[AcmeVectorStore], why: str, drive: Drive
) -> None:
    """A trial with a row of nobody's comes first; what fails it is refused from then on."""
    made: list[AcmeVectorStore] = []
    index = VectorStoreIndex(lambda it: made.append(store(it)) or made[0], "m")  # type: ignore[func-returns-value]  # as meant
    for _ in range(2):
        with pytest.raises(ConfigurationError, match=f"{store.__name__} cannot hold memories of users: .*{why}"):
            await drive(index.upsert(ALICE, [row("a", vector=[1, 0])]))
    with pytest.raises(ConfigurationError, match="cannot hold"):
        await drive(index.search(ALICE, query("", [1, 0])))
    assert index._names.subject(ALICE) not in repr(made[0].rows)
    assert len(made[0].rows) <= 1


@pytest.mark.parametrize("store", [AcmeVectorStore, Strict, Unread])
async def test_a_store_that_does_what_it_is_told_is_used_and_left_without_a_trace(
    store: type[AcmeVectorStore], drive: Drive
) -> None:
    """Ids that are gone already keep no other from being deleted, and what was tried leaves no row."""
    made: list[AcmeVectorStore] = []
    index = VectorStoreIndex(lambda it: made.append(store(it)) or made[0], "m")  # type: ignore[func-returns-value]  # as meant
    for _ in range(2):
        await drive(index.upsert(ALICE, [row("a", vector=[1, 0]), row("b", vector=[1, 0])]))
    assert len(made[0].rows) == 2
    await drive(index.delete(ALICE, ["a"]))
    await drive(index.delete(ALICE, ["a", "b", "c"]))
    assert not made[0].rows


def test_a_class_that_cannot_delete_is_not_opened() -> None:
    """LangChain's base refuses to delete: whoever has nothing else could erase nobody."""

    class Endless(AcmeVectorStore):
        delete = VectorStore.delete  # type: ignore[assignment]  # what it inherits

    with pytest.raises(ConfigurationError, match="Endless cannot delete rows"):
        VectorStoreIndex(Endless, "m")


def test_a_row_that_stays_is_no_deletion() -> None:
    """A store that stops deleting is noticed when it is told to: an erasure goes on until the rows are gone."""
    index = VectorStoreIndex(AcmeVectorStore, "m")
    run(index.upsert(ALICE, [row("a", vector=[1, 0])]))
    index._store.delete = lambda *_, **__: False  # type: ignore[method-assign]  # it says so, and raises nothing
    with pytest.raises(StorageError, match="still has 1 of the rows"):
        run(index.delete(ALICE, ["a"]))


def test_a_row_that_nobody_can_read_is_not_taken_for_gone() -> None:
    """Where a store fails to delete and to say what it has, the deletion has failed."""
    index = VectorStoreIndex(Strict, "m")
    run(index.upsert(ALICE, [row("a", vector=[1, 0])]))
    store: Any = index._store
    store.rows[next(iter(store.rows))] = None  # damaged
    with pytest.raises(StorageError):
        run(index.delete(ALICE, ["a", "b"]))
    assert len(store.rows) == 1


def test_a_list_that_a_store_cut_short_is_no_answer() -> None:
    """Who asks for more than a store's own maximum is told, where the store can count, rather than given too few."""

    class Capped(AcmeVectorStore):
        def similarity_search_with_score_by_vector(
            self, embedding: list[float], k: int, filter: Callable[[Document], bool]
        ) -> list[tuple[Document, float]]:
            return super().similarity_search_with_score_by_vector(embedding, min(k, 3), filter)

    index = VectorStoreIndex(Capped, "m")
    run(index.upsert(ALICE, [row(f"m{number}", vector=[1, number]) for number in range(4)]))
    assert len(run(index.search(ALICE, query("", [1, 0], limit=2)))) == 2
    with pytest.raises(StorageError, match="Capped gives no more than 3 rows"):
        run(index.search(ALICE, query("", [1, 0], limit=9)))


async def test_a_store_that_gives_no_rows_back_is_used(call: Call) -> None:
    """It proposes; and an erasure says that nobody can count what it has."""
    settings: dict[str, Any] = {"embeddings": WordEmbeddings(dim=16), "index_above": 0, "consent": "assumed"}
    with AgentMemory.connect(sql="sqlite://", index=Unread, **settings) as memory:
        await call(memory.long_term, "remember", "Alice owns a boat", scope=ALICE)
        assert (await call(memory.long_term, "recall", "boat", scope=ALICE)).status == "ok"
        report = await call(memory.privacy, "erase", ALICE)
        assert any("cannot say how many rows" in it for it in report.remains)

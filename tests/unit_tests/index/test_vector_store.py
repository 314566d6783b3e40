from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

import langchain_agentmem.index as offered
from langchain_agentmem._flow import arun, run
from langchain_agentmem._search import SearchQuery, SearchRow
from langchain_agentmem.errors import ConfigurationError, StorageError
from langchain_agentmem.index.filters import Comparison, chroma_where
from langchain_agentmem.index.scope_view import ScopeView
from langchain_agentmem.index.shim import PreparedEmbeddings
from langchain_agentmem.index.stores.postgres import postgres_filter
from langchain_agentmem.index.stores.redis import redis_filter
from langchain_agentmem.index.vector_store import VectorStoreIndex
from langchain_agentmem.types import Scope
from tests.acme import AcmeVectorStore
from tests.unit_tests.index.rows import queries, query, row, rows

ALICE, BOB = Scope("alice"), Scope("bob")


class UnknownStore(VectorStore):
    """A store of no known class."""

    @classmethod
    def from_texts(cls, *_: Any, **__: Any) -> UnknownStore:
        raise NotImplementedError

    def similarity_search(self, *_: Any, **__: Any) -> list[Document]:
        raise NotImplementedError


class FailingStore(InMemoryVectorStore):
    """A store whose server is away."""

    def add_texts(self, *_: Any, **__: Any) -> list[str]:
        msg = "secret words"
        raise ConnectionError(msg)


def test_it_is_offered_where_the_layouts_of_stores_are() -> None:
    """`langchain_agentmem.index` has what the pages name, and loads it when it is asked for."""
    assert offered.VectorStoreIndex is VectorStoreIndex
    assert all(hasattr(offered, name) for name in offered.__all__)


@pytest.fixture
def index() -> VectorStoreIndex:
    return VectorStoreIndex(InMemoryVectorStore, "m")


def ids(index: VectorStoreIndex, scope: Scope, asked: SearchQuery | None = None) -> list[str]:
    return [proposal.memory_id for proposal in run(index.search(scope, asked or query("", [1, 0])))]


def stored(index: VectorStoreIndex) -> str:
    assert isinstance(index._store, InMemoryVectorStore)
    return repr(index._store.store)


@given(st.lists(rows(), unique_by=lambda found: found.memory_id), queries)
def test_a_store_answers_like_a_view_by_vectors_alone(found: list[SearchRow], asked: SearchQuery) -> None:
    """Filter, order and relevance are those of a view whose query has no words."""
    index, view = VectorStoreIndex(InMemoryVectorStore, "m"), ScopeView()
    with_vectors = [it for it in found if it.vector is not None]
    run(index.upsert(ALICE, found))
    view.apply(with_vectors, 1)
    wordless = SearchQuery(text="", vector=asked.vector, filter=asked.filter, limit=99)
    expected = {it.memory_id: pytest.approx(it.relevance, abs=1e-5) for it in view.search(wordless)}
    assert {it.memory_id: it.relevance for it in run(index.search(ALICE, wordless))} == expected


def test_another_users_rows_are_never_proposed(index: VectorStoreIndex) -> None:
    """Users whose ids are alike, and who have memories of equal ids, do not meet."""
    look_alikes = [Scope("alic"), Scope("Alice"), Scope("alice", tenant_id="t"), Scope("default\x1falice")]
    for scope in look_alikes:
        run(index.upsert(scope, [row("same", vector=[1, 0])]))
    assert ids(index, ALICE) == []
    run(index.delete(look_alikes[0], ["same"]))
    assert [ids(index, scope) for scope in look_alikes] == [[], ["same"], ["same"], ["same"]]


def test_a_hit_of_another_subject_is_dropped_even_if_the_store_returns_it() -> None:
    """The subject is checked on every hit: a store that ignores the filter leaks nothing."""
    index = VectorStoreIndex(InMemoryVectorStore, "m", filter=lambda _: None)
    run(index.upsert(ALICE, [row("a", vector=[1, 0])]))
    run(index.upsert(BOB, [row("b", vector=[1, 0])]))
    assert (ids(index, ALICE), ids(index, BOB)) == (["a"], ["b"])


def test_the_store_holds_no_text_and_no_clear_id(index: VectorStoreIndex) -> None:
    """Neither words nor names of users, agents, tags and purposes reach the store."""
    scope = Scope("alice", tenant_id="acme")
    run(index.upsert(scope, [row("m1", "zanzibar", agent_id="coder", tags=["hush"], purposes=["ads"], vector=[1, 0])]))
    held = stored(index)
    assert not [word for word in ("zanzibar", "alice", "acme", "coder", "hush", "ads") if word in held]


def test_a_key_makes_other_names() -> None:
    """With a key of the application, names cannot be computed from ids."""
    plain, keyed = VectorStoreIndex(InMemoryVectorStore, "m"), VectorStoreIndex(InMemoryVectorStore, "m", key=b"secret")
    for one in (plain, keyed):
        run(one.upsert(ALICE, [row("a", vector=[1, 0])]))
        assert ids(one, ALICE) == ["a"]
    assert plain._names.subject(ALICE) not in stored(keyed)


def test_writing_twice_leaves_one_row(index: VectorStoreIndex) -> None:
    """An upsert replaces by id, and repeating it changes nothing."""
    for numbers in ([0, 1], [1, 0], [1, 0]):
        run(index.upsert(ALICE, [row("a", vector=numbers)]))
    (proposal,) = run(index.search(ALICE, query("", [1, 0])))
    assert proposal.parts == {"vector": 1.0}


@pytest.mark.parametrize("later", [row("a", status="erased", vector=[1, 0]), row("a")])
def test_a_row_that_is_erased_or_has_no_vector_is_removed(index: VectorStoreIndex, later: SearchRow) -> None:
    """The store keeps nothing of it."""
    run(index.upsert(ALICE, [row("a", vector=[1, 0])]))
    run(index.upsert(ALICE, [later]))
    assert (ids(index, ALICE), stored(index)) == ([], "{}")


def test_a_query_without_a_vector_proposes_nothing(index: VectorStoreIndex) -> None:
    """There is no lexical part in a vector store."""
    run(index.upsert(ALICE, [row("a", "berlin", vector=[1, 0])]))
    assert run(index.search(ALICE, query("berlin"))) == []


def test_vectors_of_another_model_are_not_compared() -> None:
    """Two models may share a store; each finds its own rows only."""
    store = InMemoryVectorStore(PreparedEmbeddings())

    def shared(embeddings: Embeddings) -> InMemoryVectorStore:
        store.embedding = embeddings
        return store

    run(VectorStoreIndex(shared, "old").upsert(ALICE, [row("a", vector=[1, 0])]))
    assert ids(VectorStoreIndex(shared, "new"), ALICE) == []


def test_a_vector_of_another_size_is_refused(index: VectorStoreIndex) -> None:
    """The error names both sizes, and nothing is written."""
    run(index.upsert(ALICE, [row("a", vector=[1, 0])]))
    with pytest.raises(ConfigurationError, match="3 numbers where the store's have 2"):
        run(index.upsert(ALICE, [row("b", vector=[1, 0, 0])]))
    with pytest.raises(ConfigurationError, match="3 numbers where the store's have 2"):
        run(index.search(ALICE, query("", [1, 0, 0])))
    assert (index.dim, ids(index, ALICE)) == (2, ["a"])


def test_an_emptied_store_takes_any_model_again(index: VectorStoreIndex) -> None:
    """`reset` removes every row of every subject, for a rebuild."""
    run(index.upsert(ALICE, [row("a", vector=[1, 0])]))
    run(index.reset())
    run(index.upsert(BOB, [row("b", vector=[1, 0, 0])]))
    assert (index.dim, ids(index, BOB, query("", [1, 0, 0]))) == (3, ["b"])


async def test_awaited_calls_do_what_blocking_ones_do(index: VectorStoreIndex) -> None:
    """Both colours of every method end in the same store and the same proposals."""
    await arun(index.upsert(ALICE, [row("a", vector=[1, 0]), row("b", vector=[1, 1])]))
    await arun(index.delete(ALICE, ["b"]))
    assert await arun(index.search(ALICE, query("", [1, 0]))) == run(index.search(ALICE, query("", [1, 0])))
    await arun(index.reset())
    assert stored(index) == "{}"


def test_an_unknown_store_is_refused_unless_it_is_described() -> None:
    """Without a known filter language the index is not built; the message names the remedy."""
    with pytest.raises(ConfigurationError, match="pass filter="):
        VectorStoreIndex(lambda _: UnknownStore(), "m")
    with pytest.raises(ConfigurationError, match="similarity_search_by_vector_with_relevance_scores"):
        VectorStoreIndex(lambda _: UnknownStore(), "m", filter=chroma_where, cosine=lambda score: score)


def test_a_failing_store_is_a_storage_error_without_its_words() -> None:
    """What the store says may quote what it was given; the cause keeps it, the message does not."""
    index = VectorStoreIndex(FailingStore, "m")
    with pytest.raises(StorageError, match="failed with ConnectionError") as caught:
        run(index.upsert(ALICE, [row("a", vector=[1, 0])]))
    assert caught.value.is_retryable
    assert "secret" not in str(caught.value)


def test_the_shim_embeds_nothing_but_what_is_being_written() -> None:
    """A store that embeds a text of its own is told so, and no vector outlives its write."""
    shim = PreparedEmbeddings()
    with shim.prepared({"id": [1.0]}), shim.prepared({"id": [2.0]}):
        assert (shim.embed_documents(["id"]), shim.embed_query("id")) == ([[2.0]], [2.0])
    for ask in (shim.embed_query, lambda text: shim.embed_documents([text])):
        with pytest.raises(ConfigurationError, match="not being written"):
            ask("id")


class BareStore(AcmeVectorStore):
    """A store that gives documents back, and no vectors."""

    agentmem_dialect = replace(AcmeVectorStore.agentmem_dialect, read=None, holds=None)


def test_a_store_that_gives_no_vectors_back_still_tells_what_is_lost() -> None:
    """Documents are what every LangChain store can be asked for: missing ones and other fields are seen."""
    index = VectorStoreIndex(BareStore, "m")
    found = [row("a", vector=[1, 0]), row("b", vector=[1, 0]), row("c", vector=[1, 0])]
    run(index.upsert(ALICE, [found[0], found[1]._replace(kind="goal")]))
    assert run(index.damaged(ALICE, found)) == ["b", "c"]
    assert run(index.holds(ALICE, 3))  # it cannot count them


class LongStore(AcmeVectorStore):
    """A store whose scores depend on how long a vector is."""

    agentmem_dialect = replace(AcmeVectorStore.agentmem_dialect, is_cosine=lambda _: False)


@pytest.mark.parametrize(("store", "damaged"), [(AcmeVectorStore, []), (LongStore, ["a"])])
def test_a_vector_of_another_length_is_damaged_where_length_counts(
    store: type[AcmeVectorStore], damaged: list[str]
) -> None:
    """With the cosine it moves no score, and a store may give it back so."""
    index = VectorStoreIndex(store, "m")
    found = [row("a", vector=[1, 0]), row("b", vector=[0, 1])]
    run(index.upsert(ALICE, [found[0]._replace(vector=np.array([3, 0], "<f4").tobytes()), found[1]]))
    assert run(index.damaged(ALICE, found)) == damaged


def test_a_store_made_beforehand_keeps_its_own_shim() -> None:
    """A store that only a coroutine can make is made around prepared embeddings, and only returned here."""
    store = InMemoryVectorStore(PreparedEmbeddings())
    index = VectorStoreIndex(lambda _: store, "m")
    run(index.upsert(ALICE, [row("a", vector=[1, 0])]))
    assert ids(index, ALICE) == ["a"]


class AwaitedStore(AcmeVectorStore):
    """A store around an async engine."""

    agentmem_dialect = replace(AcmeVectorStore.agentmem_dialect, is_awaited_only=lambda _: True)

    async def asimilarity_search_with_score_by_vector(self, *args: Any, **kwargs: Any) -> list[tuple[Document, float]]:
        return self.similarity_search_with_score_by_vector(*args, **kwargs)


async def test_a_store_that_can_only_be_awaited_refuses_to_be_called() -> None:
    """The error says what to await, or how to make a store for both."""
    index = VectorStoreIndex(AwaitedStore, "m")
    await arun(index.upsert(ALICE, [row("a", vector=[1, 0])]))
    assert [it.memory_id for it in await arun(index.search(ALICE, query("", [1, 0])))] == ["a"]
    for flow in (index.search(ALICE, query("", [1, 0])), index.delete(ALICE, ["a"])):
        with pytest.raises(ConfigurationError, match="AwaitedStore can only be awaited"):
            run(flow)


def test_a_filter_compiles_to_what_each_store_reads() -> None:
    """One neutral form: Chroma's dicts, PGVectorStore's columns, redisvl's expressions of tokens and whole numbers."""
    clauses = [
        (Comparison("model", "eq", "M,m|m"),),
        (Comparison("confidence", "gte", 0.7),),
        (Comparison("labels", "contains", "-"), Comparison("labels", "contains", "ab")),
    ]
    token = sha256(b"M,m|m").hexdigest()
    assert chroma_where(clauses) == {
        "$and": [
            {"model": {"$eq": "M,m|m"}},
            {"confidence": {"$gte": 0.7}},
            {"$or": [{"labels": {"$contains": "-"}}, {"labels": {"$contains": "ab"}}]},
        ]
    }
    assert postgres_filter(clauses)["$and"][2] == {
        "$or": [{"labels": {"$like": "%|-|%"}}, {"labels": {"$like": "%|ab|%"}}]
    }
    assert str(redis_filter(clauses)) == (
        f"((@model:{{{token}}} @confidence:[700000 +inf]) (@labels:{{\\-}} | @labels:{{ab}}))"
    )

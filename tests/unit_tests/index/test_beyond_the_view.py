"""Users who have outgrown their view: a fed index proposes, the ledger's rows are ranked as in a view."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_agentmem import AgentMemory, ConfigurationError, Recall, Scope, StorageError
from langchain_agentmem._flow import Flow, run, work
from langchain_agentmem._search import Proposal, SearchColumns, SearchQuery, SearchRow
from langchain_agentmem.index.scope_view import ScopeView
from langchain_agentmem.index.vector_store import VectorStoreIndex
from langchain_agentmem.index.view_cache import ScopeViewIndex
from langchain_agentmem.long_term.index import proposing
from langchain_agentmem.long_term.index.proposing import Proposing
from tests.conftest import Call
from tests.fake_embeddings import WordEmbeddings
from tests.unit_tests.index.rows import queries, rows
from tests.unit_tests.index.view_index import ViewIndex

ALICE: Final = Scope("alice")
TIMEOUT_S: Final = 0.5
"""Twice as long nobody waits again, which has to be longer than a recall takes."""

THINGS: Final = ("cat", "boat", "piano", "drone")


class Troubled(ViewIndex):
    """An index whose searches do what a test says."""

    def __init__(self) -> None:
        super().__init__()
        self.trouble: Callable[[], object] = lambda: None
        self.is_blind = False
        self.asked = 0

    def search(self, scope: Scope, query: SearchQuery) -> Flow[list[Proposal]]:
        self.asked += 1
        yield from work(self.trouble)
        return [] if self.is_blind else (yield from super().search(scope, query))


def raising(error: Exception) -> Callable[[], object]:
    def fail() -> object:
        raise error

    return fail


def ids(found: Recall) -> list[str]:
    return [hit.memory.id for hit in found]


@pytest.fixture
def index() -> Troubled:
    return Troubled()


@pytest.fixture
def memory(index: Troubled) -> Iterator[AgentMemory]:
    options: dict[str, Any] = {"consent": "assumed", "index_above": 0, "index_timeout_s": TIMEOUT_S}
    with AgentMemory.connect(sql="sqlite://", embeddings=WordEmbeddings(), index=index, **options) as memory:
        for thing in THINGS:
            memory.long_term.remember(f"Alice owns a {thing}", scope=ALICE)
        yield memory


# ---------------------------------------------------------------------------------------------------------------- rank
@given(st.lists(rows(), unique_by=lambda it: it.memory_id, max_size=30), queries)
def test_ids_order_and_scores_are_those_of_a_view(found: list[SearchRow], asked: SearchQuery) -> None:
    """Whatever an exact store and the words propose, with as many looks as it takes."""
    view, store = ScopeView(), VectorStoreIndex(InMemoryVectorStore, "m")
    view.apply(found, 1)
    run(store.upsert(ALICE, found))

    def load(_scope: Scope, since: int, _model: str | None) -> Flow[tuple[int, SearchColumns]]:
        yield from ()
        wordy = [it._replace(vector=None) for it in found]
        return 1, SearchColumns.of([] if since else wordy)

    def read(_scope: Scope, memory_ids: list[str]) -> Flow[list[SearchRow]]:
        yield from ()
        return [it for it in found if it.memory_id in memory_ids]

    def has_vectors(_scope: Scope) -> Flow[bool]:
        yield from ()
        seen = [it for it in found if it.status != "erased" and it.agent_id in {None, asked.filter.agent_id}]
        return any(it.vector for it in seen)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proposing, "FIRST_LOOK", 1)
        patch.setattr(proposing, "LOOKS", 5)
        ranked = run(Proposing(store, ScopeViewIndex(load), read, has_vectors).search(ALICE, asked, ()))
    assert [(it.memory_id, it.relevance) for it in ranked.proposals] == [
        (it.memory_id, it.relevance) for it in view.search(asked)
    ]


async def test_what_only_words_find_is_found(memory: AgentMemory, index: Troubled, call: Call) -> None:
    """A name that the index does not propose by its vector is proposed by the words of the whole scope."""
    await call(memory.long_term, "remember", "Alice owns a Zanzibar INV-2024-00123", scope=ALICE)
    index.is_blind = True
    [found] = await call(memory.long_term, "recall", "INV-2024-00123", scope=ALICE, limit=1)
    assert found.memory.content == "Alice owns a Zanzibar INV-2024-00123"
    assert (await call(memory.long_term, "recall", "volcano", scope=ALICE)).status == "empty"


async def test_a_user_with_few_memories_is_not_looked_up_in_the_index(index: Troubled, call: Call) -> None:
    """Up to `index_above` memories the view answers, one more, and the index is asked."""
    options: dict[str, Any] = {"consent": "assumed", "index_above": 2}
    with AgentMemory.connect(sql="sqlite://", embeddings=WordEmbeddings(), index=index, **options) as memory:
        asked = []
        for thing in THINGS:
            await call(memory.long_term, "remember", f"Alice owns a {thing}", scope=ALICE)
            before = index.asked
            await call(memory.long_term, "recall", "cat", scope=ALICE)
            asked.append(index.asked > before)
        await call(memory.long_term, "erase", (await call(memory.long_term, "list", scope=ALICE))[0].id, scope=ALICE)
        await call(memory.long_term, "erase", (await call(memory.long_term, "list", scope=ALICE))[0].id, scope=ALICE)
        before = index.asked
        await call(memory.long_term, "recall", "cat", scope=ALICE)
    assert (asked, index.asked) == ([False, False, True, True], before)


# ------------------------------------------------------------------------------------------------------------- trouble
@pytest.mark.parametrize(
    "error",
    [
        StorageError("away", is_retryable=True),
        ConfigurationError("other size"),
        ConnectionError("cat"),
        KeyError("cat"),
    ],
    ids=lambda it: type(it).__name__,
)
async def test_an_index_that_fails_costs_no_answer(
    memory: AgentMemory, index: Troubled, call: Call, error: Exception
) -> None:
    """The ledger answers with the same ids, the answer and its receipt say so, and quote nobody else's words."""
    before = await call(memory.long_term, "recall", "which cat?", scope=ALICE)
    index.trouble = raising(error)
    found = await call(memory.long_term, "recall", "which cat?", scope=ALICE)
    receipt = await call(memory.long_term, "receipt", found.receipt_id, scope=ALICE)
    assert (ids(found), found.status, receipt.plan["index"]) == (ids(before), "degraded", "scope_view")
    assert "the ledger was searched instead of the index: " in receipt.reason
    assert "cat" not in receipt.reason
    assert (await call(memory.long_term, "remember", "Alice owns a cat", scope=ALICE)).verdict == "merged"
    index.trouble = lambda: None
    assert (await call(memory.long_term, "recall", "which cat?", scope=ALICE)).status == "ok"


async def test_an_index_that_does_not_answer_is_not_waited_for(
    memory: AgentMemory, index: Troubled, call: Call
) -> None:
    """The first recall waits as long as it may, those that follow not at all, and the ledger answers each of them."""
    gate = threading.Event()
    index.trouble = gate.wait
    found = [await call(memory.long_term, "recall", "cat", scope=ALICE) for _ in range(3)]
    gate.set()
    assert [(len(it), it.status) for it in found] == [(1, "degraded")] * 3
    assert index.asked == len(THINGS)  # once here: of the writes, the first one was beside nothing

"""A vector store that is out of reach when a memory is opened: the memory opens, and uses the store when it is back."""

from __future__ import annotations

from datetime import timedelta

import pytest
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_agentmem import AgentMemory, Scope, StorageError
from tests.conftest import Call
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import Clock

ALICE = Scope("alice")


class Server:
    """Builds a store, or says as clients do that there is no way to it."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error: Exception | None = error or ConnectionRefusedError(111, "refused")
        self.built = 0

    def __call__(self, embeddings: Embeddings) -> InMemoryVectorStore:
        self.built += 1
        if isinstance(self.error, ConnectionError):
            try:
                raise self.error
            except ConnectionError:
                msg = "Could not connect. Are you sure it is running?"
                raise ValueError(msg)  # noqa: B904  (as Chroma's client does)
        if self.error is not None:
            raise self.error
        return InMemoryVectorStore(embeddings)


async def test_a_memory_opens_answers_and_uses_the_store_when_it_is_back(call: Call) -> None:
    """Nothing is lost meanwhile: what waits for the store is brought to it, and then it answers."""
    server, clock = Server(), Clock()
    memory = AgentMemory.connect(
        sql="sqlite://", embeddings=WordEmbeddings(), index=server, index_above=0, consent="assumed", clock=clock
    )
    with memory:
        assert (await call(memory.long_term, "remember", "Alice owns a cat", scope=ALICE)).verdict == "written"
        without = await call(memory.long_term, "recall", "cat", scope=ALICE)
        server.error = None
        clock.now += timedelta(hours=1)
        await call(memory.jobs, "run")
        found = await call(memory.long_term, "recall", "cat", scope=ALICE)
        receipt = await call(memory.long_term, "receipt", found.receipt_id, scope=ALICE)
        built = server.built
        await call(memory.long_term, "recall", "cat", scope=ALICE)
        assert [(len(it), it.status) for it in (without, found)] == [(1, "degraded"), (1, "ok")]
        assert (receipt.plan["index"], await call(memory.jobs, "counts"), server.built) == ("vector_store", {}, built)
        assert (await call(memory.long_term, "repair_index")).damaged == 0


@pytest.mark.parametrize(
    "error", [ValueError("dims"), RuntimeError("no query engine"), FileExistsError(17, "", "vectors")]
)
def test_what_is_built_wrongly_is_told_at_once(error: Exception) -> None:
    """A store that will never open is no store that is away."""
    with pytest.raises(StorageError, match=f"the vector store failed with {type(error).__name__}"):
        AgentMemory.connect(sql="sqlite://", embeddings=WordEmbeddings(), index=Server(error))

"""Long-term memory whose vectors are in Chroma: embedded, and on its server."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import chromadb
import pytest
from langchain_chroma import Chroma

from langchain_agentmem import AgentMemory, Scope, StorageError
from tests.conftest import Call
from tests.contracts.long_term_contract import ALICE, BuildIndex, LongTermContract
from tests.servers import Server

COSINE = {"hnsw:space": "cosine"}


class ChromaContract(LongTermContract):
    """The whole contract, and what only an index that has to be fed can get wrong."""

    @pytest.fixture
    def sql_url(self, tmp_path: Path) -> str:
        return f"sqlite:///{tmp_path / 'agent.db'}"

    async def test_what_the_index_has_not_got_yet_is_found(
        self, memory: AgentMemory, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """While the index fails, writes are kept, searched beside it, and brought to it afterwards."""
        store = memory.long_term._writing._searching.index

        def fail(*_: object) -> object:
            msg = "down"
            raise StorageError(msg, is_retryable=True)

        with monkeypatch.context() as broken:
            broken.setattr(type(store), "upsert", fail)
            await call(memory.long_term, "remember", "Alice owns a cat", scope=ALICE)
        waiting = await call(memory.jobs, "counts")
        found = await call(memory.long_term, "recall", "cat", scope=ALICE)
        assert waiting == {"queued": 1}
        assert len(found) == 1

    async def test_a_lost_index_is_rebuilt_from_the_ledger(self, memory: AgentMemory, call: Call) -> None:
        """Emptied behind our back, the index is filled again, with the same answers."""
        bob = Scope("bob")
        for scope, thing in ((ALICE, "cat"), (ALICE, "boat"), (bob, "cat")):
            await call(memory.long_term, "remember", f"{scope.user_id} owns a {thing}", scope=scope)
        before = await call(memory.long_term, "recall", "cat", scope=ALICE)
        memory.long_term._writing._searching.index._store.reset_collection()  # type: ignore[attr-defined]  # Chroma's
        lost = await call(memory.long_term, "recall", "cat", scope=ALICE)
        await call(memory.long_term, "rebuild_index")
        again = await call(memory.long_term, "recall", "cat", scope=ALICE)
        assert (len(before), len(lost)) == (1, 0)
        assert [hit.memory.id for hit in again] == [hit.memory.id for hit in before]


class TestEmbeddedChroma(ChromaContract):
    """On files of its own."""

    @pytest.fixture
    def index(self, tmp_path: Path) -> BuildIndex:
        return lambda embeddings: Chroma(
            "memories",
            embedding_function=embeddings,
            persist_directory=str(tmp_path / "chroma"),
            collection_metadata=COSINE,
        )


class TestChromaServer(ChromaContract):
    """On `chroma run`."""

    @pytest.fixture
    def index(self, chroma_server: Server) -> BuildIndex:
        name = f"memories-{uuid4().hex}"
        client = chromadb.HttpClient(host=chroma_server.host, port=chroma_server.port)
        return lambda embeddings: Chroma(name, embedding_function=embeddings, client=client, collection_metadata=COSINE)

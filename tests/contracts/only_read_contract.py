"""What a recall promises where nothing can be written: it answers as ever, and says that it left no receipt."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel

from langchain_agentmem import AgentMemory, StorageError, create_memory_graph
from langchain_agentmem.nodes.retrieve import UNRECORDED
from tests.conftest import Call
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import ALICE

QUESTION = "Where does Alice live?"


def opened(url: str, **options: Any) -> AgentMemory:
    return AgentMemory.connect(sql=url, embeddings=WordEmbeddings(), consent="assumed", **options)


class OnlyReadContract:
    """Subclass it beside a fixture `only_read_url`: a database that is only read, with what `fill` put into it."""

    @staticmethod
    def fill(url: str) -> None:
        with opened(url) as memory:
            memory.long_term.remember("Alice lives in Rome", scope=ALICE).require()
            memory.long_term.remember("Never call Alice before nine", scope=ALICE, kind="constraint").require()

    @pytest.mark.parametrize("mode", ["on", "frozen"])
    async def test_a_recall_answers_without_a_receipt(self, only_read_url: str, mode: str, call: Call) -> None:
        """Hits and constraints are all there, and the status says that something is missing."""
        async with opened(only_read_url, mode=mode) as memory:
            found = await call(memory.long_term, "recall", QUESTION, scope=ALICE)
        assert found[0].memory.content == "Alice lives in Rome"
        assert [it.memory.content for it in found.constraints] == ["Never call Alice before nine"]
        assert (found.status, found.receipt_id) == ("degraded", None)

    async def test_what_is_not_asked_is_said_as_ever(self, only_read_url: str, call: Call) -> None:
        """Memory that is off, or no consent, are no trouble of the database's."""
        async with opened(only_read_url) as memory:
            found = await call(memory.long_term, "recall", QUESTION, scope=ALICE, mode="off")
        assert (found.status, found.receipt_id, len(found)) == ("off", None, 0)

    async def test_an_agent_tells_what_it_recalled_and_what_is_missing(self, only_read_url: str) -> None:
        """The model is shown what is remembered; the report says that no receipt tells of it."""
        async with opened(only_read_url, mode="frozen") as memory:
            graph = create_memory_graph(FakeListChatModel(responses=["In Rome."]), memory=memory)
            state = graph.invoke({"messages": [("user", QUESTION)]}, {"configurable": {"user_id": "alice"}})
        assert state["memory"]["status"] == UNRECORDED
        assert {it["kind"] for it in state["memory"]["recalled"]} == {"fact", "constraint"}

    async def test_a_write_is_refused_with_what_to_do(self, only_read_url: str, call: Call) -> None:
        """The error names the reason and the remedy, and that it can be read all the same."""
        async with opened(only_read_url) as memory:
            with pytest.raises(StorageError, match=r"only read|cannot be written") as refused:
                await call(memory.long_term, "remember", "Alice has a cat", scope=ALICE)
        assert refused.value.is_read_only

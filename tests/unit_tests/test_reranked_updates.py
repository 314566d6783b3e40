"""A reranker orders what is found, and takes no update from above what it replaced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from langchain_core.documents import Document
from langchain_core.documents.compressor import BaseDocumentCompressor
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, RecallQuery, Scope

RENT = "How much is Nora's rent for the room in Lisbon?"
OLD = "I booked the room in Lisbon, the rent for the room is $700 a month."
NEW = "The rent for the room in Lisbon was raised, it is now $850 a month."


PARIS, ROME = "Alice lives in Paris", "Alice moved to Rome"


class OldFirst(BaseDocumentCompressor):
    """Turns the order round."""

    def compress_documents(self, documents: Sequence[Document], query: str, callbacks: object = None) -> list[Document]:
        return sorted(documents, key=lambda it: "850" in it.page_content)


class ParisFirst(OldFirst):
    """Prefers the oldest."""

    def compress_documents(self, documents: Sequence[Document], query: str, callbacks: object = None) -> list[Document]:
        return sorted(documents, key=lambda it: "Paris" not in it.page_content)


class OldOnly(OldFirst):
    """Leaves the update out."""

    def compress_documents(self, documents: Sequence[Document], query: str, callbacks: object = None) -> list[Document]:
        return [it for it in documents if "850" not in it.page_content]


@pytest.mark.parametrize("reranker", [None, OldFirst(), OldOnly()])
@pytest.mark.parametrize("limit", [1, 3])
def test_an_update_stays_above_what_it_replaced(reranker: BaseDocumentCompressor | None, limit: int) -> None:
    """Turned round, left out, or cut by the limit: the value that holds now comes first, and no line drops it."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed", reranker=reranker) as memory:
        for month, text in ((3, OLD), (5, NEW)):
            scope = Scope("alice", session_id=f"s-{month}")
            said = [HumanMessage(it, name="Nora") for it in (text, "The weather is fine today.")]
            memory.episodes.ingest(said, scope=scope, at=datetime(2026, month, 1, tzinfo=UTC))
        found = memory.long_term.recall(RecallQuery(text=RENT, limit=limit), scope=Scope("alice"))
        receipt = memory.long_term.receipt(found.receipt_id or "", scope=Scope("alice"))
    told = [hit.memory.content for hit in found if "rent" in hit.memory.content]
    assert told[0] == f"Nora: {NEW}"
    assert receipt is not None
    assert len({line.memory_id for line in receipt.lines}) == len(receipt.lines)


@pytest.mark.parametrize("limit", [1, 5])
@pytest.mark.parametrize("in_turns", [False, True])
def test_what_is_in_force_stays_above_what_was_replaced(limit: int, *, in_turns: bool) -> None:
    """Also above what it did not replace itself but in a chain, and above the turn that was said first."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed", reranker=ParisFirst()) as memory:
        for number, text in enumerate((PARIS, "Alice moved to Berlin", ROME)):
            said = HumanMessage(text.replace("Alice lives", "I live").replace("Alice", "I"), id=str(number))
            if in_turns:
                memory.background.ingest([said], scope=Scope("alice", session_id=str(number)))
                memory.jobs.run()
            else:
                memory.long_term.remember(text, scope=Scope("alice"))
        asked = RecallQuery(text="Where do I live?" if in_turns else "Where does Alice live?", limit=limit)
        found = memory.long_term.recall(replace(asked, include_superseded=True), scope=Scope("alice"))
    assert "Rome" in found[0].memory.content
    assert limit == 1 or any("Paris" in hit.memory.content for hit in found[1:])

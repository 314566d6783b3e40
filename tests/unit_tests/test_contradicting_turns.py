"""Turns in which a speaker denies what they say in another are returned as a marked pair."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Scope


@pytest.mark.parametrize(
    ("denial", "claim", "question"),
    [
        ("I don't eat meat at all.", "I ate meat at the barbecue, I eat meat every week.", "Does Alice eat meat?"),
        ("I have no siblings.", "My brother Tom visited me.", "Does Alice have siblings or a brother?"),
        ("I have never been to Japan.", "I visited Japan in 2019 with my mother.", "Has Alice been to Japan?"),
        ("I am not allergic to peanuts.", "I am allergic to peanuts.", "Is Alice allergic to peanuts?"),
        ("I can't drive a car.", "I drive my car to work.", "Can Alice drive a car?"),
    ],
)
def test_a_denial_and_what_it_denies_are_a_marked_pair(denial: str, claim: str, question: str) -> None:
    """Each names the other, and neither is left out."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for month, text in ((2, denial), (3, claim), (4, "The cherry trees bloom.")):
            scope = Scope("alice", session_id=f"s-{month}")
            said = [HumanMessage(text, name="Alice")]
            memory.episodes.ingest(said, scope=scope, at=datetime(2026, month, 1, tzinfo=UTC))
        found = memory.long_term.recall(question, scope=Scope("alice"))
    pair = {hit.memory.id: hit.contradicts for hit in found if hit.contradicts}
    assert len(pair) == len((denial, claim))
    assert {other for named in pair.values() for other in named} == pair.keys()

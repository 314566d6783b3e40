"""Everyday updates across sessions, by rules and without an embedding model."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Scope

CASES = [
    ("I live in Paris near the canal.", "I moved to Berlin last week, I now live in Berlin.", "Where does Alice live?"),
    ("I work at Acme.", "I changed jobs, I now work at Globex.", "Where does Alice work?"),
    ("My favourite editor is Vim.", "I switched from Vim to Helix, Helix is my favourite editor now.",
     "What is Alice's favourite editor?"),
    ("My manager is Tom Brown.", "My new manager is Sarah Lee, Tom Brown left.", "Who is Alice's manager?"),
    ("My phone number ends with 4471.", "I changed my phone number, it now ends with 9902.",
     "What does Alice's phone number end with?"),
    ("We deploy the checkout service on AWS.", "We have moved the checkout service to Azure now.",
     "Where is the checkout service deployed?"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "question"), CASES)
def test_what_was_said_anew_stands_above_what_it_replaced(old: str, new: str, question: str) -> None:
    """In another session, and the earlier turn is marked."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for month, text in ((1, old), (2, new)):
            scope = Scope("alice", session_id=f"s-{month}")
            said = [HumanMessage(it, name="Alice") for it in (text, "The cat sleeps on the sofa.")]
            memory.episodes.ingest(said, scope=scope, at=datetime(2026, month, 1, tzinfo=UTC))
        found = memory.long_term.recall(question, scope=Scope("alice"))
    told = [(hit.memory.content, hit.memory.status) for hit in found if not hit.memory.content.endswith("sofa.")]
    assert told == [(f"Alice: {new}", "active"), (f"Alice: {old}", "superseded")]


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        ("I use Chrome for everything.", "I switched to Firefox last week.", "Which browser does Alice use?"),
        ("I have an iPhone 12.", "I upgraded to a Pixel 8.", "What phone does Alice have?"),
    ],
)
def test_a_thing_to_which_somebody_went_over_stands_above_the_one_before(old: str, new: str, question: str) -> None:
    """In another session; the earlier turn is not marked, for it may be in use elsewhere."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for month, text in ((1, old), (2, new)):
            said = [HumanMessage(it, name="Alice") for it in (text, "The cat sleeps on the sofa.")]
            scope = Scope("alice", session_id=f"s-{month}")
            memory.episodes.ingest(said, scope=scope, at=datetime(2026, month, 1, tzinfo=UTC))
        found = memory.long_term.recall(question, scope=Scope("alice"))
    told = [(hit.memory.content, hit.memory.status) for hit in found if not hit.memory.content.endswith("sofa.")]
    assert told == [(f"Alice: {new}", "active"), (f"Alice: {old}", "active")]

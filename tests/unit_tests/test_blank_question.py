"""A question of nothing but blanks."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from langchain_agentmem import AgentMemory, RecallQuery, Scope
from tests.conftest import Call

ALICE = Scope("alice")
TALK = Scope("alice", session_id="talk")


@pytest.mark.parametrize("text", ["", " ", "   ", "\n\t"])
async def test_a_blank_question_is_an_empty_one(call: Call, text: str) -> None:
    """It finds nothing, raises nothing, and brings the constraints in force."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        memory.long_term.remember("Alice prefers tea", scope=ALICE)
        memory.long_term.remember("Always answer in French", scope=ALICE, kind="constraint")
        found = await call(memory.long_term, "recall", text, scope=ALICE)
    assert (found.status, len(found), len(found.constraints)) == ("empty", 0, 1)
    assert RecallQuery(text=text) == RecallQuery()


@pytest.mark.parametrize("text", ["???", "the of and", "\N{SLIGHTLY SMILING FACE}", "( OR AND )", "'; drop table"])
async def test_a_question_without_a_known_word_finds_no_turn(call: Call, text: str) -> None:
    """Without a model nothing of it can be compared, so that nothing that was said answers it."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        said = [HumanMessage("I moved to Rome", name="Mel"), AIMessage("Lovely"), HumanMessage("My sister plays chess")]
        memory.episodes.ingest(said, scope=TALK, at=datetime(2026, 3, 1, tzinfo=UTC))
        assert (await call(memory.long_term, "recall", text, scope=ALICE)).status == "empty"
        for known in ("Mel?", "1 March 2026?", "chess?"):
            assert (await call(memory.long_term, "recall", known, scope=ALICE)).status == "ok"


def test_a_retriever_leaves_constraints_to_the_recall() -> None:
    """They bind every turn, and answer no question."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        memory.long_term.remember("Alice prefers tea", scope=ALICE)
        memory.long_term.remember("Always answer in French", scope=ALICE, kind="constraint")
        found = memory.retriever(scope=ALICE).invoke("tea?")
        bound = memory.long_term.recall("tea?", scope=ALICE).constraints
    assert [it.page_content for it in found] == ["Alice prefers tea"]
    assert [it.memory.content for it in bound] == ["Always answer in French"]

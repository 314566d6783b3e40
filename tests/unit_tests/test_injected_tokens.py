"""The counter of injected tokens counts what model calls were shown."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from langchain_core.messages import AIMessage

from langchain_agentmem import AgentMemory, Scope, create_memory_graph
from tests.fake_chat_model import ScriptedChatModel

ALICE = Scope("alice")


@pytest.fixture
def memory() -> Iterator[AgentMemory]:
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as built:
        yield built


def test_a_recall_by_itself_injects_nothing(memory: AgentMemory) -> None:
    """Only what is noted as shown counts, each call once, and of a recall only what was shown."""
    memory.long_term.remember("Alice prefers tea over coffee", scope=ALICE)
    memory.long_term.remember("Alice drinks tea at noon", scope=ALICE)
    found = memory.long_term.recall("tea", scope=ALICE)
    assert memory.metrics.snapshot().tokens_injected == 0
    receipt, first = found.receipt_id or "", found[0].memory.id
    memory.long_term.note_injected(receipt, "call-1", scope=ALICE, memory_ids=[first])
    one = memory.metrics.snapshot().tokens_injected
    memory.long_term.note_injected(receipt, "call-1", scope=ALICE, memory_ids=[first])
    assert memory.metrics.snapshot().tokens_injected == one > 0
    memory.long_term.note_injected(receipt, "call-2", scope=ALICE)
    assert memory.metrics.snapshot().tokens_injected > 2 * one


def test_the_constraints_of_a_turn_that_needs_no_memory_are_counted(memory: AgentMemory) -> None:
    """They stand in the prompt all the same."""
    memory.long_term.remember("Always answer in French", scope=ALICE, kind="constraint")
    model = ScriptedChatModel(script=[AIMessage("4.")])
    graph = create_memory_graph(model, tools=[], memory=memory)
    configurable = {"user_id": "alice", "thread_id": "t"}
    done = graph.invoke({"messages": [("human", "2+2?")]}, {"configurable": configurable})
    assert [it["is_constraint"] for it in done["memory"]["recalled"]] == [True]
    assert memory.metrics.snapshot().tokens_injected > 0

"""Consolidation on SQLite; its law, over whatever users say; and what schedules it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Candidate, GraphOptions, Scope, create_memory_graph
from langchain_agentmem._flow import flows_of
from langchain_agentmem.consolidation import CONSOLIDATE_JOB
from tests.contracts.consolidation_contract import ConsolidationContract, held
from tests.contracts.long_term_contract import Clock
from tests.ledgers import ALICE, BOB
from tests.unit_tests.faces.scripted import ScriptedModel
from tests.unit_tests.policies.test_consolidating import SENTENCES, says_all

SAID: Final = st.lists(
    st.tuples(st.sampled_from([ALICE, BOB]), st.sampled_from(SENTENCES), st.sampled_from(["explicit", "inferred"])),
    max_size=10,
)
TURN: Final[Any] = {"messages": [HumanMessage("I live in Rome.", id="h1")]}
RUN: Final[Any] = {"configurable": {"thread_id": "talk", "user_id": "alice"}}


class TestConsolidation(ConsolidationContract):
    """The whole contract, in a file: the rest of the house is held to its laws in memory too."""

    @pytest.fixture
    def sql_url(self, tmp_path: Path) -> str:
        return f"sqlite:///{tmp_path / 'agent.db'}"


@given(SAID)
@settings(max_examples=15)
def test_no_statement_is_lost_and_a_second_run_finds_nothing(said: list[tuple[Scope, str, Any]]) -> None:
    """Whatever was known is known in words that say all of it, Bob's memories are his, and the log verifies."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for scope, content, source in said:
            memory.long_term.remember(Candidate(content=content, source=source), scope=scope)
        before, bobs = held(memory), held(memory, BOB)
        memory.consolidation.run(ALICE)
        after = held(memory)
        assert all(any(it == other or says_all(it, other, has_vectors=False) for other in after) for it in before)
        assert set(after) <= {it for _, it, _ in said}
        assert (held(memory, BOB), memory.long_term.verify(scope=ALICE).is_intact) == (bobs, True)
        assert memory.consolidation.run(ALICE).changes == 0


@pytest.fixture
def memory() -> Any:  # noqa: ANN401  (a fixture that ends)
    clock = Clock()
    with AgentMemory.in_memory(
        embeddings=None, consent="assumed", consolidate_after=timedelta(minutes=1), clock=clock
    ) as memory:
        yield memory


def waiting(memory: AgentMemory) -> list[timedelta]:
    """Return how long after they were queued consolidations are due."""
    return [it.due_at - it.created_at for it in memory.jobs.list() if it.kind == CONSOLIDATE_JOB]


def is_a_minute(waits: list[timedelta]) -> bool:
    return [round(it.total_seconds()) for it in waits] == [60]


def test_a_stored_message_schedules(memory: AgentMemory) -> None:
    """Of a chat history; once, however many there are."""
    for number in range(3):
        memory.history(Scope("alice", session_id="talk")).add_user_message(f"I live in Rome {number}")
    assert is_a_minute(waiting(memory))


@pytest.mark.parametrize("writes", ["inline", "background"])
def test_a_turn_of_the_graph_schedules(memory: AgentMemory, writes: Any) -> None:  # noqa: ANN401
    """The thread is the conversation."""
    options = GraphOptions(writes=writes)
    create_memory_graph(ScriptedModel(script=["Noted."]), memory=memory, options=options).invoke(TURN, RUN)
    memory.jobs.run()
    assert is_a_minute(waiting(memory))


@pytest.mark.parametrize("writes", ["inline", "background"])
def test_a_turn_of_an_agent_schedules(memory: AgentMemory, writes: str) -> None:
    """When what it leaves is written, at once or behind the answer."""
    agent = create_agent(ScriptedModel(script=["Noted."]), middleware=[memory.middleware(writes=writes)])
    agent.invoke(TURN, RUN)
    memory.jobs.run()
    assert is_a_minute(waiting(memory))


def test_nothing_is_scheduled_unless_asked_for() -> None:
    """By default turns leave no job."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        memory.history(Scope("alice", session_id="talk")).add_user_message("I live in Rome")
        create_memory_graph(ScriptedModel(script=["Noted."]), memory=memory).invoke(TURN, RUN)
        assert waiting(memory) == []


def test_a_turn_is_answered_where_scheduling_fails(memory: AgentMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer stands, and so does what it left."""
    monkeypatch.setattr(flows_of(memory.consolidation), "schedule", lambda _scope: 1 / 0)
    graph = create_memory_graph(ScriptedModel(script=["Noted."]), memory=memory, options=GraphOptions(writes="inline"))
    state = graph.invoke(TURN, RUN)
    memory.history(Scope("alice", session_id="talk")).add_user_message("I live in Rome")
    assert (state["memory"]["status"], len(held(memory))) == ("ok", 1)

"""What a run of the queue tells of turns that it took in; of conversations see the contract of `background`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig

from langchain_agentmem import AgentMemory, Scope, create_memory_graph
from langchain_agentmem.graph import GraphOptions
from langchain_agentmem.nodes.state import MemoryReport
from tests.conftest import Call

ALICE = Scope("alice")
SAID = ("I live in Rome.", "I moved to Turin. My card is 4111 1111 1111 1111.")
TALK = Scope("alice", session_id="t")


@pytest.fixture
def memory() -> Iterator[AgentMemory]:
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        yield memory


@pytest.fixture
def at_once() -> Iterator[AgentMemory]:
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        yield memory


def reports(memory: AgentMemory, writes: Literal["background", "inline"]) -> list[MemoryReport]:
    model, options = FakeListChatModel(responses=["Noted."]), GraphOptions(writes=writes, read_your_writes=False)
    graph = create_memory_graph(model, [], memory, options=options)
    config: RunnableConfig = {"configurable": {"user_id": "alice", "thread_id": "t"}}
    return [graph.invoke({"messages": [HumanMessage(said)]}, config)["memory"] for said in SAID]


async def test_what_a_turn_left_is_told_as_of_one_that_was_written_at_once(
    memory: AgentMemory, at_once: AgentMemory, call: Call
) -> None:
    """New memories, what they replaced, and by which rule something was refused; whose it was; no words."""
    reports(memory, "background")
    done = await call(memory.jobs, "run")
    told = [(len(it.written), [*it.refused], len(it.superseded)) for it in done.taken_in]
    expected = reports(at_once, "inline")
    assert told == [
        (len(it["written"]), [no["rule"] for no in it["refused"]], len(it["superseded"])) for it in expected
    ]
    assert [it.scope for it in done.taken_in] == [TALK, TALK]
    [home] = await call(memory.long_term, "list", scope=ALICE)
    assert (done.taken_in[1].written, done.taken_in[1].refused) == ((home.id,), ("sensitive_data",))
    assert "Turin" not in repr(done)

"""A thread from which sensitive data is taken: it stays the same thread, in every checkpoint, and goes on."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, TypedDict
from uuid import UUID

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

from langchain_agentmem import AgentMemory, NotFoundError, Scope, SensitivePolicy
from langchain_agentmem.vault import SubjectVault
from tests.conftest import Call
from tests.vaults import MemoryKeys

CARD = "4111 1111 1111 1111"
POLICY = SensitivePolicy(rules={"*": "redact"})
ALICE = Scope("alice")
CONFIG: Any = {"configurable": {"thread_id": "t", "user_id": "alice"}}
ID = UUID("41111111-1111-4111-8111-111111111111")


class State(TypedDict, total=False):
    """Channels of every sort: small and large, of messages, of documents, of objects."""

    said: list[Any]
    note: str
    long: str
    seen: dict[str, Any]
    paid: str


def told(state: State) -> State:
    message = AIMessage(f"I pay with {CARD}", id="a", tool_calls=[{"name": "pay", "args": {"card": CARD}, "id": "c"}])
    return {
        "said": [*state["said"], message, Document(f"receipt of {CARD}", metadata={"card": CARD})],
        "note": CARD,
        "long": f"{CARD} " * 200,
        "seen": {"at": datetime(2026, 5, 1, tzinfo=UTC), "id": ID, "cards": {CARD}, "nested": ({"data": CARD}, 7)},
    }


def asked(_: State) -> State:
    return {"paid": f"paid: {interrupt({'question': f'charge {CARD}?'})}"}


def graph_of(memory: AgentMemory) -> Any:  # noqa: ANN401  (a graph)
    """Return a graph whose second step is a subgraph that waits for a person."""
    inner: Any = StateGraph(State)
    inner.add_node("ask", asked)
    inner.add_edge(START, "ask")
    graph: Any = StateGraph(State)
    graph.add_node("tell", told)
    graph.add_node("pay", inner.compile())
    graph.add_edge(START, "tell")
    graph.add_edge("tell", "pay")
    return graph.compile(checkpointer=memory.checkpointer)


def everything(memory: AgentMemory) -> list[Any]:
    """Return every checkpoint with its values, metadata and pending writes."""
    listed = memory.checkpointer.list({"configurable": {"thread_id": "t"}})
    return [(it.checkpoint, it.metadata, it.pending_writes) for it in listed]


@pytest.mark.parametrize("vault", [None, SubjectVault(MemoryKeys())], ids=["plain", "vault"])
async def test_a_thread_that_waits_is_cleaned_and_goes_on(vault: SubjectVault | None, call: Call) -> None:
    """Of every class of value the texts are replaced, and nothing else: no id, time, number, key or place."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed", vault=vault) as memory:
        graph = graph_of(memory)
        graph.invoke({"said": [HumanMessage(f"My card is {CARD}", id="h")]}, CONFIG)
        before = everything(memory)
        dry = await call(memory.sensitive, "scan", ALICE, policy=POLICY, layers=["threads"])
        assert (dry.counts, everything(memory) == before) == ({"threads": {"card": 1}}, True)
        done = await call(memory.sensitive, "scan", ALICE, policy=POLICY, layers=["threads"], dry_run=False)
        again = await call(memory.sensitive, "scan", ALICE, policy=POLICY, layers=["threads"])
        assert (dict(done.changed), again.findings) == ({"threads": 1}, ())
        assert repr(everything(memory)) == repr(before).replace(CARD, "[card]")
        state = graph.invoke(Command(resume="yes"), CONFIG)
        assert (state["paid"], state["said"][0].content) == ("paid: yes", "My card is [card]")
        assert state["seen"]["nested"][0] == {"data": "[card]"}


def test_a_run_that_read_before_keeps_what_it_read() -> None:
    """What it puts is what it has, never another's words under the same number; the next scan finds it."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        graph = graph_of(memory)
        graph.invoke({"said": [HumanMessage(f"My card is {CARD}", id="h")]}, CONFIG)
        held = graph.get_state(CONFIG).values
        memory.sensitive.scan(ALICE, policy=POLICY, layers=["threads"], dry_run=False)
        graph.update_state(CONFIG, {"said": [*held["said"], HumanMessage("and now?", id="n")]}, as_node="tell")
        assert graph.get_state(CONFIG).values["said"][0].content == f"My card is {CARD}"
        assert memory.sensitive.scan(ALICE, policy=POLICY, layers=["threads"]).counts == {"threads": {"card": 1}}


async def test_a_token_in_a_thread_is_revealed_and_ends_with_it(call: Call) -> None:
    """Every place has the same one; its value is kept before anything names it, and goes with the thread."""
    policy = SensitivePolicy(rules={"*": "tokenise"}, key=bytes(16), may_reveal=lambda request: True)
    with AgentMemory.in_memory(embeddings=None, consent="assumed", sensitive=policy, episodes=False) as memory:
        graph_of(memory).invoke({"said": [HumanMessage(CARD, id="h")]}, CONFIG)
        await call(memory.sensitive, "scan", ALICE, layers=["threads"], dry_run=False)
        token = graph_of(memory).get_state(CONFIG).values["note"]
        assert repr(everything(memory)).count(token) > 20
        assert await call(memory.sensitive, "reveal", token, scope=ALICE) == CARD
        await call(memory.checkpointer, "delete_thread", "t")
        with pytest.raises(NotFoundError):
            await call(memory.sensitive, "reveal", token, scope=ALICE)


def test_another_users_thread_is_not_looked_at() -> None:
    """Nor counted, nor changed."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        graph_of(memory).invoke({"said": [HumanMessage(CARD, id="h")]}, CONFIG)
        before = everything(memory)
        report = memory.sensitive.scan(Scope("bob"), policy=POLICY, dry_run=False)
        assert (report.findings, everything(memory) == before) == ((), True)

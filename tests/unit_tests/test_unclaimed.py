"""What may be a user's in LangGraph's store, and is nobody's, is told to whoever exports or erases them."""

from __future__ import annotations

from typing import Any, Final

import pytest

from langchain_agentmem import AgentMemory, Scope
from tests.conftest import Call

DAVE: Final = Scope("dave")
TOLD: Final = "nobody's although"


def memory_with(*namespaces: tuple[str, ...], **settings: Any) -> AgentMemory:
    """Return a memory whose store has an item in each namespace."""
    memory = AgentMemory.in_memory(embeddings=None, consent="assumed", **settings)
    for namespace in namespaces:
        memory.store.put(namespace, "1", {"content": "Dave takes insulin"})
    return memory


async def told(memory: AgentMemory, call: Call, user: Scope = DAVE) -> list[str]:
    """Return what reports say of it, before an erasure and after."""
    with memory:
        before = await call(memory.privacy, "report", user)
        after = await call(memory.privacy, "erase", user, reason="by letter")
        return [it for report in (before, after) for it in report.remains if TOLD in it]


@pytest.mark.parametrize("namespace", [("memories", "dave"), ("dave",), ("a", "dave", "b")])
async def test_a_namespace_of_nobodys_with_the_users_id_is_told(call: Call, namespace: tuple[str, ...]) -> None:
    """Wherever the label stands, before and after the erasure, with what to do about it."""
    found = await told(memory_with(namespace, ("memories", "erin")), call)
    assert ["has 1 namespace" in it and "subject=" in it for it in found] == [True, True]


@pytest.mark.parametrize("namespace", [("memories", "dave2"), ("memories", "Dave"), ("mydave",), ("dav_",)])
async def test_a_label_that_is_alike_is_not_told(call: Call, namespace: tuple[str, ...]) -> None:
    """Labels are compared exactly."""
    assert await told(memory_with(namespace), call) == []


async def test_what_has_an_owner_is_not_told(call: Call) -> None:
    """It is counted, and erased with them."""
    memory = memory_with(("memories", "dave"), store={"subject": lambda it: Scope(it[1])})
    assert (await call(memory.privacy, "report", DAVE)).counts["store"] == 1
    assert await told(memory, call) == []


async def test_letters_that_mean_something_to_a_database_mean_none(call: Call) -> None:
    """Of a user's id."""
    assert await told(memory_with(("memories", "dave")), call, Scope("d%")) == []
    assert len(await told(memory_with(("memories", "d%_\\")), call, Scope("d%_\\"))) == 2

"""Greetings and thanks ask nothing of memory, however it is asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from langchain_agentmem import AgentMemory, Candidate, RecallQuery, Scope
from tests.conftest import Call

ANA = Scope("ana", session_id="monday")


@pytest.fixture
def memory() -> Iterator[AgentMemory]:
    """Memory of a user who greets."""
    said = [HumanMessage("Good morning! I prefer tea.", id="q"), AIMessage("Hello, thanks for telling me.", id="a")]
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        memory.episodes.ingest(said, scope=ANA)
        memory.long_term.remember("Ana likes good mornings", scope=ANA, kind="preference")
        memory.long_term.remember("Always answer in French", scope=ANA, kind="constraint")
        yield memory


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "Good morning!",
        "Hi there, how are you?",
        "thanks a lot",
        "ok, great",
        "Have a nice day!",
        "what\u2019s up",
    ],
)
async def test_small_talk_recalls_nothing_but_what_always_holds(memory: AgentMemory, call: Call, text: str) -> None:
    """No turn that greets as well, and no fact; the receipt says why."""
    found: Any = await call(memory.long_term, "recall", text, scope=ANA)
    assert (list(found), found.status) == ([], "skipped")
    assert [it.memory.content for it in found.constraints] == ["Always answer in French"]
    receipt = memory.long_term.receipt(found.receipt_id, scope=ANA)
    assert receipt is not None
    assert receipt.reason == "small talk"


@pytest.mark.parametrize("text", ["Good morning, what do I prefer?", "tea", "hello tea", "mornings"])
async def test_whoever_asks_for_something_beside_it_is_answered(memory: AgentMemory, call: Call, text: str) -> None:
    """A greeting in front of a question takes nothing from it."""
    found: Any = await call(memory.long_term, "recall", text, scope=ANA)
    assert (found.status, len(found) > 0) == ("ok", True)


async def test_an_action_is_looked_up_whatever_is_said(memory: AgentMemory, call: Call) -> None:
    """Who says yes to a deed is told that it failed before."""
    failed = Candidate(content="The deployment to production failed", kind="outcome", tags=("failed",))
    memory.long_term.remember(failed, scope=ANA)
    query = RecallQuery(text="yes", action="deploy to production")
    found: Any = await call(memory.long_term, "recall", query, scope=ANA)
    assert [it.memory.content for it in found] == ["The deployment to production failed"]

"""Greetings and thanks ask nothing of memory, however it is asked; but a name that sounds like one is a name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.messages import AIMessage, HumanMessage

from langchain_agentmem import AgentMemory, Candidate, RecallQuery, Scope
from tests.conftest import Call

ANA = Scope("ana", session_id="monday")
BOB = Scope("bob", session_id="tuesday")
NAMED = {
    "Nice": "Alice lives in Nice",
    "Ty": "Ty is Alice's brother",
    "Cheers": "Alice's favourite show is Cheers",
    "Buddy": "Alice's dog is called Buddy",
    "Great": "Alice works at Great Wonderful Inc",
}


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


@pytest.fixture
def named() -> Iterator[AgentMemory]:
    """Memory in which people, a city and a firm are called what others say in greeting."""
    with AgentMemory.in_memory(embeddings=DeterministicFakeEmbedding(size=8), consent="assumed") as memory:
        for fact in NAMED.values():
            memory.long_term.remember(fact, scope=BOB)
        memory.episodes.ingest([HumanMessage("My neighbour is called Buddy. Great, isn't it?", id="q")], scope=BOB)
        yield memory


@pytest.mark.parametrize("text", [*NAMED, "Nice, then?", "Ty?", "buddy"])
async def test_what_a_memory_names_is_no_small_talk(named: AgentMemory, call: Call, text: str) -> None:
    """Whoever asks for the name is answered by what has it, and by nothing else."""
    fact = NAMED[text.split(",", maxsplit=1)[0].strip("?").title()]
    found: Any = await call(named.long_term, "recall", RecallQuery(text=text, kinds=("fact",)), scope=BOB)
    assert ([it.memory.content for it in found], found.status) == ([fact], "ok")
    documents: Any = await call(named.retriever(scope=BOB), "invoke", text)
    assert fact in [it.page_content for it in documents]


async def test_a_turn_that_names_it_is_found_as_well(named: AgentMemory, call: Call) -> None:
    """Where it stands as a name, and not as a word of the greeting."""
    found: Any = await call(named.long_term, "recall", RecallQuery(text="Buddy", kinds=("episode",)), scope=BOB)
    assert (len(found), found.status) == (1, "ok")
    for text in ("Great", "buddy"):
        found = await call(named.long_term, "recall", RecallQuery(text=text, kinds=("episode",)), scope=BOB)
        assert (len(found), found.status) == (0, "skipped")


@pytest.mark.parametrize("text", ["hello", "good morning", "thanks!", "yes", "and then?"])
async def test_the_tool_says_that_it_was_small_talk(named: AgentMemory, text: str) -> None:
    """And answers where it is a name."""
    [tool] = [it for it in named.tools(scope=BOB) if it.name == "search_memory"]
    assert "small talk" in await tool.ainvoke({"query": text})
    assert NAMED["Buddy"] in await tool.ainvoke({"query": "Buddy"})


async def test_a_greeting_beside_what_is_asked_about_is_no_answer(call: Call) -> None:
    """What stands around it is about languages, and it is about nothing; the receipt names the rule."""
    said = [
        HumanMessage("hello", id="q1"),
        AIMessage("1 message so far", id="a1"),
        HumanMessage("We write our backend in Python, a language that I like.", id="q2"),
        AIMessage("3 messages so far", id="a2"),
    ]
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        memory.episodes.ingest(said, scope=ANA)
        found: Any = await call(memory.long_term, "recall", "Which language is the backend in?", scope=ANA)
        assert [hit.memory.provenance.message_ids for hit in found] == [("q2", "a2")]
        receipt = memory.long_term.receipt(found.receipt_id, scope=ANA)
        assert receipt is not None
        assert "greeting" in [line.dropped_by for line in receipt.lines]

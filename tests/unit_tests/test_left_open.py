"""A turn that asks and is not answered resembles the question that is asked again, and answers nothing of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.english.requests.hearing import ECHO_SHARE
from langchain_agentmem.english.text.only_asked import is_left_open
from tests.conftest import Call

ANA = Scope("ana", session_id="monday")
ASKED = "Which language should I use for services?"


@pytest.fixture
def memory() -> Iterator[AgentMemory]:
    """Memory of a user who was told nothing, and then told something."""
    asked = [HumanMessage(ASKED, id="q1"), AIMessage("Sorry, I don't know. Could you tell me?", id="a1")]
    told = [
        HumanMessage("What do I write services in?", id="q2"),
        AIMessage("You prefer Python for services.", id="a2"),
    ]
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        memory.episodes.ingest([*asked, *told], scope=ANA)
        memory.long_term.remember("Ana prefers Python for services", scope=ANA, kind="preference")
        yield memory


async def test_what_was_left_open_is_no_answer(memory: AgentMemory, call: Call) -> None:
    """The fact and the turn that was answered stand alone; the receipt names the rule."""
    found: Any = await call(memory.long_term, "recall", ASKED, scope=ANA)
    assert found
    assert all("don't know" not in hit.memory.content for hit in found)
    receipt = memory.long_term.receipt(found.receipt_id, scope=ANA)
    assert receipt is not None
    assert "left_open" in [line.dropped_by for line in receipt.lines]


async def test_whoever_asks_what_was_asked_finds_it(memory: AgentMemory, call: Call) -> None:
    """Of questions, an open one is as good as any."""
    found: Any = await call(memory.long_term, "recall", "What did I ask about the language for services?", scope=ANA)
    assert any(ASKED in hit.memory.content for hit in found)


async def test_a_fact_that_answers_stands_above_a_turn_that_asks_the_same(call: Call) -> None:
    """The turn has more of the question's words, and they are all its own."""
    said = [HumanMessage("Which language do I prefer for services?", id="q"), AIMessage("4 messages so far", id="a")]
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        memory.episodes.ingest(said, scope=ANA)
        memory.long_term.remember("Ana prefers Python for services", scope=ANA, kind="preference")
        found: Any = await call(memory.long_term, "recall", "What do I prefer for services?", scope=ANA)
        assert [hit.memory.kind for hit in found] == ["preference", "episode"]
        assert found[1].parts["echo"] == ECHO_SHARE


async def test_a_question_that_was_asked_before_lifts_nothing_around_it(call: Call) -> None:
    """Not what was said before or after it, nor how likely anything answers; what answers stands above it."""
    talks = {
        "monday": ["I live in Lyon.", "I have a cat named Minka."],
        "tuesday": ["What do you remember?", "Where do I live?", "I bought a bike."],
        "friday": ["I sold my car.", "Where do I live?"],
    }
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for talk, said in talks.items():
            turns = [it for text in said for it in (HumanMessage(text), AIMessage("OK."))]
            memory.episodes.ingest(turns, scope=Scope("ana", session_id=talk))
        found: Any = await call(memory.long_term, "recall", "Where do I live?", scope=ANA)
        assert found[0].memory.content.startswith("user: I live in Lyon.")
        told = [hit.memory.content for hit in found]
        assert not any(around in it for it in told for around in ("bike", "car", "remember"))
        nothing: Any = await call(memory.long_term, "recall", "Where do I swim?", scope=ANA)
        assert nothing.status == "empty"


@pytest.mark.parametrize(
    ("text", "reply", "is_open"),
    [
        (ASKED, "No idea.", True),
        (ASKED, "I'm afraid I don't have that information. Please tell me!", True),
        (ASKED, "Unfortunately, you haven't told me yet. If you do, I'll remember.", True),
        ("Where? And when?", "I cannot say.", True),
        (ASKED, "", False),  # the next turn may answer it
        (ASKED, "Python.", False),
        (ASKED, "I'm not sure, but you told me you prefer Python.", False),
        (ASKED, "I don't know your team. You prefer Python.", False),
        ("I moved to Oslo. Where should I eat?", "No idea.", False),  # it tells something
        ("Is it Oslo?", "Could you tell me more?", False),
    ],
)
def test_a_turn_is_left_open(text: str, reply: str, *, is_open: bool) -> None:
    """Where it only asks, and its reply says no more than that nobody knows."""
    assert is_left_open(text, reply) is is_open

"""Who asks that nothing be remembered from now on is told that memory does not hold to it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent

from langchain_agentmem import AgentMemory, GraphOptions, create_memory_graph
from langchain_agentmem.english.requests.standing_bans import bans_memory
from langchain_agentmem.nodes.telling import BAN_IS_NOT_HELD
from tests.conftest import Colour
from tests.unit_tests.faces.scripted import ScriptedModel


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[AgentMemory]:
    with AgentMemory.embedded(tmp_path / "agent.db", embeddings=None, consent="assumed") as memory:
        yield memory


@pytest.mark.parametrize(
    "text",
    [
        "Don't remember what I tell you next.",
        "Please don't remember anything in this conversation.",
        "This whole conversation is off the record.",
        "Stop remembering things about me.",
        "From now on, do not store anything about my health.",
        "Don't remember anything about my health.",
        "Never store health information about me.",
        "Hi! Please keep nothing of this conversation. I have a question.",
        "Never remember anything I say.",
        "You may not remember anything about my family from now on.",
        "Our chat must not be recorded.",
    ],
)
def test_a_ban_of_what_follows_is_heard(text: str) -> None:
    """Of a conversation, of what is told next, of a matter."""
    assert bans_memory(text)


@pytest.mark.parametrize(
    "text",
    [
        "Don't remember this.",
        "Don't remember that I smoke.",
        "Never store our keys in the repo.",
        "From now on, never keep my drafts in the repo.",
        "From now on, do not store files on the desktop.",
        "Don't save what I write to disk.",
        "I never remember anything about my childhood.",
        "Is this conversation off the record?",
        "He said that our chat must not be recorded.",
    ],
)
def test_what_is_asked_of_one_message_or_of_work_is_none(text: str) -> None:
    """It is held, or is an order like any other."""
    assert not bans_memory(text)


@pytest.mark.parametrize("kind", ["graph", "agent"])
async def test_the_model_is_told_that_it_is_not_held(memory: AgentMemory, kind: str, colour: Colour) -> None:
    """And the report says it by its rule; a turn without such a request says nothing of it."""
    model = ScriptedModel(script=["Fine."] * 2)
    graph: Any
    if kind == "graph":
        graph = create_memory_graph(model, [], memory, options=GraphOptions(writes="inline"))
    else:
        graph = create_agent(model, middleware=[memory.middleware(writes="inline")])
    config = {"configurable": {"thread_id": "t", "user_id": "alice"}}
    said = ("This whole conversation is off the record.", "I like tea.")
    done = []
    for text in said:
        given: Any = {"messages": [("user", text)]}
        done.append(graph.invoke(given, config) if colour == "sync" else await graph.ainvoke(given, config))
    assert [[it["rule"] for it in state["memory"]["refused"]] for state in done] == [["standing_ban"], []]
    shown = ["\n".join(it.text for it in request) for request in model.requests]
    assert [BAN_IS_NOT_HELD in it for it in shown] == [True, False]


@pytest.mark.parametrize("filling", ["please ", "never remember ", "anything about my ", ", ", " "])
def test_long_texts_are_read_in_linear_time(filling: str) -> None:
    """Whatever a message repeats."""
    begun = time.process_time()
    bans_memory(filling * (8_000 // len(filling)))
    assert time.process_time() - begun < 0.5

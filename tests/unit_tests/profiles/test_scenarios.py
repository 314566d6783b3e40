"""A student over several sessions: what is said in conversations, and what the application sets, make one profile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import pytest

from langchain_agentmem import AgentMemory, GraphOptions, Scope, UserProfile, create_memory_graph
from tests.conftest import Colour
from tests.unit_tests.faces.scripted import ScriptedModel

ANA = Scope("ana")


class Student(UserProfile):
    level: Literal["beginner", "intermediate"] = "beginner"
    city: str | None = None


@pytest.fixture
def memory() -> Iterator[AgentMemory]:
    with AgentMemory.in_memory(embeddings=None, consent="assumed", profile=Student) as memory:
        yield memory


async def say(memory: AgentMemory, colour: Colour, text: str, thread: str) -> None:
    """Take one turn of a conversation with a tutor."""
    graph = create_memory_graph(ScriptedModel(script=["Noted."]), memory=memory, options=GraphOptions(writes="inline"))
    config: Any = {"configurable": {"thread_id": thread}}
    given: Any = {"user_id": "ana"}
    if colour == "sync":
        graph.invoke({"messages": [("user", text)]}, config, context=given)
    else:
        await graph.ainvoke({"messages": [("user", text)]}, config, context=given)


async def test_a_student_is_known_over_sessions(memory: AgentMemory, colour: Colour) -> None:
    """Struggle and progress of one session are there in the next, and what changed counts as it is now."""
    for text in ("My name is Ana.", "I live in Berlin.", "I struggle with recursion."):
        await say(memory, colour, text, "monday")
    memory.profiles.set("level", "intermediate", scope=ANA)
    goal = memory.goals.add("Ana wants to understand recursion", scope=ANA, steps=["factorial", "trees"]).require()
    memory.goals.progress(goal.id, scope=ANA, completed="factorial")
    await say(memory, colour, "Actually, I moved to Rome.", "friday")
    profile = memory.profiles.get(scope=ANA)
    assert (profile.name, profile.level, profile.city) == ("Ana", "intermediate", "Rome")
    assert profile.facts == ("The user struggles with recursion",)
    history = memory.profiles.explain("city", scope=ANA)
    assert [(it.value, it.status) for it in history.values] == [("Rome", "active"), ("Berlin", "superseded")]
    resumed = memory.goals.resume(scope=ANA)
    assert resumed is not None
    assert resumed.to_context().count("trees") == 1
    assert memory.long_term.verify(scope=ANA).is_intact

"""Runs that name no user in a thread of somebody's: who is asked about, and what they leave there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Final, TypeAlias

import pytest
from langchain_core.language_models import FakeListChatModel

from langchain_agentmem import (
    AgentMemory,
    GovernanceError,
    GraphOptions,
    MemoryOptions,
    ScopeError,
    acting_as,
    create_memory_graph,
)
from langchain_agentmem.sql.engine import Database
from tests.conftest import Call
from tests.contracts.access_contract import Rules

Graph: TypeAlias = Any
THREAD: Final = {"thread_id": "t7"}
ALICES: Final = {**THREAD, "user_id": "alice"}


class VisitorContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    def rules(self) -> Rules:
        return Rules(denied={("", "read"), ("", "write")})

    @pytest.fixture
    async def memory(self, sql_url: str, rules: Rules) -> AsyncIterator[AgentMemory]:
        options = MemoryOptions(consent="assumed", authorize=rules)
        async with AgentMemory(Database(sql_url), embeddings=None, options=options) as memory:
            yield memory

    @pytest.fixture
    async def unruled(self, sql_url: str) -> AsyncIterator[AgentMemory]:
        """A memory without a rule."""
        async with AgentMemory(Database(sql_url), embeddings=None) as memory:
            yield memory

    async def test_a_run_without_a_user_is_a_visitors(self, memory: AgentMemory, call: Call, rules: Rules) -> None:
        """A rule is asked about nobody, and not about the owner; of a no, nothing is read or left in the thread."""
        graph = made(memory)
        await say(graph, call, "I live in Rome.", ALICES)
        assert {it[0] for it in rules.asked} == {"alice"}
        rules.asked.clear()
        with pytest.raises(GovernanceError, match="a visitor"):
            await say(graph, call, "What was said?", THREAD)
        assert set(rules.asked) == {("", "read", "alice")}
        assert said_in(graph) == ["I live in Rome."]

    async def test_whoever_the_run_or_the_code_names_acts(self, memory: AgentMemory, call: Call, rules: Rules) -> None:
        """By the context as well as by the config; an actor is asked about as themself."""
        graph = made(memory)
        await say(graph, call, "I live in Rome.", ALICES)
        await say(graph, call, "And now?", THREAD, context={"user_id": "alice"})
        rules.asked.clear()
        await say(graph, call, "I help.", {**ALICES, "actor": "support-7"})
        assert {it[0] for it in rules.asked} == {"support-7"}
        with acting_as("support-8"):
            await say(graph, call, "So do I.", THREAD)
        assert said_in(graph) == ["I live in Rome.", "And now?", "I help.", "So do I."]

    async def test_without_a_rule_nobody_is_asked(self, unruled: AgentMemory, call: Call) -> None:
        """An application of one user names them once, or never."""
        graph = made(unruled)
        await say(graph, call, "Hello.", ALICES)
        await say(graph, call, "Go on.", THREAD)
        assert said_in(graph) == ["Hello.", "Go on."]

    async def test_where_a_user_is_required_nothing_is_left(self, unruled: AgentMemory, call: Call) -> None:
        """`on_missing_user="raise"` raises before the input is stored; so does a checkpointer that requires a user."""
        await say(made(unruled), call, "Hello.", ALICES)
        strict = made(unruled, on_missing_user="raise")
        plain: Any = create_memory_graph(model(), (), unruled, checkpointer=unruled.checkpointer.requiring_user())
        for graph in (strict, plain):
            with pytest.raises(ScopeError, match="no user"):
                await say(graph, call, "Who am I?", THREAD)
            await say(graph, call, "Go on.", ALICES)
        assert said_in(strict) == ["Hello.", "Go on.", "Go on."]


def model() -> FakeListChatModel:
    """Return a model that says one thing."""
    return FakeListChatModel(responses=["Fine."])


def made(memory: AgentMemory, **options: Any) -> Graph:
    """Return a graph over the memory's own threads."""
    chosen = GraphOptions(writes="inline", **options)
    return create_memory_graph(model(), (), memory, checkpointer=memory.checkpointer, options=chosen)


async def say(graph: Graph, call: Call, text: str, configurable: dict[str, str], **more: Any) -> None:
    """Say something in a run."""
    given = {"messages": [("user", text)]}, {"configurable": configurable}
    await call(graph, "invoke", *given, **more)


def said_in(graph: Graph) -> list[str]:
    """Return what users said in the thread."""
    messages = graph.get_state({"configurable": THREAD}).values["messages"]
    return [it.content for it in messages if it.type == "human"]

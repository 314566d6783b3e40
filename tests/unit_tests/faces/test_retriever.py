from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import create_retriever_tool
from langchain_tests.integration_tests import RetrieversIntegrationTests
from langgraph.graph import END, START, MessagesState, StateGraph

from langchain_agentmem.errors import ConfigurationError, ScopeError
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.retrievers import MemoryRetriever
from tests.conftest import Call
from tests.unit_tests.faces.conftest import ALICE, BOB, remember


class TestStandard(RetrieversIntegrationTests):
    """LangChain's own suite for retrievers."""

    @pytest.fixture(autouse=True)
    def _filled(self, memory: AgentMemory) -> None:
        for city in ("Oslo", "Berlin", "Paris", "Rome"):
            remember(memory, f"Alice has visited {city}", kind="fact")
        self.memory = memory

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return MemoryRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"long_term": self.memory.long_term, "scope": ALICE}

    @property
    def retriever_query_example(self) -> str:
        return "which cities has she visited?"


async def test_a_document_is_the_memory_with_json_safe_metadata(memory: AgentMemory, call: Call) -> None:
    """Content, id, score with its parts, and the receipt that explains it."""
    kept = remember(memory, "Alice prefers Python")
    [document] = await call(memory.retriever(scope=ALICE), "invoke", "does she prefer Python?")
    assert (document.id, document.page_content) == (kept.id, "Alice prefers Python")
    assert json.loads(json.dumps(document.metadata)) == document.metadata
    assert memory.long_term.receipt(document.metadata["receipt_id"], scope=ALICE).lines[0].memory_id == kept.id


async def test_the_config_names_the_user(memory: AgentMemory, call: Call) -> None:
    """Two users, one retriever: each finds their own."""
    remember(memory, "Alice prefers Python")
    remember(memory, "Bob prefers Ruby", scope=BOB)
    found = await call(memory.retriever(), "invoke", "who prefers what?", {"configurable": {"user_id": "bob"}})
    assert [it.page_content for it in found] == ["Bob prefers Ruby"]


async def test_without_a_user_nothing_is_retrieved(memory: AgentMemory, call: Call) -> None:
    """Neither the retriever nor the run names one."""
    with pytest.raises(ScopeError):
        await call(memory.retriever(), "invoke", "anything")


async def test_a_caller_cannot_slip_in_another_scope(memory: AgentMemory, call: Call) -> None:
    """A retriever bound to one user serves no other; the error names the keyword."""
    with pytest.raises(ConfigurationError, match="'scope'"):
        await call(memory.retriever(scope=ALICE), "invoke", "anything", None, scope=BOB)


@pytest.mark.parametrize("given", [{"mode": "off"}, {"kind": ("fact",)}, {"scope": None}])
async def test_a_keyword_that_a_call_does_not_take_is_named(
    memory: AgentMemory, given: dict[str, Any], call: Call
) -> None:
    """LangChain would leave it out without a word, or fail in words of its own."""
    with pytest.raises(ConfigurationError, match=f"not '{next(iter(given))}'"):
        await call(memory.retriever(scope=ALICE), "invoke", "anything", None, **given)


async def test_a_call_may_ask_otherwise(memory: AgentMemory, call: Call) -> None:
    """`k`, `kinds` and `min_confidence` count for one call, and are checked as ever."""
    remember(memory, "Alice prefers Python")
    remember(memory, "Alice prefers tea")
    retriever = memory.retriever(scope=ALICE)
    assert len(await call(retriever, "invoke", "What does Alice prefer?", None, k=1)) == 1
    assert await call(retriever, "invoke", "What does Alice prefer?", None, kinds=("goal",)) == []
    assert await call(retriever, "invoke", "What does Alice prefer?", None, min_confidence=1.0) == []
    assert len(await call(retriever, "invoke", "What does Alice prefer?")) == 2
    with pytest.raises(ConfigurationError, match="kind"):
        await call(retriever, "invoke", "What does Alice prefer?", None, kinds=("wish",))


async def test_a_turn_that_is_off_retrieves_nothing(memory: AgentMemory, call: Call) -> None:
    """`memory_mode` of the run binds retrievers too."""
    remember(memory, "Alice prefers Python")
    assert await call(memory.retriever(scope=ALICE), "invoke", "Python", {"configurable": {"memory_mode": "off"}}) == []


async def test_inside_a_graph_a_retriever_tool_knows_the_user(memory: AgentMemory, call: Call) -> None:
    """LangChain's own retriever tool forwards no config: the run around it does."""
    remember(memory, "Alice prefers Python")
    search = create_retriever_tool(memory.retriever(), "search", "Search.")

    def node(state: MessagesState) -> dict[str, Any]:
        return {"messages": [("ai", search.invoke({"query": state["messages"][-1].text}))]}

    builder = StateGraph(MessagesState)
    builder.add_node("node", node)
    graph = builder.add_edge(START, "node").add_edge("node", END).compile()
    state = await call(graph, "invoke", {"messages": [("user", "Python")]}, context={"user_id": "alice"})
    assert state["messages"][-1].text == "Alice prefers Python"

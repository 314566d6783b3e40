"""A wrapped chain can be looked at without a user, and says what to do about an input that it cannot take."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableLambda

from langchain_agentmem import AgentMemory, ConfigurationError, Scope
from langchain_agentmem.errors import StorageError
from langchain_agentmem.graph import create_memory_graph
from tests.conftest import Call
from tests.unit_tests.faces.scripted import ScriptedModel

BLOCKS: list[Any] = [
    {"type": "text", "text": "Look"},
    {"type": "image_url", "image_url": {"url": "https://x.example/y"}},
]
CONFIG: Any = {"configurable": {"user_id": "alice", "session_id": "s"}}


def wrapped(memory: AgentMemory) -> Any:  # noqa: ANN401  (a runnable)
    return memory.wrap(RunnableLambda(lambda _: "Fine."), input_messages_key="input", history_messages_key="history")


async def test_blocks_of_a_content_are_to_be_put_into_a_message(call: Call) -> None:
    """The key is named already; what helps is named, and helps. Of another wrong input the remedy is another."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        with pytest.raises(ConfigurationError, match=r"one message: \{'input': HumanMessage\(\[…\]\)\}"):
            await call(wrapped(memory), "invoke", {"input": BLOCKS}, CONFIG)
        assert await call(wrapped(memory), "invoke", {"input": HumanMessage(BLOCKS)}, CONFIG) == "Fine."
        with pytest.raises(ConfigurationError, match="input_messages_key"):
            await call(wrapped(memory), "invoke", {"input": [1]}, CONFIG)


def test_a_wrapped_chain_is_drawn_without_a_user() -> None:
    """How it is built is nobody's."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        assert wrapped(memory).get_graph().draw_mermaid() == wrapped(memory).get_graph(CONFIG).draw_mermaid()


def agent_of(memory: AgentMemory, kind: str) -> Any:  # noqa: ANN401  (a graph)
    model = ScriptedModel(script=["one", "two"])
    if kind == "graph":
        return create_memory_graph(model, [], memory)
    return create_agent(model, middleware=[memory.middleware(tools=False)])


@pytest.mark.parametrize("kind", ["graph", "agent"])
async def test_an_agent_with_memory_is_wrapped_without_a_key_of_its_output(call: Call, kind: str) -> None:
    """Its output has the report of memory, too: the conversation is where graphs have it."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        chain = memory.wrap(agent_of(memory, kind), input_messages_key="messages")
        for said in ("hello", "again"):
            await call(chain, "invoke", {"messages": [HumanMessage(said)]}, CONFIG)
        kept = memory.history(Scope("alice", session_id="s")).messages
        assert [it.text for it in kept] == ["hello", "one", "again", "two"]


@pytest.mark.parametrize("key", [None, "answer"])
async def test_an_output_that_tells_no_answer_names_the_remedy(call: Call, key: str | None) -> None:
    """LangChain swallows what goes wrong as a turn is saved: the next call says what to change."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        chain = memory.wrap(RunnableLambda(lambda _: {"reply": "Fine.", "cost": 1}), output_messages_key=key)
        await call(chain, "invoke", "hello", CONFIG)
        with pytest.raises(StorageError, match=r"'reply', 'cost': name .* with output_messages_key=…") as raised:
            await call(chain, "invoke", "again", CONFIG)
        assert not raised.value.is_retryable


def test_a_wrapped_chain_is_not_wrapped_again() -> None:
    """Every turn would be stored twice."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for chain in (wrapped(memory), wrapped(memory).with_config(tags=["x"])):
            with pytest.raises(ConfigurationError, match="already"):
                memory.wrap(chain)

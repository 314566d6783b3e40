"""A wrapped chain can be looked at without a user, and says what to do about an input that it cannot take."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableLambda

from langchain_agentmem import AgentMemory, ConfigurationError
from tests.conftest import Call

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

"""Laws of messages on their way to bytes: LangGraph's serializer would have given the same."""

from __future__ import annotations

from typing import Any, Final

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.ai import UsageMetadata
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from langchain_agentmem.checkpoints.messages import MessageSerde

SERDE: Final = JsonPlusSerializer(allowed_msgpack_modules=None)
CALL: Final = {"name": "search", "args": {"q": ["a", 1, None]}, "id": "c1", "type": "tool_call"}
MESSAGES: Final[tuple[AnyMessage, ...]] = (
    HumanMessage("hello"),
    HumanMessage([{"type": "text", "text": "hello"}, "there"], id="h", name="ann", extra_field={"a": 1}),
    HumanMessage(content_blocks=[{"type": "text", "text": "in blocks"}]),
    SystemMessage("be kind", additional_kwargs={"role": "developer"}),
    AIMessage("", tool_calls=[CALL], usage_metadata=UsageMetadata(input_tokens=1, output_tokens=2, total_tokens=3)),
    AIMessage(
        "x", invalid_tool_calls=[{"name": "n", "args": "{", "id": "i", "error": "e"}], response_metadata={"m": 1}
    ),
    AIMessage(
        content_blocks=[{"type": "text", "text": "t"}, {"type": "tool_call", "name": "n", "args": {}, "id": "2"}]
    ),
    AIMessage("\udc80 lone", example=True),
    AIMessageChunk(content="part", id="chunk"),
    ToolMessage("42", tool_call_id="c1", artifact={"rows": [1, 2]}, status="error"),
    ToolMessage(["a", {"type": "text", "text": "b"}], tool_call_id="c2", artifact=HumanMessage("inner")),
)
VALUES: Final[tuple[Any, ...]] = (
    *MESSAGES,
    list(MESSAGES),
    {"messages": list(MESSAGES), "documents": [Document("text", metadata={"a": 1})], 1: {2, 3}},
    None,
    b"bytes",
    bytearray(b"array"),
    "text",
)


def own() -> MessageSerde:
    """Return a new one."""
    return MessageSerde(SERDE)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_bytes_are_those_of_langgraph(value: Any) -> None:  # noqa: ANN401  (whatever a channel holds)
    """A value becomes the very kind and bytes that LangGraph's serializer gives."""
    assert own().dumps_typed(value) == SERDE.dumps_typed(value)


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_a_message_comes_back_as_from_langgraph(message: AnyMessage) -> None:
    """A message is, field by field, what LangGraph's serializer would have built, in class and in what was set."""
    typed = SERDE.dumps_typed(message)
    found, expected = own().load(typed[1]), SERDE.loads_typed(typed)
    assert type(found) is type(expected)
    assert found == expected
    assert found.__dict__ == expected.__dict__
    assert found.model_extra == expected.model_extra
    assert found.model_fields_set == expected.model_fields_set


def test_a_message_whose_fields_are_refused_comes_back_as_from_langgraph() -> None:
    """Fields that make no message give what LangGraph's serializer makes of them."""
    dump = SERDE.dumps_typed(HumanMessage("hello"))[1].replace(b"\xa4type\xa5human", b"\xa4type\xa5robot")
    assert own().load(dump) == SERDE.loads_typed(("msgpack", dump))


def test_a_restored_message_is_the_callers() -> None:
    """What is done to a restored message shows in no other."""
    data = own().dumps_typed(AIMessage("x", tool_calls=[CALL]))[1]
    first, second = own().load(data), own().load(data)
    first.tool_calls[0]["args"]["q"].append("more")
    assert second.tool_calls[0]["args"] == CALL["args"]

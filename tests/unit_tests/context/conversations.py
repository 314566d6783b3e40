"""Conversations as hypothesis draws them, and what every view of one must keep."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from langchain_agentmem.context.groups import call_ids, is_own_system, split
from langchain_agentmem.extraction.record.conversation import is_of_user
from langchain_agentmem.summarize.marks import data_of, marked

WORDS = st.sampled_from(
    [
        "",
        "ok",
        "We chose PostgreSQL 16.",
        "Deploy to staging by Friday?",
        "It failed: timeout. Retry 3 times!",
        "日本語。",
        "x" * 90,
    ]
)
BLOCKS: list[str | dict[str, Any]] = [
    {"type": "text", "text": "See this."},
    {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
]
CONTENTS = st.one_of(WORDS, st.just(BLOCKS), st.just([]))


@st.composite
def tool_turns(draw: st.DrawFn) -> list[BaseMessage]:
    """A call of up to three tools with its results: in any order, some missing, or something said in between."""
    ids = draw(st.sampled_from([["a"], ["b", "a"], ["a", "b", "c"]]))
    call = AIMessage(draw(WORDS), tool_calls=[{"name": "deploy", "args": {"env": "staging"}, "id": id_} for id_ in ids])
    answered = draw(st.lists(st.sampled_from(ids), unique=True, max_size=len(ids)))
    results: list[BaseMessage] = [ToolMessage(draw(WORDS), tool_call_id=id_, name="deploy") for id_ in answered]
    between: list[BaseMessage] = draw(st.sampled_from([[], [], [], [HumanMessage("Wait, what?")]]))
    place = draw(st.integers(0, len(results)))
    return [call, *results[:place], *between, *results[place:]]


def _one(message: type[BaseMessage]) -> st.SearchStrategy[list[BaseMessage]]:
    return CONTENTS.map(lambda content: [message(content=content)])


PIECES = st.one_of(
    _one(HumanMessage),
    _one(HumanMessage),
    _one(AIMessage),
    tool_turns(),
    tool_turns(),
    _one(SystemMessage),
    st.just([marked("Alice prefers Python", {"kind": "memory"})]),
)


@st.composite
def conversations(draw: st.DrawFn, *, min_size: int = 0, max_size: int = 25) -> list[BaseMessage]:
    """Messages of a conversation, each with an id."""
    pieces = draw(st.lists(PIECES, min_size=min_size, max_size=max_size))
    numbers = count()
    return [_unique(message, turn, next(numbers)) for turn, piece in enumerate(pieces) for message in piece]


def _unique(message: BaseMessage, turn: int, number: int) -> BaseMessage:
    """Return a copy with an id of its own, and with ids of calls that no other turn has."""
    fields: dict[str, Any] = {"id": f"m{number}"}
    if isinstance(message, AIMessage):
        fields["tool_calls"] = [{**call, "id": f"{turn}-{call['id']}"} for call in message.tool_calls]
    if isinstance(message, ToolMessage):
        fields["tool_call_id"] = f"{turn}-{message.tool_call_id}"
    return message.model_copy(update=fields)


def spoken(view: Sequence[BaseMessage]) -> list[BaseMessage]:
    """What of a view stood in the conversation."""
    return [message for message in view if data_of(message).get("kind") not in {"summary", "tier"}]


def assert_faithful(record: Sequence[BaseMessage], view: Sequence[BaseMessage]) -> None:
    """A view keeps the order, the system messages, the user's last message, the last group, and every call whole."""
    kept = [message.id for message in spoken(view)]
    assert kept == [message.id for message in record if message.id in set(kept)]
    assert {message.id for message in record if is_own_system(message)} <= set(kept)
    asked = [message.id for message in record if is_of_user(message)]
    assert not asked or asked[-1] in kept
    groups = [group for group in split(record) if not group.is_system]
    assert not groups or {message.id for message in groups[-1].messages} <= set(kept)
    assert_whole_calls(record, view)


def assert_whole_calls(record: Sequence[BaseMessage], view: Sequence[BaseMessage]) -> None:
    """A call stands in a view with all its results, or none of it does."""
    kept = {message.id for message in view}
    for message in record:
        ids = set(call_ids(message))
        answers = [it for it in record if isinstance(it, ToolMessage) and it.tool_call_id in ids]
        assert {it.id in kept for it in [message, *answers]} in ({True}, {False})

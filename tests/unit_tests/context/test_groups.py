from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, FunctionMessage, HumanMessage, ToolMessage

from langchain_agentmem.context.groups import flat, keys_of, split
from tests.unit_tests.context.conversations import assert_whole_calls, conversations


def call(*ids: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": "deploy", "args": {}, "id": id_} for id_ in ids])


def sizes(messages: Sequence[BaseMessage]) -> list[int]:
    return [len(group.messages) for group in split(messages)]


@given(conversations())
def test_groups_put_together_are_the_conversation(messages: list[BaseMessage]) -> None:
    """Splitting loses, adds and moves nothing."""
    assert flat(split(messages)) == messages


@given(conversations())
def test_a_call_and_its_results_are_in_one_group(messages: list[BaseMessage]) -> None:
    """No group begins or ends between a call and a result of it."""
    for group in split(messages):
        assert_whole_calls(messages, group.messages)


def test_parallel_results_in_any_order_belong_to_their_call() -> None:
    """Three calls of one message and their results are one group."""
    results = [ToolMessage("", tool_call_id=id_) for id_ in ("b", "c", "a")]
    assert sizes([HumanMessage("go"), call("a", "b", "c"), *results, AIMessage("done")]) == [1, 4, 1]


def test_a_call_without_results_is_a_group() -> None:
    """What never came takes nothing else along."""
    assert sizes([call("a"), HumanMessage("hm")]) == [1, 1]


def test_what_stands_between_a_call_and_its_result_stays_with_them() -> None:
    """Groups are consecutive: a late result holds together what came before it."""
    assert sizes([call("a"), HumanMessage("wait"), ToolMessage("", tool_call_id="a")]) == [3]


def test_an_id_that_is_used_again_belongs_to_the_nearest_call() -> None:
    """Providers that number calls anew in each turn do not glue turns together."""
    turn = [call("1"), ToolMessage("", tool_call_id="1")]
    assert sizes([*turn, HumanMessage("again"), *turn]) == [2, 1, 2]


def test_a_result_before_its_call_and_a_legacy_result_find_it() -> None:
    """Order does not matter, and a function message belongs to the message before it."""
    assert sizes([ToolMessage("", tool_call_id="a"), call("a")]) == [2]
    assert sizes([AIMessage("f"), FunctionMessage(name="f", content="1")]) == [2]


def test_a_malformed_call_keeps_its_error_with_it() -> None:
    """A call that could not be parsed is answered too."""
    broken = AIMessage("", invalid_tool_calls=[{"name": "f", "args": "{", "id": "x", "error": "bad"}])
    assert sizes([broken, ToolMessage("bad json", tool_call_id="x")]) == [2]


@given(conversations())
def test_keys_are_unique_and_stay_while_messages_are_added(messages: list[BaseMessage]) -> None:
    """Messages without ids are told apart, by what they say and how often they said it."""
    bare = [message.model_copy(update={"id": None}) for message in messages]
    keys = keys_of(bare)
    assert len(set(keys)) == len(keys)
    assert keys_of(bare[: len(bare) // 2]) == keys[: len(bare) // 2]


@given(st.lists(st.sampled_from(["x", "x#2", "x#3", "x#2#1", None]), max_size=8), st.integers(0, 8))
def test_no_two_messages_have_one_key(ids: list[str | None], end: int) -> None:
    """Ids that are the same, or look like the key of another message; and a key stays when more is said."""
    messages: list[BaseMessage] = [HumanMessage("same", id=id_) for id_ in ids]
    keys = keys_of(messages)
    assert len(set(keys)) == len(messages)
    assert keys_of(messages[:end]) == keys[:end]

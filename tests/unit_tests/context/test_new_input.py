from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.utils import count_tokens_approximately

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.context import (
    ContextAssembly,
    ContextRunnable,
    HistoryView,
    HybridMemory,
    HybridParts,
    MessageBuffer,
    RunningSummary,
    SummaryBuffer,
    SummaryLimits,
    Tier,
    TokenBuffer,
    View,
)
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.summarize import ExtractiveSummarizer
from tests.conftest import Call
from tests.unit_tests.context.conversations import assert_faithful, assert_whole_calls, conversations

Counter: TypeAlias = Callable[[Sequence[BaseMessage]], int]


def squared(messages: Sequence[BaseMessage]) -> int:
    """A counter that does not add up."""
    return len(messages) ** 2 + count_tokens_approximately(messages)


def summarizing(limit: int, counter: Counter = count_tokens_approximately) -> SummaryBuffer:
    limits = SummaryLimits(max_messages=8, keep_messages=4, max_tokens=limit)
    return SummaryBuffer(ExtractiveSummarizer(max_tokens=16), limits=limits, token_counter=counter)


def assembling(limit: int, counter: Counter = count_tokens_approximately) -> ContextAssembly:
    return ContextAssembly(max_tokens=limit, token_counter=counter)


def hybrid(limit: int, counter: Counter = count_tokens_approximately) -> HybridMemory:
    return HybridMemory(HybridParts(), buffer=summarizing(100_000), assembly=assembling(limit, counter))


def buffering(limit: int, counter: Counter = count_tokens_approximately) -> TokenBuffer:
    return TokenBuffer(max_tokens=limit, token_counter=counter)


COUNTERS = st.sampled_from([count_tokens_approximately, squared])
CONTEXTS = st.sampled_from([buffering, summarizing, assembling, hybrid])


@given(conversations(max_size=20), st.integers(0, 8), st.integers(62, 400), CONTEXTS, COUNTERS)
def test_past_and_new_input_are_within_one_budget_or_the_error_says_what_is_over(
    messages: list[BaseMessage], late: int, limit: int, make: Callable[..., ContextRunnable], counter: Counter
) -> None:
    """Wherever a conversation is cut into past and new input; the whole is then as faithful as a view of the whole."""
    cut = max(len(messages) - late, 0)
    past, new = messages[:cut], messages[cut:]
    try:
        view = make(limit, counter).view(past, new=new)
    except ConfigurationError as error:
        assert "max_tokens" in str(error) or "add up" in str(error)  # noqa: PT017  (either outcome is right)
        return
    assert counter([*view.messages, *new]) <= limit
    assert not {message.id for message in new} & {message.id for message in view.messages}
    assert_faithful(messages, [*view.messages, *new])
    assert_whole_calls(messages, [*view.messages, *new])


@given(conversations(max_size=20), st.integers(0, 8))
def test_a_summary_never_covers_what_is_new(messages: list[BaseMessage], late: int) -> None:
    """What is not in the record yet is in no summary of it, and the next view goes on from there."""
    cut = max(len(messages) - late, 0)
    buffer = summarizing(2_000)
    view = buffer.view(messages[:cut], new=messages[cut:])
    new = {message.id for message in messages[cut:]}
    assert not new & set(view.left)
    assert view.summary is None or {view.summary.last_id, view.summary.seen_id} <= {it.id for it in messages[:cut]}
    assert set(buffer.view(messages, summary=view.summary).left).isdisjoint(view.left)


@given(conversations(max_size=12), st.integers(1, 12))
def test_a_buffer_of_messages_counts_the_new_ones_too(messages: list[BaseMessage], limit: int) -> None:
    """Its unit is messages, whoever puts them into the prompt."""
    new = [HumanMessage("and now?", id="new")]
    try:
        view = MessageBuffer(max_messages=limit).view(messages, new=new)
    except ConfigurationError as error:
        assert "the new input: 1" in str(error)  # noqa: PT017  (either outcome is right)
    else:
        assert len(view.messages) + 1 <= limit


@pytest.mark.parametrize("make", [buffering, summarizing, assembling, hybrid])
async def test_an_input_that_alone_is_too_much_is_named_with_both_numbers(
    make: Callable[..., ContextRunnable], call: Call
) -> None:
    """The error says what the input takes, what there is, and which argument to raise."""
    new = [HumanMessage("x" * 4_000)]
    with pytest.raises(ConfigurationError, match=r"(?s)(?=.*\b100\b)(?=.*the new input: 100[3-9])(?=.*max_tokens)"):
        await call(make(100), "view", [HumanMessage("hi"), AIMessage("hello")], new=new)


@pytest.mark.parametrize("make", [buffering, summarizing, assembling, hybrid])
def test_a_long_earlier_message_blocks_no_later_turn(make: Callable[..., ContextRunnable]) -> None:
    """The last thing the user said is the new input: what was said before may leave the view for it."""
    past = [HumanMessage("x" * 700, id="long"), AIMessage("y" * 100, id="answer")]
    new = [HumanMessage("z" * 300)]
    view = make(200).view(past, new=new)
    assert "long" not in {message.id for message in view.messages}


@pytest.mark.parametrize("make", [buffering, summarizing, assembling, hybrid])
def test_a_call_that_the_new_input_answers_stays(make: Callable[..., ContextRunnable]) -> None:
    """A result that comes as input finds its call in the view, whatever else has to go."""
    asked = AIMessage("", tool_calls=[{"name": "f", "args": {}, "id": "c1"}], id="call")
    view = make(150).view([HumanMessage("x" * 400), asked], new=[ToolMessage("done", tool_call_id="c1")])
    assert view.messages[-1].id == "call"


def test_a_system_message_of_the_input_changes_nothing_in_the_view() -> None:
    """Wherever it comes to stand, it is taken from the budget and not shown twice."""
    new = [SystemMessage("Be brief."), HumanMessage("hi")]
    assert assembling(100).view([], new=new).messages == []
    summary = RunningSummary(version=1, text="They met.", last_id=None)
    assert len(summarizing(200).view([], summary=summary, new=new).messages) == 1


def test_tiers_without_messages_leave_room_too() -> None:
    """An assembly that shows no conversation still stands before the new input."""
    assembly = ContextAssembly(max_tokens=60, tiers=[Tier(name="summary", priority=1)])
    new = [HumanMessage("x" * 100)]
    view = assembly.view([HumanMessage("hi")], summary=RunningSummary(version=1, text="y" * 400), new=new)
    assert count_tokens_approximately([*view.messages, *new]) <= 60


async def test_what_is_new_is_what_memories_are_recalled_for(call: Call) -> None:
    """A recall before the answer asks with the new question and not with the one before."""
    memory = AgentMemory.in_memory(embeddings=None, consent="assumed")
    memory.long_term.remember("Alice prefers Python", scope=Scope("alice"))
    context = HybridMemory(HybridParts(long_term=memory.long_term), scope_of=lambda _: Scope("alice"))
    view: View = await call(
        context, "view", [HumanMessage("Good morning")], new=[HumanMessage("Which language does Alice prefer?")]
    )
    assert "Alice prefers Python" in view.messages[-1].text


async def test_a_history_leaves_room_until_the_turn_is_added(call: Call) -> None:
    """What is expected belongs to the view of one turn; the view stands still meanwhile."""
    history = HistoryView(_Record(), TokenBuffer(max_tokens=40))
    await call(history, "add_messages", [HumanMessage("x" * 100, id="old")])
    history.expect([HumanMessage("y" * 100)])
    assert await call(history, "get_messages") == []
    history.expect([])
    assert await call(history, "get_messages") == []
    await call(history, "add_messages", [HumanMessage("ok", id="new")])
    assert [message.id for message in await call(history, "get_messages")] == ["old", "new"]


class _Record:
    """A history in a list."""

    def __init__(self) -> None:
        self.messages: list[BaseMessage] = []

    async def aget_messages(self) -> list[BaseMessage]:
        return list(self.messages)

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        self.messages.extend(messages)

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        self.messages.extend(messages)

    def clear(self) -> None:
        self.messages.clear()

    async def aclear(self) -> None:
        self.messages.clear()

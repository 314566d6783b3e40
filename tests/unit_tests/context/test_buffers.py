from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.utils import count_tokens_approximately
from langchain_core.prompts import ChatPromptTemplate

from langchain_agentmem.context import ContextAssembly, ContextRunnable, MessageBuffer, SummaryBuffer, TokenBuffer
from langchain_agentmem.errors import ConfigurationError
from tests.conftest import Call
from tests.unit_tests.context.conversations import assert_faithful, conversations


def buffers(limit: int) -> list[tuple[ContextRunnable, int]]:
    return [(MessageBuffer(max_messages=limit), limit), (TokenBuffer(max_tokens=limit * 8), limit * 8)]


def cost(buffer: ContextRunnable, messages: list[BaseMessage]) -> int:
    return len(messages) if isinstance(buffer, MessageBuffer) else count_tokens_approximately(messages)


@given(conversations(), st.integers(1, 30))
def test_a_buffer_is_within_its_budget_or_says_what_is_over(messages: list[BaseMessage], limit: int) -> None:
    """Every view is faithful and fits, or the error names what alone does not."""
    for buffer, budget in buffers(limit):
        try:
            view = buffer.invoke(messages)
        except ConfigurationError as error:
            assert "must stay" in str(error)  # noqa: PT017  (either outcome is right)
        else:
            assert cost(buffer, view) <= budget
            assert_faithful(messages, view)


@given(conversations(), st.integers(10, 60))
def test_a_buffer_changes_neither_its_input_nor_its_output(messages: list[BaseMessage], limit: int) -> None:
    """What is given stays as it was, and a view of a view is the same view."""
    before = copy.deepcopy(messages)
    for buffer, _ in buffers(limit):
        try:
            view = buffer.invoke(messages)
        except ConfigurationError:
            continue
        assert buffer.invoke(view) == view
    assert messages == before


def test_the_defaults_are_ten_messages_and_four_thousand_tokens() -> None:
    """A buffer without arguments keeps what the rules of the project say."""
    long = [HumanMessage("word " * 100) for _ in range(100)]
    assert len(MessageBuffer().invoke(long)) == 10
    assert 3_000 < count_tokens_approximately(TokenBuffer().invoke(long)) <= 4_000


def test_a_shortened_view_begins_with_a_human_message() -> None:
    """An answer whose question was left out is left out too."""
    turns = [message for n in range(5) for message in (HumanMessage(f"q{n}"), AIMessage(f"a{n}"))]
    view = MessageBuffer(max_messages=4).invoke([SystemMessage("s"), *turns])
    assert [message.text for message in view] == ["s", "q4", "a4"]


def test_the_last_result_stays_in_a_long_turn() -> None:
    """In a loop of tools the question and the newest result stay; the model would otherwise call again."""
    steps = [
        message
        for n in range(9)
        for message in (
            AIMessage("", tool_calls=[{"name": "t", "args": {}, "id": str(n)}]),
            ToolMessage(f"r{n}", tool_call_id=str(n)),
        )
    ]
    view = MessageBuffer(max_messages=6).invoke([HumanMessage("go"), *steps])
    assert [message.text for message in view if message.text] == ["go", "r7", "r8"]


def test_the_error_names_each_part_with_its_size() -> None:
    """Whoever reads it knows what to shorten and which argument to raise."""
    with pytest.raises(ConfigurationError, match=r"of 20 tokens.*a system message: \d\d\d.*raise max_tokens"):
        TokenBuffer(max_tokens=20).invoke([SystemMessage("word " * 100), HumanMessage("hi")])


async def test_any_token_counter_is_taken(call: Call) -> None:
    """A count that does not add up is met all the same."""
    messages = [HumanMessage(f"q{n}") for n in range(9)]
    buffer = TokenBuffer(max_tokens=10, token_counter=lambda some: len(some) ** 2)
    view: list[BaseMessage] = await call(buffer, "invoke", messages)
    assert [message.text for message in view] == ["q6", "q7", "q8"]


async def test_a_buffer_is_a_step_of_a_chain(call: Call) -> None:
    """A prompt value goes in, what a chat model takes comes out; batch works as well."""
    prompt = ChatPromptTemplate.from_messages([("system", "Be brief."), ("placeholder", "{history}"), ("human", "{q}")])
    chain = prompt | MessageBuffer(max_messages=2)
    given_ = {"history": [("human", "a"), ("ai", "b")], "q": "c"}
    view: list[BaseMessage] = await call(chain, "invoke", given_)
    assert [message.text for message in view] == ["Be brief.", "c"]
    assert chain.batch([given_, given_]) == [view, view]


@pytest.mark.parametrize("wrong", [0, -1, True, 1.5, "10"])
def test_a_senseless_limit_is_refused(wrong: object) -> None:
    """The error names the argument and a value that works."""
    with pytest.raises(ConfigurationError, match=r"max_messages must be .* for example 10"):
        MessageBuffer(max_messages=wrong)  # type: ignore[arg-type]  # the wrong type is the point
    with pytest.raises(ConfigurationError, match=r"max_tokens must be .* for example 4000"):
        TokenBuffer(max_tokens=wrong)  # type: ignore[arg-type]  # as above


@pytest.mark.parametrize("wrong", [None, 3, {"no": "messages"}])
def test_what_holds_no_messages_is_refused(wrong: object) -> None:
    """Neither a number nor a state without the key of the conversation."""
    with pytest.raises(ConfigurationError, match="messages"):
        MessageBuffer().invoke(wrong)


@pytest.mark.parametrize("counted", ["12", None, float("nan"), [1]], ids=repr)
def test_a_counter_that_does_not_count_is_named(counted: object) -> None:
    """Whatever view it is given to, the error says which argument is wrong."""
    for view in (TokenBuffer, SummaryBuffer, ContextAssembly):
        with pytest.raises(ConfigurationError, match="token_counter must return a number"):
            view(token_counter=lambda _: counted).invoke([HumanMessage("hi")])  # type: ignore[arg-type, return-value]

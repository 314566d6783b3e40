from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.utils import count_tokens_approximately

from langchain_agentmem.context import ContextAssembly, ContextParts, RunningSummary, Tier
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.extraction import is_injected
from tests.conftest import Call
from tests.unit_tests.context.conversations import assert_faithful, conversations

SUMMARY = RunningSummary(version=3, text="- user: We chose PostgreSQL 16.\n" * 20, count=1, last_id="a")
ITEMS = st.lists(st.sampled_from(["short", "Alice prefers Python", "word " * 40]), max_size=6)


@st.composite
def parts(draw: st.DrawFn) -> ContextParts:
    return ContextParts(
        system=draw(st.sampled_from(["", "You deploy."])),
        constraints=draw(st.sampled_from([(), ("Never on Fridays",)])),
        memories=draw(ITEMS),
        summary=draw(st.sampled_from([None, SUMMARY])),
        messages=draw(conversations(max_size=12)),
        scratch=draw(ITEMS),
    )


@given(parts(), st.integers(20, 1_000))
def test_a_prompt_is_within_its_budget_or_says_what_is_over(given_: ContextParts, limit: int) -> None:
    """Whatever the tiers hold; the conversation in it is faithful."""
    assembly = ContextAssembly(max_tokens=limit)
    try:
        done = assembly.assemble(given_)
    except ConfigurationError as error:
        assert any(word in str(error) for word in ("raise", "does not add up"))  # noqa: PT017  (either is right)
    else:
        assert count_tokens_approximately(done.messages) <= limit
        assert sum(done.tokens.values()) == count_tokens_approximately(done.messages)
        assert_faithful(given_.messages, [message for message in done.messages if message.id])
        again = assembly.invoke(done.messages)
        assert again == done.messages


def test_what_seldom_changes_stands_first() -> None:
    """System, constraints, summary, earlier messages; memories and scratch right before the last question."""
    said = [HumanMessage("a"), AIMessage("b"), HumanMessage("c")]
    done = ContextAssembly().assemble(
        ContextParts(system="s", constraints=["x"], memories=["m"], summary=SUMMARY, messages=said, scratch=["n"])
    )
    marks = [message.additional_kwargs.get("lc_data", {}) for message in done.messages]
    assert [mark.get("tier", mark.get("kind")) for mark in marks] == [
        None, "constraints", "summary", None, None, "memories", "scratch", None,
    ]  # fmt: skip
    assert isinstance(done.messages[0], SystemMessage)
    assert done.dropped == {}


def test_memories_are_not_put_between_a_call_and_its_result() -> None:
    """Even where the user spoke while the tool ran."""
    call = AIMessage("", tool_calls=[{"name": "t", "args": {}, "id": "1"}])
    said = [HumanMessage("go"), call, HumanMessage("wait"), ToolMessage("r", tool_call_id="1")]
    done = ContextAssembly().assemble(ContextParts(memories=["m"], messages=said))
    assert [is_injected(message) for message in done.messages] == [False, True, False, False, False]


def test_the_lowest_priority_goes_first() -> None:
    """Where little is left, scratch is cut to its newest, then messages to theirs; memories stay in their order."""
    said = [HumanMessage("word " * 30) for _ in range(8)]
    done = ContextAssembly(max_tokens=300).assemble(
        ContextParts(memories=[f"memory {n}" for n in range(9)], messages=said, scratch=["old " * 200, "new"])
    )
    assert 0 < done.dropped["messages"] < 8
    assert done.dropped["scratch"] >= 1
    assert done.tokens["memories"] <= 60
    assert all("memory 8" not in message.text for message in done.messages)


@pytest.mark.parametrize(
    ("given_", "named"),
    [
        (ContextParts(system="word " * 200), r"exceeds 100 tokens \(system: \d+\); raise max_tokens"),
        (ContextParts(system="word " * 30, constraints=["word " * 50]), r"\(constraints: \d+, system: \d+\)"),
        (ContextParts(messages=[HumanMessage("word " * 200)]), r"exceeds 100 tokens \(messages that must stay: \d+\)"),
    ],
)
def test_what_must_be_in_the_prompt_is_named_when_it_is_too_much(given_: ContextParts, named: str) -> None:
    """A constraint or a question is never dropped in silence."""
    with pytest.raises(ConfigurationError, match=named):
        ContextAssembly(max_tokens=100).assemble(given_)


def test_a_tier_may_be_treated_otherwise() -> None:
    """Priorities and shares are the application's; a part without a tier is left out."""
    tiers = (Tier(name="messages", priority=2, is_required=False), Tier(name="scratch", priority=1, share=0.5))
    done = ContextAssembly(max_tokens=100, tiers=tiers).assemble(
        ContextParts(memories=["m"], messages=[HumanMessage("q")], scratch=["n"])
    )
    assert list(done.tokens) == ["messages", "scratch"]


async def test_a_graphs_state_names_the_parts(call: Call) -> None:
    """In a graph the tiers come from the state under their names."""
    state = {"messages": [HumanMessage("q")], "memories": ["m"], "summary": SUMMARY.to_dict(), "system": "s"}
    update = await call(ContextAssembly(), "invoke", state)
    assert list(update) == ["view"]
    assert [message.type for message in update["view"]] == ["system", "human", "human", "human"]


async def test_parts_or_messages_go_into_a_chain(call: Call) -> None:
    """Both come out as messages."""
    messages: list[BaseMessage] = [HumanMessage("q")]
    assert await call(ContextAssembly(), "invoke", messages) == messages
    assert await call(ContextAssembly(), "invoke", ContextParts(messages=messages)) == messages


def test_senseless_tiers_are_refused() -> None:
    """The error names the argument and a value that works."""
    wrong: Any
    for wrong in (["memories"], "memories", 5):
        with pytest.raises(ConfigurationError, match=r"tiers must be a sequence of Tier, got .*for example \[Tier"):
            ContextAssembly(tiers=wrong)
    with pytest.raises(ConfigurationError, match="two tiers have one name"):
        ContextAssembly(tiers=[Tier(name="system", priority=1), Tier(name="system", priority=2)])
    with pytest.raises(ConfigurationError, match="name 'memory' is unknown"):
        Tier(name="memory", priority=1)  # type: ignore[arg-type]  # the wrong name is the point
    with pytest.raises(ConfigurationError, match="share must be"):
        Tier(name="system", priority=1, share=2)
    with pytest.raises(ConfigurationError, match="memories must be a sequence"):
        ContextParts(memories="Alice prefers Python")

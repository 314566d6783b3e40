"""What a tier leaves of its share goes to the others: shares are what each is sure of, not a ceiling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.context import ContextAssembly, ContextParts, Tier
from langchain_agentmem.context.assembly import Assembled
from langchain_agentmem.context.tiers import LISTED, TIERS, fitting_items, rendered
from langchain_agentmem.context.turn import TURN_TIERS
from tests.conftest import Call

ITEMS: Final = st.lists(st.text("ab ", min_size=1, max_size=80), max_size=5)
SHARES: Final = {"constraints": 0.15, "memories": 0.15, "entities": 0.1, "scratch": 0.1, "messages": 0.3}
"""With the system prompt they are less than all, so that each is sure of its own."""

TIERS_OF_ALL: Final = tuple(
    replace(it, share=SHARES.get(it.name, 1.0)) for it in TURN_TIERS if it.name in {"system", *SHARES}
)
ALICE: Final = Scope("alice", session_id="today")


def cost(messages: Sequence[BaseMessage]) -> int:
    return sum(len(message.text) + 2 for message in messages)


@st.composite
def parts(draw: st.DrawFn) -> ContextParts:
    listed: dict[str, Any] = {name: draw(ITEMS) for name in LISTED if name in SHARES}
    earlier = [AIMessage(text) if place % 2 else HumanMessage(text) for place, text in enumerate(draw(ITEMS))]
    return ContextParts(system="s", messages=[*earlier, HumanMessage("Hi")], **listed)


def one_more(name: str, given_: ContextParts, done: Assembled) -> int:
    """What a prompt would take with the next item of a tier that was cut."""
    items = getattr(given_, name)
    kept = len(items) - done.dropped[name] + 1
    more = items[-kept:] if name == "scratch" else items[:kept]
    return sum(done.tokens.values()) - done.tokens.get(name, 0) + cost(rendered(name, more))


@given(parts(), st.integers(60, 1_500))
def test_nobody_has_less_than_its_share_and_nothing_that_fits_is_cut(given_: ContextParts, budget: int) -> None:
    """The prompt is within its budget; a tier has what it needs of its share at least; the next item has no room."""
    done = ContextAssembly(max_tokens=budget, tiers=TIERS_OF_ALL, token_counter=cost).assemble(given_, late=1)
    assert cost(done.messages) == sum(done.tokens.values()) <= budget
    for name in SHARES.keys() - {"messages"}:
        items, share = getattr(given_, name), int(SHARES[name] * budget)
        sure = len(fitting_items(name, items, cost, share))
        assert len(items) - done.dropped.get(name, 0) >= sure
        assert done.borrowed.get(name, 0) == max(done.tokens.get(name, 0) - share, 0)
        assert name not in done.dropped or one_more(name, given_, done) > budget


@given(parts(), st.integers(60, 1_500), st.integers(1, 500))
def test_more_room_never_tells_less(given_: ContextParts, budget: int, more: int) -> None:
    """Of the tier that is served first; and the same parts make the same prompt."""
    assembly = ContextAssembly(max_tokens=budget, tiers=TIERS_OF_ALL, token_counter=cost)
    done = assembly.assemble(given_, late=1)
    assert assembly.assemble(given_, late=1) == done
    larger = ContextAssembly(max_tokens=budget + more, tiers=TIERS_OF_ALL, token_counter=cost)
    assert larger.assemble(given_, late=1).dropped.get("constraints", 0) <= done.dropped.get("constraints", 0)


def test_what_is_left_goes_by_priority() -> None:
    """Memories come before entities to what nobody needs."""
    done = small()
    assert (done.tokens["memories"], dict(done.dropped)) == (119, {"entities": 3})
    assert dict(done.borrowed) == {"memories": 119 - 30, "entities": done.tokens["entities"] - 10}


def test_earlier_messages_come_first_to_what_is_left() -> None:
    """They have a share of all; with a smaller one memories come before them to what is beyond it."""
    said = [HumanMessage("word " * 30) for _ in range(6)]
    assert set(small(*said).tokens) == {"messages"}
    done = small(*said, share=0.4)
    assert (done.tokens["memories"], done.dropped["messages"]) == (119, 5)


def small(*earlier: BaseMessage, share: float = 1.0) -> Assembled:
    rows = ["word " * 10] * 6
    tiers = [it for it in TIERS if it.name in {"memories", "entities"}]
    assembly = ContextAssembly(max_tokens=200, tiers=[*tiers, Tier(name="messages", priority=20, share=share)])
    return assembly.assemble(ContextParts(memories=rows, entities=rows, messages=[*earlier, HumanMessage("Hi")]))


def test_what_must_be_whole_may_be_more_than_its_share() -> None:
    """While there is room, a share refuses nothing."""
    done = ContextAssembly(max_tokens=100).assemble(ContextParts(constraints=["word " * 20]))
    assert (dict(done.dropped), done.borrowed["constraints"]) == ({}, done.tokens["constraints"] - 15)


def test_messages_that_must_be_whole_are() -> None:
    """None of them is left out in silence."""
    said = [HumanMessage("one"), AIMessage("two"), HumanMessage("three")]
    tiers = [Tier(name="messages", priority=1, is_required=True)]
    assert ContextAssembly(max_tokens=100, tiers=tiers).assemble(ContextParts(messages=said)).messages == said


async def test_a_small_budget_is_used(call: Call) -> None:
    """With 400 tokens and a short conversation all that was recalled is told, not what a share of 60 tokens holds."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for place in range(5):
            memory.long_term.remember(f"The backend service {place} runs on port {8_000 + place}", scope=ALICE)
        context = await call(memory, "assemble", "Which port has the backend service?", scope=ALICE, max_tokens=400)
    assert (len(context.recall.hits), context.dropped.get("memories", 0)) == (5, 0)
    assert context.borrowed["memories"] == context.layers["memories"].borrowed > 0
    assert context.tokens <= 400


@pytest.mark.parametrize("words", [280, 300, 320, 340])
async def test_what_the_goal_says_is_told_whatever_room_there_is(call: Call, words: int) -> None:
    """Among the memories, where the memory that would take its place there leaves no room for the goal."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        steps = [f"read chapter {place} of the book every day" for place in range(4)]
        memory.goals.add("Alice wants to learn Rust", scope=ALICE, steps=steps)
        memory.long_term.remember(f"Alice asks about Rust {'often ' * words}", scope=ALICE)
        context = await call(memory, "assemble", "What about Rust?", scope=ALICE, max_tokens=600)
    assert "Alice wants to learn Rust" in "\n".join(message.text for message in context.messages)

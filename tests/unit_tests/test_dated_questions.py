"""Questions that name a day, asked of conversations without an embedding model."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Dialogue, RecallQuery, RulePlanner, Scope

NOW = datetime(2026, 6, 17, 12, tzinfo=UTC)  # a Wednesday
ALICE = Scope("alice")
DISHES = (
    "lasagne curry ramen tacos risotto pizza goulash paella sushi pho moussaka chili gnocchi stew omelette falafel "
    "burgers dumplings quiche shakshuka"
).split()


@pytest.fixture(scope="module")
def memory() -> Iterator[AgentMemory]:
    with AgentMemory.in_memory(embeddings=None, consent="assumed", clock=lambda: NOW) as built:
        for back, dish in enumerate(DISHES):
            at = NOW - timedelta(days=back)
            message = HumanMessage(f"I cooked {dish} for dinner tonight", name="Alice", id=f"m-{back}")
            built.episodes.ingest([message], scope=Scope("alice", session_id=f"s-{back}"), at=at)
        yield built


@pytest.mark.parametrize(
    ("when", "back"),
    [
        ("on Monday", 2),
        ("the day before yesterday", 2),
        ("three days ago", 3),
        ("last Friday evening", 5),
        ("last Tuesday", 1),
        ("a week ago", 7),
        ("twelve days ago", 12),
        ("a fortnight ago", 14),
        ("on June 10th", 7),
        ("on 10.06.2026", 7),
        ("on 6/10/2026", 7),
    ],
)
def test_what_was_said_on_the_day_that_is_named_comes_first(memory: AgentMemory, when: str, back: int) -> None:
    """However it is named, and with the words of the other days in every turn."""
    found = memory.long_term.recall(f"What did Alice cook {when}?", scope=ALICE)
    assert DISHES[back] in found[0].memory.content


def test_a_date_leaves_nothing_out(memory: AgentMemory) -> None:
    """It says where to look first: what was said at other times follows."""
    found = memory.long_term.recall("On Monday, what did Alice cook?", scope=ALICE, limit=15)
    assert found.status == "ok"
    assert len(found) > 3


@pytest.fixture(scope="module")
def trip() -> Iterator[AgentMemory]:
    with AgentMemory.in_memory(embeddings=None, consent="assumed", clock=lambda: NOW) as built:
        for day, text in ((5, "We booked the night train for the Lisbon trip."), (16, "The weather is nice.")):
            scope = Scope("alice", session_id=f"s-{day}")
            built.episodes.ingest([HumanMessage(text, name="Alice")], scope=scope, at=NOW.replace(day=day))
        yield built


@pytest.mark.parametrize("when", ["last week", "yesterday", "this week", "since Monday", "in the last 3 days"])
def test_what_was_said_at_another_time_than_is_thought_is_found(trip: AgentMemory, when: str) -> None:
    """A planner's time is where to look first, and the receipt tells it; the caller's own is a condition."""
    asked = Dialogue(text=f"What did we discuss {when} about the Lisbon trip?", at=NOW)
    [query] = RulePlanner().plan(asked)
    found = trip.long_term.recall(query, scope=ALICE)
    receipt = trip.long_term.receipt(found.receipt_id or "", scope=ALICE)
    assert any("Lisbon" in hit.memory.content for hit in found)
    assert receipt is not None
    assert "prefer_since" in receipt.plan["query"]
    [strict] = RulePlanner().plan(asked, RecallQuery(since=NOW - timedelta(days=3)))
    assert not any("Lisbon" in hit.memory.content for hit in trip.long_term.recall(strict, scope=ALICE))

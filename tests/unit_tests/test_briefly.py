"""What an interactive shell shows of answers: a line or two, which tell one from another."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.types.showing import briefly
from tests.unit_tests.test_shown import memory as shown_memory

TWO_LINES = 240
"""Characters, of a terminal that is a hundred and twenty wide."""

ALICE = Scope("alice")
memory = shown_memory


def answers(memory: AgentMemory) -> dict[str, Any]:
    """Return what a newcomer looks at first, of a memory with a history."""
    memory.consent.grant(ALICE)
    paris = memory.long_term.remember("Alice lives in Paris", scope=ALICE)
    memory.long_term.remember("Never call Alice before nine", scope=ALICE, kind="constraint")
    moved = memory.long_term.remember("Alice moved to Berlin", scope=ALICE)
    found = memory.long_term.recall("where does Alice live?", scope=ALICE)
    return {
        "scope": ALICE,
        "decision": moved,
        "memory": moved.memory,
        "ended": memory.long_term.get(paris.require().id, scope=ALICE),
        "recall": found,
        "hit": found[0],
        "receipt": memory.long_term.receipt(str(found.receipt_id), scope=ALICE),
        "page": memory.long_term.list(scope=ALICE),
        "why": memory.long_term.why(paris.require().id, scope=ALICE),
        "events": memory.timeline.events(ALICE),
        "event": memory.timeline.events(ALICE)[0],
        "snapshot": memory.timeline.as_of(2, scope=ALICE),
        "difference": memory.timeline.diff(1, scope=ALICE),
        "consent": memory.consent.status(ALICE),
        "fates": memory.forgetting.forget_cycle(ALICE, dry_run=True),
        "usage": memory.metrics.usage(ALICE),
    }


def test_an_answer_fits_a_line_or_two(memory: AgentMemory) -> None:
    """However many memories it is about, whatever became of them."""
    told = {name: repr(it) for name, it in answers(memory).items()}
    assert {name: text for name, text in told.items() if len(text) > TWO_LINES or "\n" in text} == {
        "ended": told["ended"]
    }
    assert len(told["ended"]) < 2 * TWO_LINES  # it says besides when, and by what, it ended


def test_what_is_looked_for_is_in_it(memory: AgentMemory) -> None:
    """How many were found and in what state, which receipt says why, and the ids to go on with."""
    found = answers(memory)
    shown = repr(found["recall"])
    assert shown.startswith(f"Recall(hits={len(found['recall'])}, ")
    assert f"receipt_id='{found['recall'].receipt_id}', status='ok'" in shown
    assert f"Memory(id='{found['hit'].memory.id}', …)" in repr(found["hit"])
    assert repr(found["page"]) == "Page(2 items)"
    assert f"memory=Memory(id='{found['memory'].id}', …)" in repr(found["decision"])
    assert repr(found["scope"]) == "Scope(user_id='alice')"
    assert repr(memory.long_term.recall("zzz", scope=Scope("bob"))).startswith("Recall(hits=0, receipt_id=")


def test_a_memory_says_where_it_is_and_no_password() -> None:
    """Whoever looks at it sees which database it uses."""
    memory = AgentMemory.connect(sql="postgresql://me:secret@db.example/agents", embeddings=None)
    assert repr(memory) == "<AgentMemory at postgresql+psycopg://me:***@db.example/agents>"


@dataclass
class Record:
    __repr__ = briefly("named")

    id: str
    named: int = 0
    usual: float = 1.0
    at: datetime | None = None
    many: tuple[object, ...] = ()
    by_name: dict[str, float] = field(default_factory=dict)
    within: object = None
    words: str = field(default="", repr=False)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({}, "Record(id='a', named=0)"),
        ({"usual": 0.123456789}, "Record(id='a', named=0, usual=0.1235)"),
        ({"at": datetime(2026, 3, 1, 12, tzinfo=UTC)}, "Record(id='a', named=0, at=2026-03-01T12:00:00Z)"),
        ({"many": ("b", 1)}, "Record(id='a', named=0, many=('b', 1))"),
        ({"many": ("b" * 40, "c" * 40)}, "Record(id='a', named=0, many=2)"),
        ({"many": (Scope("b"),)}, "Record(id='a', named=0, many=1)"),
        ({"by_name": {"b": 1.0}}, "Record(id='a', named=0, by_name={'b': 1.0})"),
        ({"by_name": {"b": b""}}, "Record(id='a', named=0, by_name=1)"),
        ({"within": Scope("b" * 80)}, "Record(id='a', named=0, within=Scope(…))"),
        ({"within": Record("c" * 60)}, f"Record(id='a', named=0, within=Record(id='{'c' * 60}', …))"),
        ({"within": "d" * 80}, f"Record(id='a', named=0, within='{'d' * 59}…)"),
        ({"words": "secret"}, "Record(id='a', named=0)"),
    ],
    ids=repr,
)
def test_what_would_fill_the_screen_is_counted_or_cut(given: dict[str, Any], shown: str) -> None:
    """Defaults are left out, unless they were asked for; what hides its words goes on hiding them."""
    assert repr(Record("a", **given)) == shown

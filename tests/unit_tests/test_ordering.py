"""The order of an answer: decisions about hits, without a database."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from langchain_agentmem.long_term.recall.finding import Found
from langchain_agentmem.long_term.recall.judging import Judged
from langchain_agentmem.long_term.recall.ordering import MAX_RIVALS, cut
from langchain_agentmem.policies.admit import Admission
from langchain_agentmem.types import Hit, Memory, RecallQuery, Scope

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Nothing:
    """A ledger that knows no memory but those at hand."""

    def memories(self, ids: object) -> dict[str, Memory]:
        return {}


def hit(memory_id: str, *contradicts: str) -> Hit:
    """Return a hit that contradicts others."""
    given: dict[str, Any] = {"kind": "fact", "confidence": 0.9, "importance": 0.5, "source": "explicit"}
    memory = Memory(
        id=memory_id, scope=Scope("alice"), content=memory_id, created_at=NOW, contradicts=contradicts, **given
    )
    return Hit(memory=memory, score=0.5, parts={})


def test_a_rival_within_the_limit_takes_no_place_beyond_it() -> None:
    """Those beyond the limit have all the room there is for them."""
    extra = [f"beyond {number}" for number in range(MAX_RIVALS + 1)]
    judged = Judged(hits=[hit("one", "two", *extra), hit("two"), *map(hit, extra)])
    reader: Any = Nothing()
    cut(judged, reader, Admission(query=RecallQuery(text="", limit=2), now=NOW), Found())
    assert [it.memory.id for it in judged.hits] == ["one", "two", *extra[:MAX_RIVALS]]

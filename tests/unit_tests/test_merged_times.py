"""From when until when what was merged holds, on SQLite; and asked of the past, under a vault and without one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Candidate, RecallQuery, Scope
from langchain_agentmem.vault import SubjectVault
from tests.contracts.merged_times_contract import ALICE, DAY, MergedTimesContract
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import START
from tests.vaults import MemoryKeys

TALK: Final = Scope("alice", session_id="talk")


class Clock:
    """A clock that stands still until a test moves it, however often it is asked."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


class TestMergedTimes(MergedTimesContract):
    """The whole contract, in a file."""

    @pytest.fixture
    def sql_url(self, tmp_path: Path) -> str:
        return f"sqlite:///{tmp_path / 'agent.db'}"


def life(memory: AgentMemory, clock: Clock) -> Iterator[None]:
    """Live through a merge, a correction, turns that are forgotten or expire, an erasure and an undo, day by day."""
    told = [
        memory.long_term.remember(Candidate(content=it, invalid_at=clock.now + 9 * DAY), scope=ALICE).require().id
        for it in ("Alice rows on Mondays", "Alice sings in Leeds")
    ]
    memory.history(TALK).add_messages([HumanMessage(f"I row in {it}", id=it) for it in ("Leeds", "York")])
    yield
    both = memory.long_term.merge(told, "Alice rows on Mondays and sings in Leeds", scope=ALICE).require()
    memory.episodes.forget([it.id for it in memory.episodes.list(ALICE) if "Leeds" in it.message_ids], scope=ALICE)
    yield
    memory.long_term.remember(Candidate(content="Alice rows on Fridays", supersedes=(both.id,)), scope=ALICE)
    yield
    memory.long_term.forget(both.id, scope=ALICE)
    memory.jobs.run()
    yield
    gone = memory.long_term.remember("Alice rows a skiff", scope=ALICE).require().id
    memory.long_term.erase(gone, scope=ALICE)
    memory.long_term.restore(both.id, scope=ALICE)
    yield
    memory.history(TALK).clear()
    memory.long_term.erase(told[0], scope=ALICE)
    yield


def test_an_as_of_question_under_a_vault_is_answered_as_without_one() -> None:
    """What is sealed is found by the same times: at each moment, of each moment, facts and turns, whole and scored."""
    clock = Clock()
    options: dict[str, Any] = {"consent": "assumed", "clock": clock, "episodes_for": timedelta(days=4)}
    vaults: tuple[dict[str, Any], ...] = ({}, {"vault": SubjectVault(MemoryKeys())})
    both = [AgentMemory.in_memory(embeddings=WordEmbeddings(), **options, **it) for it in vaults]
    moments, seen = [clock.now], 0
    for _ in zip(*(life(it, clock) for it in both), strict=True):
        moments.append(clock.now)
        for moment in (*moments, clock.now + 20 * DAY):
            query = RecallQuery(text="where does Alice row, and sing?", as_of=moment, limit=20)
            found = [it.long_term.recall(query, scope=ALICE) for it in both]
            plain, sealed = ([(h.memory.content, h.memory.status, h.score) for h in it] for it in found)
            assert plain == sealed
            seen += len(plain)
        for moment in moments:
            then = [it.timeline.as_of(moment, scope=ALICE) for it in both]
            told, under = (sorted((at.content, at.status) for at in it) for it in then)
            assert told == under
        clock.now += DAY
    assert seen > len(moments)
    for memory in both:
        memory.close()

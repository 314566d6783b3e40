"""A cycle of forgetting over many memories, and what others do meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any, Final

import pytest

from langchain_agentmem import AgentMemory
from langchain_agentmem._flow import Flow, run
from langchain_agentmem.forgetting import ForgettingPolicy
from langchain_agentmem.forgetting.flows import BATCH, LATE
from langchain_agentmem.ledger.base import Draft, LedgerWriter
from langchain_agentmem.ledger.codec import fields_of, without_words
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.types import Memory, Receipt
from tests.conftest import Call
from tests.ledgers import ALICE, START
from tests.whole import few

MANY: Final = few(300, of=3_000)
LOOKED: Final = 4  # at one transaction of so many
LATER: Final = START + timedelta(days=250)
OPTIONS: Final[dict[str, Any]] = {"consent": "assumed", "forgetting": ForgettingPolicy(), "clock": lambda: LATER}


def fill(memory: AgentMemory, count: int, **fields: Any) -> None:
    """Have alice know facts that nobody used for long, in one transaction."""

    def write(writer: LedgerWriter) -> None:
        for number in range(count):
            fact = {
                "kind": "fact",
                "confidence": 0.9,
                "importance": 0.5,
                "source": "explicit",
                "created_at": START,
            } | fields
            told = Memory(id=f"m{number}", scope=ALICE, content=f"Box {number} holds a {number}", **fact)  # type: ignore[arg-type]  # a dict of all sorts
            writer.append(Draft(type="remembered", memory_id=told.id, changes=fields_of(told)))

    run(SQLLedger(memory._database, clock=lambda: START).append(ALICE, write))


class CycleContract:
    """Subclass it beside a fixture `sql_url` of a database that connections share."""

    @pytest.fixture
    def memory(self, sql_url: str) -> Iterator[AgentMemory]:
        with AgentMemory(Database(sql_url), embeddings=None, options=MemoryOptions(**OPTIONS)) as memory:
            yield memory

    @pytest.fixture
    def other(self, sql_url: str) -> Iterator[AgentMemory]:
        """Somebody else at the same database, who waits for no lock of SQLite's, and for PostgreSQL not long."""
        database = Database(sql_url, busy_timeout_s=0, answer_timeout_s=5)
        with AgentMemory(database, embeddings=None, options=MemoryOptions(**OPTIONS)) as other:
            yield other

    async def test_whoever_reads_waits_for_no_cycle(
        self, memory: AgentMemory, other: AgentMemory, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """In the middle of its transactions they see what was before; in between, a recall leaves its receipt.

        Each transaction is held open with all of its statements done, and each is of a few memories.
        """
        fill(memory, MANY)
        move_all, sizes, receipts = memory.forgetting._flows._move_all, list[int](), list[str | None]()

        def held_open(writer: Any, batch: Any, **given: Any) -> list[str]:  # noqa: ANN401  (as the cycle calls it)
            erased = move_all(writer, batch, **given)
            writer.flush()
            for it in (batch[0], batch[-1]) if len(sizes) % LOOKED == 0 else ():
                known = other.long_term.get(it.memory_id, scope=ALICE)
                assert known is not None
                assert known.faded_at is None
                assert len(other.long_term.list(scope=ALICE, limit=3)) == 3
                assert len(other.timeline.events(ALICE, memory_id=it.memory_id)) == 1
                assert other.long_term.why(it.memory_id, scope=ALICE).reasons
            sizes.append(len(batch))
            return erased

        def in_between(_seconds: float) -> Flow[None]:
            if len(sizes) % LOOKED == 0:
                receipts.append(other.long_term.recall("what is in box 7?", scope=ALICE).receipt_id)
            yield from ()

        monkeypatch.setattr(memory.forgetting._flows, "_move_all", held_open)
        monkeypatch.setattr(memory.forgetting._flows, "_pause", in_between)
        report = await call(memory.forgetting, "forget_cycle", ALICE)
        assert (sum(sizes), max(sizes)) == (MANY, BATCH)
        assert len(report.changed) <= 5 * len(receipts)  # what the recalls used
        assert len(receipts) == (MANY // BATCH - 1) // LOOKED
        assert all(memory.long_term.receipt(str(it), scope=ALICE) for it in receipts)

    def test_a_cycle_that_was_broken_off_is_gone_on_with(
        self, memory: AgentMemory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What is done stays done, and nothing is done twice; a third finds nothing."""
        fill(memory, 4 * BATCH)
        monkeypatch.setattr(memory.forgetting._flows, "_pause", breaking_off())
        with pytest.raises(KeyboardInterrupt):
            memory.forgetting.forget_cycle(ALICE)
        left = [len(memory.forgetting.forget_cycle(ALICE, dry_run=True).moves)]
        monkeypatch.undo()
        left += [len(memory.forgetting.forget_cycle(ALICE).moves) for _ in range(2)]
        assert left == [3 * BATCH, 3 * BATCH, 0]
        faded = memory.timeline.events(ALICE, types=("faded",), limit=1_000)
        assert len({it.memory_id for it in faded}) == len(faded) == 4 * BATCH
        assert memory.long_term.verify(scope=ALICE).is_intact

    async def test_a_hold_that_is_placed_meanwhile_stops_a_cycle(
        self, memory: AgentMemory, other: AgentMemory, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Between two batches, by another process: nothing is faded, archived or erased any more."""
        fill(memory, 3 * BATCH)

        def in_between(_seconds: float) -> Flow[None]:
            other.privacy.hold(ALICE, reason="case")
            yield from ()

        monkeypatch.setattr(memory.forgetting._flows, "_pause", in_between)
        report = await call(memory.forgetting, "forget_cycle", ALICE)
        assert len(report.changed) == 2 * BATCH
        assert len(memory.timeline.events(ALICE, types=("faded",), limit=1_000)) == BATCH

    async def test_questions_lose_their_words_once_and_not_with_each_batch(
        self, memory: AgentMemory, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Those asked before the cycle as it first erases, and those asked meanwhile with the next batch."""
        fill(memory, 4 * BATCH, status="superseded", invalid_at=START, expired_at=START)
        early = [f"early {it}" for it in range(9)]
        for number, receipt_id in enumerate(early):
            ask(memory, receipt_id, LATER - LATE - timedelta(minutes=1 + number))
        opened, late = list[object](), list[str]()

        def counted(plan: dict[str, Any]) -> dict[str, Any]:
            opened.append(plan)
            return without_words(plan)

        def in_between(_seconds: float) -> Flow[None]:
            late.append(f"late {len(late)}")
            ask(memory, late[-1], LATER)
            yield from ()

        monkeypatch.setattr("langchain_agentmem.ledger.sql.writer.without_words", counted)
        monkeypatch.setattr(memory.forgetting._flows, "_pause", in_between)
        assert len((await call(memory.forgetting, "forget_cycle", ALICE)).erased) == 4 * BATCH
        every = [memory.long_term.receipt(it, scope=ALICE) for it in early + late]
        assert ([it.plan for it in every], len(late)) == ([{"query": {}}] * 12, 3)
        assert len(opened) == 9 + 1 + 2 + 3


def ask(memory: AgentMemory, receipt_id: str, at: datetime) -> None:
    """Leave a receipt of a question."""
    plan = {"query": {"text": "what is in box 7?"}}
    receipt = Receipt(id=receipt_id, scope=ALICE, at=at, status="empty", reason="nothing relevant", plan=plan)
    run(SQLLedger(memory._database).append(ALICE, lambda writer: writer.put_receipt(receipt)))


def breaking_off() -> Callable[[float], Flow[None]]:
    """What ends a cycle after its first transaction."""

    def end(_seconds: float) -> Flow[None]:
        raise KeyboardInterrupt
        yield  # a flow, all the same

    return end

"""What `memory.jobs.run()` promises about what has expired, on every database."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.base import empty_checkpoint
from sqlalchemy import func, select, update

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem._flow import run
from langchain_agentmem.errors import StorageError
from langchain_agentmem.jobs import JobReport
from langchain_agentmem.ledger.sql.jobs import Standing
from langchain_agentmem.sql.schema import (
    CHECKPOINTS,
    ITEMS,
    JOBS,
    MESSAGES,
    RECEIPTS,
    REQUESTS,
    RUN_STEPS,
    SESSIONS,
    STORE_ITEMS,
    THREADS,
)
from langchain_agentmem.testing.savers import config_of
from tests.conftest import Call
from tests.processes import Process, Say, together

ALICE = Scope("alice")
ROUNDS = 7
HOURLY = ROUNDS - 1
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
TABLES = (SESSIONS, MESSAGES, THREADS, CHECKPOINTS, ITEMS)


class Time:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def opened(url: str, clock: Time, **options: Any) -> AgentMemory:
    return AgentMemory.connect(sql=url, embeddings=None, consent="assumed", clock=clock, **options)


def use(memory: AgentMemory, name: str, ttl: timedelta | None) -> None:
    """Say something in a session and in a thread, each with an expiry of its own."""
    kept = opened_like(memory, ttl)
    kept.history(Scope("alice", session_id=name)).add_messages([HumanMessage(f"in {name}")])
    checkpoint = {**empty_checkpoint(), "channel_values": {"messages": [HumanMessage(f"in {name}")]}}
    checkpoint["channel_versions"] = {"messages": "1"}
    config: Any = {"configurable": {"thread_id": name, "checkpoint_ns": ""}}
    kept.checkpointer.put(config, checkpoint, {}, {"messages": "1"})  # type: ignore[arg-type]  # a dict is one


def opened_like(memory: AgentMemory, ttl: timedelta | None) -> AgentMemory:
    """Return a memory on the same database whose conversations live so long."""
    options = memory._options.__class__(clock=memory._options.clock, sessions={"ttl": ttl}, threads={"ttl": ttl})
    return AgentMemory(memory._database, embeddings=None, redis=memory._redis, options=options)


def counted(memory: AgentMemory) -> list[int]:
    """How many rows of sessions, messages, threads, checkpoints and items there are."""

    def read(connection: Any) -> list[int]:  # noqa: ANN401
        return [connection.execute(select(func.count()).select_from(table)).scalar_one() for table in TABLES]

    return run(memory._database.read(read))


class SweepContract:
    """Laws of the rounds; a fixture `sql_url` says where."""

    @pytest.fixture
    def clock(self) -> Time:
        return Time()

    @pytest.fixture
    def memory(self, sql_url: str, clock: Time) -> Iterator[AgentMemory]:
        memory = opened(sql_url, clock)
        yield memory
        memory.close()

    async def test_what_has_expired_is_gone_after_a_run(self, memory: AgentMemory, clock: Time, call: Call) -> None:
        """Sessions and threads, with everything of them; those that live stay whole."""
        for name, ttl in (("old", DAY), ("older", HOUR), ("lives", 3 * DAY), ("stays", None)):
            use(memory, name, ttl)
        assert counted(memory) == [4, 4, 4, 4, 4]
        clock.now += 2 * DAY
        assert await call(memory.jobs, "run") == JobReport(done=ROUNDS)
        assert counted(memory) == [2, 2, 2, 2, 2]
        assert [it.session_id for it in memory.conversations(ALICE)] == ["stays", "lives"]
        assert [it.thread_id for it in memory.checkpointer.threads()] == ["lives", "stays"]

    async def test_expired_items_of_the_store_are_gone_too(self, memory: AgentMemory, clock: Time, call: Call) -> None:
        """Whether or not anybody asked for them again."""
        memory.store.put(("tea",), "ends", {"kind": "green"}, ttl=60)
        memory.store.put(("tea",), "stays", {"kind": "black"})
        clock.now += DAY
        assert (await call(memory.jobs, "run")).failed == 0
        assert rows_of(memory, STORE_ITEMS.c.key) == ["stays"]

    async def test_a_round_is_taken_once_an_hour(self, memory: AgentMemory, clock: Time, call: Call) -> None:
        """What expires in between waits for the next; a round to come is no job that is left."""
        assert await call(memory.jobs, "run") == JobReport(done=ROUNDS)
        use(memory, "old", timedelta(minutes=1))
        clock.now += HOUR - timedelta(seconds=1)
        assert await call(memory.jobs, "run") == JobReport()
        assert counted(memory)[0] == 1
        clock.now += timedelta(seconds=1)
        assert await call(memory.jobs, "run") == JobReport(done=HOURLY)
        assert counted(memory) == [0] * 5
        assert await call(memory.jobs, "counts") == {}

    def test_one_of_many_takes_a_round(self, memory: AgentMemory, clock: Time) -> None:
        """However many run the jobs at once; one that cannot tidy up behind it, because others read, comes again."""
        use(memory, "old", HOUR)
        clock.now += DAY
        others = [opened_like(memory, None) for _ in range(4)]
        with ThreadPoolExecutor(4) as pool:
            reports = list(pool.map(lambda other: other.jobs.run(), others))
        assert sum(it.done + it.failed for it in reports) == ROUNDS
        assert counted(memory) == [0] * 5

    async def test_a_worker_that_ended_without_a_word_costs_one_round(
        self, memory: AgentMemory, clock: Time, call: Call
    ) -> None:
        """However often that happened: the round is never given up."""
        queue = memory.long_term._flows._recalling._searching._queue
        run(queue.stand([Standing(-1, "sweep_sessions", HOUR)]))
        for _ in range(12):
            assert len(run(queue.claim(1, ["sweep_sessions"], HOUR))) == 1
            assert (await call(memory.jobs, "run")).failed == 0
            clock.now += HOUR
        assert (await call(memory.jobs, "run")).done == HOURLY

    async def test_a_clock_that_was_wrong_once_puts_off_no_round(
        self, memory: AgentMemory, clock: Time, call: Call
    ) -> None:
        """A host that is a year ahead does the rounds, or dies at one: the others go on as if it had not been."""
        await call(memory.jobs, "run")
        clock.now += 365 * DAY
        await call(memory.jobs, "run")
        queue = memory.long_term._flows._recalling._searching._queue
        clock.now += HOUR
        assert len(run(queue.claim(1, ["sweep_threads"], HOUR))) == 1
        clock.now -= 365 * DAY
        use(memory, "old", timedelta(minutes=1))
        clock.now += HOUR
        assert await call(memory.jobs, "run") == JobReport(done=ROUNDS)
        assert counted(memory) == [0] * 5
        assert await call(memory.jobs, "run") == JobReport()

    async def test_clocks_that_are_seconds_apart_take_no_round_twice(
        self, memory: AgentMemory, clock: Time, call: Call
    ) -> None:
        """Who is a little behind leaves what another has just done."""
        clock.now += timedelta(seconds=50)
        await call(memory.jobs, "run")
        clock.now -= timedelta(seconds=50)
        assert await call(memory.jobs, "run") == JobReport()

    async def test_a_write_takes_no_round(self, memory: AgentMemory, clock: Time, call: Call) -> None:
        """Who remembers or erases does not wait for what expired."""
        use(memory, "old", HOUR)
        clock.now += DAY
        known = (await call(memory.long_term, "remember", "Alice likes tea", scope=ALICE)).require()
        await call(memory.long_term, "erase", known.id, scope=ALICE)
        assert counted(memory) == [1] * 5

    async def test_receipts_of_a_quiet_user_end_in_time(self, memory: AgentMemory, clock: Time, call: Call) -> None:
        """Ninety days after a recall its receipt is gone, whether or not its user came again."""
        old = memory.long_term.recall("tea?", scope=ALICE)
        clock.now += 89 * DAY
        new = memory.long_term.recall("tea?", scope=Scope("bob"))
        await call(memory.jobs, "run")
        assert memory.long_term.receipt(str(old.receipt_id), scope=ALICE) is not None
        clock.now += DAY + HOUR
        await call(memory.jobs, "run")
        assert rows_of(memory, RECEIPTS.c.receipt_id) == [new.receipt_id]

    @pytest.mark.parametrize("others_come", [False, True], ids=["a sweep", "with others"])
    async def test_under_a_hold_nothing_of_the_ledger_goes_by_its_age(
        self, memory: AgentMemory, clock: Time, call: Call, *, others_come: bool
    ) -> None:
        """Neither receipts, nor runs, nor requests to forget: not by a sweep, nor when more of them come."""

        def live() -> None:
            RunnableLambda(str.upper).invoke("tea", {"callbacks": [memory.runs.recorder(ALICE)]})
            known = memory.long_term.remember("Alice likes tea", scope=ALICE).require()
            memory.long_term.recall("tea?", scope=ALICE)
            memory.long_term.forget(known.id, scope=ALICE)

        def left() -> list[int]:
            return [len(rows_of(memory, column)) for column in (RECEIPTS.c.at, RUN_STEPS.c.at, REQUESTS.c.seq)]

        live()
        memory.jobs.run()
        before = left()
        assert 0 not in before
        memory.privacy.hold(ALICE, reason="case")
        clock.now += 100 * DAY
        if others_come:
            live()
            assert left() == [2 * it for it in before]
            return
        await call(memory.jobs, "run")
        assert left() == before
        memory.privacy.release(ALICE, reason="closed")
        clock.now += HOUR
        await call(memory.jobs, "run")
        assert left() == [0, 0, 0]

    async def test_a_thread_that_rests_is_looked_at_once(
        self, memory: AgentMemory, clock: Time, call: Call, caplog: pytest.LogCaptureFixture
    ) -> None:
        """What is left behind in it is looked for in the round after its last use, and not in each that follows."""
        use(memory, "rests", None)
        await call(memory.jobs, "run")
        clock.now += 3 * HOUR
        await call(memory.jobs, "run")
        run(memory._database.write(lambda connection: connection.execute(update(CHECKPOINTS).values(sealed=b"damage"))))
        for is_used in (False, True):
            if is_used:
                memory.checkpointer.put_writes(config_of("rests", checkpoint_id="1"), [("note", "n")], "task")
            clock.now += 3 * HOUR
            assert (await call(memory.jobs, "run")).failed == 0
            assert ("1 threads are damaged" in caplog.text) is is_used

    async def test_a_round_that_fails_stops_no_other_and_comes_again(
        self, memory: AgentMemory, clock: Time, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Its error is kept with it; it is tried again soon, and as often as it takes."""
        use(memory, "old", HOUR)
        clock.now += DAY
        with monkeypatch.context() as broken:
            broken.setattr("langchain_agentmem.sessions.sql.sessions.SQLSessions.sweep", _fail)
            assert await call(memory.jobs, "run") == JobReport(done=ROUNDS - 1, failed=1)
            for _ in range(10):
                clock.now += timedelta(minutes=5)
                assert (await call(memory.jobs, "run")).failed == 1
        assert any("no disk" in str(it) for it in rows_of(memory, JOBS.c.error))
        clock.now += timedelta(minutes=5)
        assert (await call(memory.jobs, "run")).failed == 0
        assert counted(memory) == [0] * 5


class SharedSweepContract:
    """Laws of several processes; `shared_url` names an empty database that they can share."""

    def test_another_process_removes_what_expired(self, shared_url: str) -> None:
        """It needs to know nothing of who used them."""
        clock = Time()
        with opened(shared_url, clock) as memory:
            use(memory, "old", HOUR)
            use(memory, "stays", None)
            told = [together([Process(run_jobs_on, shared_url)]) for _ in range(2)]
            assert told == [[[ROUNDS]], [[0]]]
            assert counted(memory) == [1] * 5


def run_jobs_on(say: Say, url: str) -> None:
    """Run what is due a day later, and say how much was."""
    later = Time().now + DAY
    with AgentMemory.connect(sql=url, embeddings=None, clock=lambda: later) as memory:
        say(memory.jobs.run().done)


def rows_of(memory: AgentMemory, column: Any) -> list[Any]:  # noqa: ANN401
    return run(memory._database.read(lambda connection: list(connection.execute(select(column)).scalars())))


def _fail(_: object) -> Iterator[Any]:
    yield from ()
    msg = "no disk"
    raise StorageError(msg)

"""What the queue and the register of embedding models promise."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

import pytest

from langchain_agentmem._flow import Flow, run, work
from langchain_agentmem.errors import ConfigurationError, ConflictError, StorageError
from langchain_agentmem.jobs import JobReport, Jobs
from langchain_agentmem.ledger.base import LedgerWriter, ModelState
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.ledger.sql.jobs import LEASE_S, MAX_ATTEMPTS, Job, SQLJobs
from langchain_agentmem.ledger.sql.models import SQLModels
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import JOBS, MODELS, VECTORS
from langchain_agentmem.types import Scope
from tests.conftest import Call, Colour
from tests.ledgers import (
    ALICE,
    BOB,
    START,
    Clock,
    Drive,
    drive_of,
    dump,
    erase,
    fetch,
    memory,
    put,
    put_vector,
    queue_job,
    remembered,
)

KIND: Final = "index"
KINDS: Final = (KIND, "other")


class StandingClock(Clock):
    """A clock that a test moves."""

    def __call__(self) -> datetime:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


class _Base:
    @pytest.fixture
    def clock(self) -> StandingClock:
        return StandingClock()

    @pytest.fixture
    def ledger(self, sql_url: str, clock: StandingClock) -> Iterator[SQLLedger]:
        database = Database(sql_url)
        yield SQLLedger(database, clock=clock)
        database.close()

    @pytest.fixture
    def drive(self, colour: Colour) -> Drive:
        return drive_of(colour)


class JobsContract(_Base):
    """A job is done at least once, by one worker at a time, and never lost."""

    @pytest.fixture
    def queue(self, ledger: SQLLedger, clock: StandingClock) -> SQLJobs:
        return SQLJobs(ledger.database, clock)

    async def test_a_job_exists_if_its_transaction_was_committed(
        self, ledger: SQLLedger, queue: SQLJobs, drive: Drive
    ) -> None:
        """Queued with a write, a job comes and goes with that write, and carries its user and payload."""

        def broken(writer: Any) -> None:  # noqa: ANN401
            writer.enqueue(KIND, {"ids": ["lost"]}, START)
            msg = "no"
            raise StorageError(msg)

        with pytest.raises(StorageError):
            await drive(ledger.append(BOB, broken))
        await drive(put(ledger, memory(scope=Scope("alice", tenant_id="t"))))
        jobs = await drive(queue.claim("worker", 10, KINDS))
        wanted = Job(id=jobs[0].id, kind=KIND, scope=Scope("alice", tenant_id="t"), payload={"ids": ["m1"]}, attempts=1)
        assert jobs == [wanted]

    async def test_a_job_waits_for_its_time(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, drive: Drive
    ) -> None:
        """A job for later is not claimed before; due ones come in the order they were queued."""
        for number, wait in enumerate((60, 0, 0)):
            await drive(queue_job(ledger, KIND, {"n": number}, START + timedelta(seconds=wait)))
        assert [job.payload["n"] for job in await drive(queue.claim("worker", 10, KINDS))] == [1, 2]
        clock.wait(60)
        assert [job.payload["n"] for job in await drive(queue.claim("worker", 1, KINDS))] == [0]

    async def test_a_leased_job_is_nobody_elses_until_the_lease_ends(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, drive: Drive
    ) -> None:
        """A worker that is not heard of loses its job to another, and can neither finish nor fail it then."""
        await drive(put(ledger, memory()))
        (first,) = await drive(queue.claim("slow", 10, KINDS))
        clock.wait(LEASE_S - 1)
        assert await drive(queue.claim("quick", 10, KINDS)) == []
        clock.wait(1)
        (second,) = await drive(queue.claim("quick", 10, KINDS))
        assert (second.id, second.attempts) == (first.id, 2)
        await drive(queue.finish(first, "slow"))
        await drive(queue.fail(first, "slow", "late"))
        assert await drive(queue.counts()) == {"running": 1}
        await drive(queue.finish(second, "quick"))
        assert await drive(queue.counts()) == {}

    async def test_a_failed_job_comes_back_later_and_later_and_is_then_given_up(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, drive: Drive
    ) -> None:
        """Each failure doubles the wait; after the last attempt the job stays as failed, with its error."""
        await drive(put(ledger, memory()))
        for attempt in range(1, MAX_ATTEMPTS + 1):
            (job,) = await drive(queue.claim("worker", 10, KINDS))
            assert job.attempts == attempt
            await drive(queue.fail(job, "worker", f"error {attempt}"))
            clock.wait(2**attempt - 1)
            assert await drive(queue.claim("worker", 10, KINDS)) == []
            clock.wait(1)
        assert await drive(queue.claim("worker", 10, KINDS)) == []
        assert await drive(queue.counts()) == {"failed": 1}
        assert dump(ledger.database, JOBS)[JOBS.name][0][9] == f"error {MAX_ATTEMPTS}"

    async def test_a_job_that_ends_its_workers_is_given_up(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, drive: Drive
    ) -> None:
        """A worker killed at every attempt never reports a failure: the attempts are counted all the same."""
        await drive(put(ledger, memory()))
        for _ in range(MAX_ATTEMPTS):
            assert len(await drive(queue.claim("killed", 10, KINDS))) == 1
            clock.wait(LEASE_S)
        assert await drive(queue.claim("next", 10, KINDS)) == []
        assert await drive(queue.counts()) == {"failed": 1}

    async def test_in_order_a_subject_has_one_job_at_a_time(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, drive: Drive
    ) -> None:
        """The next one of a user is leased when the one before is done or given up; other users do not wait for it."""
        for name, scope in (("a1", ALICE), ("a2", ALICE), ("b1", BOB)):
            await drive(put(ledger, memory(name, scope)))
        first, bobs = await drive(queue.claim("one", 10, KINDS, in_order=True))
        assert (first.payload, bobs.payload, first.owner) == ({"ids": ["a1"]}, {"ids": ["b1"]}, "one")
        assert await drive(queue.claim("two", 10, KINDS, in_order=True)) == []
        await drive(queue.fail(first, "one", "the model is away"))
        assert await drive(queue.claim("two", 10, KINDS, in_order=True)) == []
        clock.wait(LEASE_S - 1)
        (again,) = await drive(queue.claim("two", 10, KINDS, in_order=True))
        await drive(queue.finish(again, "two"))
        (second,) = await drive(queue.claim("two", 10, KINDS, in_order=True))
        assert (again.payload, second.payload) == ({"ids": ["a1"]}, {"ids": ["a2"]})

    async def test_a_job_ends_with_what_is_written_for_it_or_not_at_all(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, drive: Drive
    ) -> None:
        """Who has lost a lease writes nothing: the end of the job and the writes are one transaction."""
        await drive(queue_job(ledger, KIND, {}))
        (slow,) = await drive(queue.claim("slow", 10, KINDS))
        clock.wait(LEASE_S)
        (quick,) = await drive(queue.claim("quick", 10, KINDS))
        kept = {"slow": memory("m1"), "quick": memory("m2")}

        def done(writer: LedgerWriter, job: Job) -> None:
            writer.append(remembered(kept[job.owner]))
            writer.finish_job(job.id, job.owner)

        with pytest.raises(ConflictError, match="another worker"):
            await drive(ledger.append(ALICE, lambda writer: done(writer, slow)))
        await drive(ledger.append(ALICE, lambda writer: done(writer, quick)))
        assert await drive(fetch(ledger, "m1")) is None
        assert await drive(fetch(ledger, "m2")) == replace(kept["quick"], revision=1)
        assert await drive(queue.counts()) == {}

    async def test_what_is_unfinished_is_told_to_its_user_alone(
        self, ledger: SQLLedger, queue: SQLJobs, drive: Drive
    ) -> None:
        """Queued, running and failed jobs of one user and one kind; not what is done, nor a namesake's elsewhere."""
        for kept in (memory("a1"), memory("a2"), memory("b1", BOB), memory("t1", Scope("alice", tenant_id="t"))):
            await drive(put(ledger, kept))
        await drive(queue_job(ledger, "other", {}))
        jobs = await drive(queue.claim("worker", 1, KINDS))
        await drive(queue.finish(jobs[0], "worker"))
        assert await drive(queue.unfinished(ALICE, KIND)) == [{"ids": ["a2"]}]
        assert await drive(queue.unfinished(BOB, KIND)) == [{"ids": ["b1"]}]
        assert await drive(queue.unfinished(Scope("bo"), KIND)) == []
        assert [await drive(queue.is_unfinished(kind)) for kind in (KIND, "other", "none")] == [True, True, False]

    def test_two_workers_never_run_one_job_twice(self, ledger: SQLLedger, queue: SQLJobs, sql_url: str) -> None:
        """Workers of the same database share the jobs out among them: each is done exactly once."""
        for number in range(30):
            run(put(ledger, memory(f"m{number}"), vector=None))
        seen: Counter[int] = Counter()

        def note(job: Job) -> Flow[None]:
            seen[job.id] += 1
            yield from work(lambda: None)

        workers = [Jobs(queue, {KIND: note}) for _ in range(3)]
        threads = [threading.Thread(target=worker.run, kwargs={"limit": 2}) for worker in workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (len(seen), set(seen.values()), workers[0].counts()) == (30, {1}, {})

    @pytest.mark.parametrize(
        ("error", "kept"), [(StorageError("away"), "StorageError: away"), (ValueError("I am ill"), "ValueError")]
    )
    async def test_a_job_that_fails_stops_no_other(
        self, ledger: SQLLedger, queue: SQLJobs, error: Exception, kept: str, call: Call
    ) -> None:
        """A failure is counted and kept on the job, of one that is not ours the name alone; unknown kinds wait."""
        for number in range(3):
            run(put(ledger, memory(f"m{number}")))
        run(queue_job(ledger, "unheard of", {}))

        def feed(job: Job) -> Flow[None]:
            yield from work(lambda: None)
            if job.payload["ids"] == ["m1"]:
                raise error

        jobs = Jobs(queue, {KIND: feed})
        assert await call(jobs, "run") == JobReport(done=2, failed=1)
        assert await call(jobs, "counts") == {"queued": 2}
        assert {row[9] for row in dump(ledger.database, JOBS)[JOBS.name]} == {kept, None}

    async def test_a_limit_below_one_is_refused(self, queue: SQLJobs, call: Call) -> None:
        """A batch holds at least one job."""
        with pytest.raises(ConfigurationError, match="limit"):
            await call(Jobs(queue, {}), "run", limit=0)


class ModelsContract(_Base):
    """One embedding model is current, and a change of model is all or nothing."""

    @pytest.fixture
    def models(self, ledger: SQLLedger, clock: StandingClock) -> SQLModels:
        return SQLModels(ledger.database, clock)

    async def test_only_one_model_is_current(self, ledger: SQLLedger, models: SQLModels, drive: Drive) -> None:
        """Two vectors whose models both claim to be the current one leave one of them current."""
        for number, name in enumerate(("first", "second")):
            state = ModelState(name=name, dimension=2, is_current=True)
            await drive(put(ledger, memory(f"m{number}"), vector=None))
            await drive(put_vector(ledger, f"m{number}", state, b"\x00" * 8))
        known = await drive(ledger.read(ALICE, lambda reader: reader.models()))
        assert [model.name for model in known if model.is_current] == ["first"]
        assert await drive(models.current()) == ModelState(name="first", dimension=2, is_current=True)

    async def test_a_vector_put_again_replaces_the_first(self, ledger: SQLLedger, drive: Drive) -> None:
        """One vector per memory and model."""
        await drive(put(ledger, memory()))
        vector = b"\x01" * 8
        state = ModelState(name="fake", dimension=2, is_current=True)
        await drive(put_vector(ledger, "m1", state, vector))
        rows = await drive(ledger.read(ALICE, lambda reader: reader.search_rows(0, "fake")))
        assert [row.vector for row in rows] == [vector]

    async def test_what_has_no_vector_is_named_by_user_and_agent(
        self, ledger: SQLLedger, models: SQLModels, drive: Drive
    ) -> None:
        """Every user's memories without a vector of a model are found, the erased ones not."""
        helper = Scope("alice", agent_id="helper")
        for kept in (memory("a1"), memory("a2"), memory("h1", helper), memory("b1", BOB), memory("gone", BOB)):
            await drive(put(ledger, kept, vector=None))
        await drive(put(ledger, memory("a3")))
        await drive(erase(ledger, "gone", BOB))
        missing = await drive(models.missing("fake", 10))
        assert {(group.scope, group.memory_ids) for group in missing} == {
            (ALICE, ("a1", "a2")),
            (helper, ("h1",)),
            (BOB, ("b1",)),
        }
        assert sum(len(group.memory_ids) for group in await drive(models.missing("fake", 3))) == 3

    async def test_a_model_is_adopted_once_it_is_complete(
        self, ledger: SQLLedger, models: SQLModels, drive: Drive
    ) -> None:
        """Not before every memory has its vector; then the old vectors go and the rebuild is queued, at once."""
        await drive(put(ledger, memory()))
        await drive(models.announce("new", 3))
        await drive(models.announce("new", 3))
        before = dump(ledger.database)
        assert await drive(models.adopt("new", "rebuild")) is False
        assert dump(ledger.database) == before
        state = ModelState(name="new", dimension=3, is_current=False)
        await drive(put_vector(ledger, "m1", state, b"\x00" * 12))
        assert await drive(models.adopt("new", "rebuild")) is True
        assert await drive(models.current()) == ModelState(name="new", dimension=3, is_current=True)
        after = dump(ledger.database, MODELS, VECTORS, JOBS)
        assert [[row[0] for row in after[MODELS.name]], [row[2] for row in after[VECTORS.name]]] == [["new"], ["new"]]
        assert [row[1] for row in after[JOBS.name]] == ["index", "rebuild"]

    async def test_a_rebuild_names_every_memory_of_every_user(
        self, ledger: SQLLedger, models: SQLModels, drive: Drive
    ) -> None:
        """The jobs of a rebuild carry their subject, and leave out what was erased."""
        for kept in (memory("a1"), memory("gone"), memory("b1", BOB)):
            await drive(put(ledger, kept))
        await drive(erase(ledger, "gone"))
        queue = SQLJobs(ledger.database, Clock())
        await drive(models.queue_all("again"))
        assert await drive(queue.unfinished(ALICE, "again")) == [{"ids": ["a1"]}]
        assert await drive(queue.unfinished(BOB, "again")) == [{"ids": ["b1"]}]

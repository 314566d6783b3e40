"""What the queue and the register of embedding models promise."""

from __future__ import annotations

import struct
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

import pytest
from sqlalchemy import update

from langchain_agentmem._flow import Flow, run, work
from langchain_agentmem.errors import ConfigurationError, ConflictError, ScopeError, StorageError
from langchain_agentmem.jobs import IN_A_ROW, Handler, JobFlows, JobReport, Jobs
from langchain_agentmem.ledger.base import LedgerWriter, ModelState
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.ledger.sql.jobs import LEASE_S, MAX_ATTEMPTS, Job, SQLJobs, Standing
from langchain_agentmem.ledger.sql.models import SQLModels
from langchain_agentmem.ledger.standing import CONSENT_JOB, ERASE_JOB
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import JOBS, MODELS, VECTORS
from langchain_agentmem.types import Scope
from tests.conftest import Call, Colour
from tests.ledgers import (
    ALICE,
    BOB,
    MODEL,
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
from tests.paged import paged

KIND: Final = "index"
KINDS: Final = (KIND, "other")


def _add_vectors(vectors: dict[str, bytes], writer: LedgerWriter) -> None:
    writer.add_vectors(MODEL, vectors)


class StandingClock(Clock):
    """A clock that a test moves."""

    def __call__(self) -> datetime:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def done(writer: LedgerWriter, job: Job, memory_id: str) -> None:
    """Remember something for a job, together with its end."""
    writer.append(remembered(memory(memory_id)))
    writer.finish_job(job.id, job.lease)


def nothing(_job: Job) -> Flow[None]:
    yield from work(lambda: None)


def raising(error: Exception) -> Handler:
    def handler(job: Job) -> Flow[None]:
        yield from nothing(job)
        raise error

    return handler


def failing(job: Job) -> Flow[None]:
    yield from nothing(job)
    msg = "away"
    raise StorageError(msg)


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


def jobs_of(*given: Any, **named: Any) -> Jobs:
    """Return what runs jobs of a queue, as a memory has it."""
    return Jobs(JobFlows(*given, **named))


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
        jobs = await drive(queue.claim(10, KINDS))
        wanted = Job(id=jobs[0].id, kind=KIND, scope=Scope("alice", tenant_id="t"), payload={"ids": ["m1"]}, attempts=1)
        assert jobs == [wanted]

    async def test_a_job_waits_for_its_time(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, drive: Drive
    ) -> None:
        """A job for later is not claimed before; due ones come as they became due, and as they were queued."""
        for number, wait in enumerate((30, 0, 0)):
            await drive(queue_job(ledger, KIND, {"n": number}, START + timedelta(seconds=wait)))
        assert [job.payload["n"] for job in await drive(queue.claim(10, KINDS))] == [1, 2]
        clock.wait(30)
        assert [job.payload["n"] for job in await drive(queue.claim(1, KINDS))] == [0]

    async def test_what_is_to_be_done_at_once_waits_for_no_clock(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, drive: Drive
    ) -> None:
        """It is due for a host that is a year behind who queued it, and is told as due since then."""
        later = START + timedelta(days=365)
        clock.now = later
        for number in range(2):
            await drive(queue_job(ledger, KIND, {"n": number}, None))
        await drive(ledger.append(ALICE, lambda writer: writer.enqueue_once("other", None)))
        assert [it.due_at for it in await drive(queue.states(None, ALICE, 10))] == [later] * 3
        clock.now = START
        await drive(ledger.append(ALICE, lambda writer: writer.enqueue_once("other", None)))
        claimed = await drive(queue.claim(10, KINDS))
        assert [job.payload.get("n") for job in claimed] == [None, 0, 1]

    async def test_what_comes_back_goes_behind_what_was_there(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, drive: Drive
    ) -> None:
        """Neither a job that fails nor those queued after it keep the others from their turn."""
        for number in range(2):
            await drive(queue_job(ledger, KIND, {"n": number}, None))
        (failed,) = await drive(queue.claim(1, KINDS))
        await drive(queue.fail(failed, "away"))
        clock.wait(3)
        await drive(queue_job(ledger, KIND, {"n": 2}, None))
        assert [job.payload["n"] for job in await drive(queue.claim(2, KINDS))] == [1, 0]
        assert [job.payload["n"] for job in await drive(queue.claim(2, KINDS))] == [2]

    async def test_a_retry_is_due_for_every_clock(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, drive: Drive
    ) -> None:
        """What was given up and is queued anew, by a host that is ahead, the others may do."""
        await drive(queue_job(ledger, KIND, {}, None))
        await drive(ledger.database.write(lambda it: it.execute(update(JOBS).values(status="failed")).rowcount))
        clock.now = START + timedelta(days=365)
        await drive(queue.retry(None))
        clock.now = START
        assert len(await drive(queue.claim(1, KINDS))) == 1

    async def test_what_a_worker_left_comes_before_what_waits(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, drive: Drive
    ) -> None:
        """A user whose job was lost with its worker does not wait for everybody else's."""
        for number in range(3):
            await drive(queue_job(ledger, KIND, {"n": number}, START))
        assert [job.payload["n"] for job in await drive(queue.claim(1, KINDS))] == [0]
        clock.wait(LEASE_S)
        assert [job.payload["n"] for job in await drive(queue.claim(2, KINDS))] == [0]
        assert [job.payload["n"] for job in await drive(queue.claim(2, KINDS))] == [1, 2]

    async def test_a_leased_job_is_nobody_elses_until_the_lease_ends(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, drive: Drive
    ) -> None:
        """A worker that is not heard of loses its job to another, and can neither finish nor fail it then."""
        await drive(put(ledger, memory()))
        (first,) = await drive(queue.claim(10, KINDS))
        clock.wait(LEASE_S - 1)
        assert await drive(queue.claim(10, KINDS)) == []
        clock.wait(1)
        (second,) = await drive(queue.claim(10, KINDS))
        assert (second.id, second.attempts) == (first.id, 2)
        await drive(queue.finish(first))
        await drive(queue.fail(first, "late"))
        assert await drive(queue.counts()) == {"running": 1}
        await drive(queue.finish(second))
        assert await drive(queue.counts()) == {}

    async def test_a_failed_job_comes_back_later_and_later_and_is_then_given_up(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, drive: Drive
    ) -> None:
        """Each failure doubles the wait; after the last attempt the job stays as failed, with its error."""
        await drive(put(ledger, memory()))
        for attempt in range(1, MAX_ATTEMPTS + 1):
            (job,) = await drive(queue.claim(10, KINDS))
            assert job.attempts == attempt
            await drive(queue.fail(job, f"error {attempt}"))
            clock.wait(2**attempt - 1)
            assert await drive(queue.claim(10, KINDS)) == []
            clock.wait(1)
        assert await drive(queue.claim(10, KINDS)) == []
        assert await drive(queue.counts()) == {"failed": 1}
        assert dump(ledger.database, JOBS)[JOBS.name][0][9] == f"error {MAX_ATTEMPTS}"

    async def test_a_job_that_ends_its_workers_is_given_up(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, drive: Drive
    ) -> None:
        """A worker killed at every attempt never reports a failure: the attempts are counted all the same."""
        await drive(put(ledger, memory()))
        for _ in range(MAX_ATTEMPTS):
            assert len(await drive(queue.claim(10, KINDS))) == 1
            clock.wait(LEASE_S)
        await drive(put(ledger, memory(scope=BOB)))
        (next_one,) = await drive(queue.claim(1, KINDS))
        assert next_one.scope == BOB
        assert await drive(queue.counts()) == {"failed": 1, "running": 1}

    @pytest.mark.parametrize("kind", [ERASE_JOB, CONSENT_JOB])
    async def test_what_deletes_for_a_user_is_not_given_up_though_it_ends_its_workers(
        self,
        ledger: SQLLedger,
        queue: SQLJobs,
        clock: StandingClock,
        drive: Drive,
        *,
        kind: str,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        """However often they are killed it is tried again, alone; the log tells of it, and it is never lost."""
        run(queue_job(ledger, kind, {}))
        for attempt in range(1, 3 * MAX_ATTEMPTS):
            (job,) = await drive(queue.claim(10, [kind]))
            assert job.attempts == attempt
            clock.wait(LEASE_S)
        assert f"({kind}) has ended its worker at {attempt - 1} attempts" in caplog.text
        assert await drive(queue.counts()) == {"running": 1}

    async def test_what_is_given_up_is_told_to_the_log(
        self,
        ledger: SQLLedger,
        queue: SQLJobs,
        clock: StandingClock,
        drive: Drive,
        *,
        call: Call,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        """Whether it failed or ended its workers: who watches the log alone hears of it, and how it is queued again."""
        run(queue_job(ledger, KIND, {}))
        for attempt in range(MAX_ATTEMPTS):
            assert "given up" not in caplog.text
            await call(jobs_of(queue, {KIND: raising(ValueError("mine"))}), "run")
            clock.wait(2 ** (attempt + 1))
        run(queue_job(ledger, "other", {}))
        while await drive(queue.claim(1, ["other"])):
            clock.wait(LEASE_S)
        told = [it.getMessage() for it in caplog.records if "given up" in it.getMessage()]
        assert [it.partition(";")[0].partition("(")[2] for it in told] == [
            f"{KIND}) is given up: ValueError",
            "other) is given up: its worker ended without a word, at the last of all attempts",
        ]
        assert await call(jobs_of(queue, {}), "retry") == 2

    async def test_a_job_that_ends_its_workers_costs_no_other(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, drive: Drive
    ) -> None:
        """What was leased with it is done; it is leased alone from then on, and it alone is given up."""
        for name, scope in (("killer", ALICE), ("b1", BOB), ("b2", BOB)):
            await drive(put(ledger, memory(name, scope)))
        done: list[Any] = []
        for _ in range(MAX_ATTEMPTS + 1):
            while jobs := await drive(queue.claim(10, KINDS)):
                if jobs[0].payload == {"ids": ["killer"]}:
                    break
                for job in jobs:
                    await drive(queue.finish(job))
                done += jobs
            clock.wait(LEASE_S)
        assert [job.payload["ids"] for job in done] == [["b1"], ["b2"]]
        assert await drive(queue.counts()) == {"failed": 1}

    @pytest.mark.parametrize("payload", ['{"ids": ["m1', "7", ""])
    async def test_a_job_that_cannot_be_read_stops_no_other(
        self, ledger: SQLLedger, queue: SQLJobs, drive: Drive, payload: str
    ) -> None:
        """It is given up with the reason; a round goes on, and has forgotten when it was last done."""
        await drive(put(ledger, memory()))
        await drive(queue.stand([Standing(-1, "other", timedelta(hours=1))]))
        await drive(ledger.database.write(lambda it: it.execute(update(JOBS).values(payload=payload)).rowcount))
        await drive(put(ledger, memory("b1", BOB)))
        claimed = await drive(queue.claim(10, KINDS))
        assert {job.id > 0: job.payload for job in claimed} == {False: {}, True: {"ids": ["b1"]}}
        (given_up,) = await drive(queue.states("failed", None, 10))
        assert (given_up.scope, "payload" in str(given_up.error)) == (ALICE, True)

    async def test_in_order_a_subject_has_one_job_at_a_time(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, drive: Drive
    ) -> None:
        """The next one of a user is leased when the one before is done or given up; other users do not wait for it."""
        for name, scope in (("a1", ALICE), ("a2", ALICE), ("b1", BOB)):
            await drive(put(ledger, memory(name, scope)))
        first, bobs = await drive(queue.claim(10, KINDS, in_order=True))
        assert (first.payload, bobs.payload) == ({"ids": ["a1"]}, {"ids": ["b1"]})
        assert await drive(queue.claim(10, KINDS, in_order=True)) == []
        await drive(queue.fail(first, "the model is away"))
        assert await drive(queue.claim(10, KINDS, in_order=True)) == []
        clock.wait(LEASE_S - 1)
        (again,) = await drive(queue.claim(10, KINDS, in_order=True))
        await drive(queue.finish(again))
        (second,) = await drive(queue.claim(10, KINDS, in_order=True))
        assert (again.payload, second.payload) == ({"ids": ["a1"]}, {"ids": ["a2"]})

    async def test_a_job_ends_with_what_is_written_for_it_or_not_at_all(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, drive: Drive
    ) -> None:
        """Who has lost a lease writes nothing: the end of the job and the writes are one transaction."""
        await drive(queue_job(ledger, KIND, {}))
        (slow,) = await drive(queue.claim(10, KINDS))
        clock.wait(LEASE_S)
        (quick,) = await drive(queue.claim(10, KINDS))
        with pytest.raises(ConflictError, match="another worker"):
            await drive(ledger.append(ALICE, lambda writer: done(writer, slow, "m1")))
        with pytest.raises(ConflictError, match="another worker"):
            await drive(ledger.append(ALICE, lambda writer: writer.check_job(slow.id, slow.lease)))
        await drive(ledger.append(ALICE, lambda writer: done(writer, quick, "m2")))
        assert await drive(fetch(ledger, "m1")) is None
        assert await drive(fetch(ledger, "m2")) == replace(memory("m2"), revision=1)
        assert await drive(queue.counts()) == {}

    async def test_of_a_job_that_was_given_up_nothing_is_written_late(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, drive: Drive
    ) -> None:
        """A worker that ends after the last attempt was given up writes nothing; a retry does the job anew."""
        await drive(queue_job(ledger, KIND, {}))
        for _ in range(MAX_ATTEMPTS):
            (late,) = await drive(queue.claim(1, KINDS))
            clock.wait(LEASE_S)
        assert await drive(queue.claim(1, KINDS)) == []
        with pytest.raises(ConflictError, match="given up"):
            await drive(ledger.append(ALICE, lambda writer: done(writer, late, "m1")))
        await drive(queue.fail(late, "late"))
        (given_up,) = await drive(queue.states("failed", None, 10))
        assert "without a word" in str(given_up.error)
        assert await drive(queue.retry([given_up.id])) == 1
        (again,) = await drive(queue.claim(1, KINDS))
        await drive(queue.finish(late))
        assert (again.attempts, await drive(queue.counts())) == (1, {"running": 1})

    async def test_a_worker_keeps_what_it_works_on(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, drive: Drive
    ) -> None:
        """A lease is renewed as long as it is held, also a little late, and never again once it was lost."""
        await drive(queue_job(ledger, KIND, {}))
        (mine,) = await drive(queue.claim(1, KINDS))
        for wait in (LEASE_S - 1, LEASE_S + 1, LEASE_S - 1):
            clock.wait(wait)
            assert await drive(queue.renew(mine.lease)) is True
            assert await drive(queue.claim(1, KINDS)) == []
        clock.wait(LEASE_S)
        (theirs,) = await drive(queue.claim(1, KINDS))
        assert await drive(queue.renew(mine.lease)) is False
        await drive(queue.finish(theirs))
        assert await drive(queue.renew(theirs.lease)) is False

    async def test_a_job_whose_words_change_is_begun_anew(
        self, ledger: SQLLedger, queue: SQLJobs, drive: Drive
    ) -> None:
        """At once, by whoever comes first; who was at it has lost it."""
        await drive(ledger.append(ALICE, lambda writer: writer.enqueue(KIND, {}, START, b"the pin is 4711")))
        (mine,) = await drive(queue.claim(1, KINDS))
        changing = ledger.append(ALICE, lambda writer: writer.redact_jobs(KIND, lambda _: b"the pin is gone"))
        assert await drive(changing) == 1
        (again,) = await drive(queue.claim(1, KINDS))
        assert (again.id, await drive(queue.renew(mine.lease))) == (mine.id, False)

    async def test_one_waiting_job_serves_all_who_ask_for_it(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, drive: Drive
    ) -> None:
        """It is due when the most hurried wants it; one that is being done is too early, and another one waits."""

        async def ask(wait_s: float, scope: Scope = ALICE) -> None:
            at = clock() + timedelta(seconds=wait_s)
            await drive(ledger.append(scope, lambda writer: writer.enqueue_once(KIND, at)))

        for wait_s, scope in ((9, ALICE), (60, BOB), (5, BOB), (30, ALICE)):
            await ask(wait_s, scope)
        assert await drive(queue.counts()) == {"queued": 1}
        clock.wait(5)
        assert len(await drive(queue.claim(9, KINDS))) == 1
        await ask(0)
        assert await drive(queue.counts()) == {"queued": 1, "running": 1}

    async def test_what_is_unfinished_is_told_to_its_user_alone(
        self, ledger: SQLLedger, queue: SQLJobs, drive: Drive
    ) -> None:
        """Queued, running and failed jobs of one user and one kind; not what is done, nor a namesake's elsewhere."""
        for kept in (memory("a1"), memory("a2"), memory("b1", BOB), memory("t1", Scope("alice", tenant_id="t"))):
            await drive(put(ledger, kept))
        await drive(queue_job(ledger, "other", {}))
        jobs = await drive(queue.claim(1, KINDS))
        await drive(queue.finish(jobs[0]))
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

        workers = [jobs_of(queue, {KIND: note}) for _ in range(3)]
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

        jobs = jobs_of(queue, {KIND: feed})
        assert await call(jobs, "run") == JobReport(done=2, failed=1)
        assert await call(jobs, "counts") == {"queued": 2}
        assert {row[9] for row in dump(ledger.database, JOBS)[JOBS.name]} == {kept, None}

    async def test_a_limit_below_one_is_refused(self, queue: SQLJobs, call: Call) -> None:
        """A batch holds at least one job."""
        with pytest.raises(ConfigurationError, match="limit"):
            await call(jobs_of(queue, {}), "run", limit=0)

    async def test_what_was_given_up_is_listed_and_can_be_retried(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, call: Call
    ) -> None:
        """With whose it is, how often it was tried and why it failed, not with what it carries; a retry begins anew."""
        for number, scope in enumerate((ALICE, BOB)):
            run(put(ledger, memory(f"m{number}", scope)))
        handlers: dict[str, Handler] = {KIND: failing}
        jobs = jobs_of(queue, handlers)
        for attempt in range(MAX_ATTEMPTS):
            assert await call(jobs, "run") == JobReport(failed=2)
            clock.wait(2 ** (attempt + 1))
        first, second = await call(jobs, "list", status="failed")
        assert (first.scope, first.kind, first.attempts, first.created_at) == (ALICE, KIND, MAX_ATTEMPTS, START)
        assert (first.error, second.scope) == ("StorageError: away", BOB)
        assert [*await call(jobs, "list", scope=BOB, limit=1)] == [second]
        assert not [*await call(jobs, "list", status="queued"), *await call(jobs, "list", scope=Scope("bo"))]
        assert await call(jobs, "retry", []) == 0
        assert await call(jobs, "retry", [first.id, 77]) == 1
        assert [it.status for it in await call(jobs, "list")] == ["queued", "failed"]
        handlers[KIND] = nothing
        assert await call(jobs, "run") == JobReport(done=1)
        assert await call(jobs, "retry") == 1
        assert (await call(jobs, "run"), [*await call(jobs, "list")]) == (JobReport(done=1), [])

    async def test_however_many_jobs_wait_all_are_listed(self, ledger: SQLLedger, queue: SQLJobs, call: Call) -> None:
        """Each page begins behind the last one of the page before, whichever jobs are asked for."""
        for number in range(5):
            run(put(ledger, memory(f"m{number}", BOB if number == 2 else ALICE)))
        jobs = jobs_of(queue, {})
        every = await call(jobs, "list")
        assert (len(every), await paged(call, jobs)) == (5, [*every])
        assert await paged(call, jobs, status="queued", scope=ALICE) == [it for it in every if it.scope == ALICE]

    async def test_what_is_no_job_cannot_be_listed_or_retried(self, queue: SQLJobs, call: Call) -> None:
        """An unknown status, a limit that is none, ids that are none."""
        refused: tuple[tuple[str, dict[str, Any]], ...] = (
            ("list", {"status": "poisoned"}),
            ("list", {"limit": 0}),
            ("list", {"cursor": 7}),
            ("list", {"scope": "alice"}),
            *(("retry", {"job_ids": ids}) for ids in ("1", ["1"], [True], [0], [2**63], [1] * 1_001)),
        )
        for name, wrong in refused:
            with pytest.raises((ConfigurationError, ScopeError), match=next(iter(wrong))):
                await call(jobs_of(queue, {}), name, **wrong)

    @pytest.mark.parametrize("error", [ConnectionError(), StorageError("away", is_retryable=True)])
    async def test_what_follows_a_write_waits_for_what_is_away_without_end(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, error: Exception, call: Call
    ) -> None:
        """After a month it is waiting, tried every two minutes at least, with no attempt counted; then it is done."""
        run(put(ledger, memory()))
        handlers: dict[str, Handler] = {KIND: raising(error)}
        jobs, tried = jobs_of(queue, handlers), 0
        for wait_s in (5,) * 24 + (120,) * 60 + (86_400,) * 30:
            tried += (await call(jobs, "run")).failed
            clock.wait(wait_s)
        [waiting] = await call(jobs, "list", status="waiting")
        assert (waiting.status, waiting.attempts, str(waiting.error).partition(":")[0]) == (
            "waiting",
            0,
            type(error).__name__,
        )
        assert tried >= 30 + 60 + 4
        assert (await call(jobs, "counts"), [*await call(jobs, "list", status="queued")]) == ({"waiting": 1}, [])
        handlers[KIND] = nothing
        assert (await call(jobs, "run"), await call(jobs, "counts")) == (JobReport(done=1), {})

    async def test_who_finds_what_was_away_makes_the_others_due(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, call: Call
    ) -> None:
        """All that wait of its kind, not those of other kinds, nor what failed by itself."""
        handlers: dict[str, Handler] = {KIND: raising(ConnectionError()), "other": raising(ConnectionError())}
        jobs = jobs_of(queue, handlers)
        run(put(ledger, memory()))
        await call(jobs, "run")
        clock.wait(1.5)
        run(put(ledger, memory("b1", BOB)))
        run(queue_job(ledger, "other", {}))
        await call(jobs, "run")
        clock.wait(0.5)
        handlers.update({KIND: nothing, "other": nothing})
        assert await call(jobs, "run") == JobReport(done=2)
        assert [it.kind for it in await call(jobs, "list")] == ["other"]

    async def test_a_turn_waits_for_days_and_then_its_attempts_count(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, call: Call
    ) -> None:
        """What holds up a user's next turns waits a week for what cannot be reached, a day for what fails."""
        for error, days in ((ConnectionError(), 7), (StorageError("failed", is_retryable=True), 1)):
            run(queue_job(ledger, KIND, {}))
            jobs = jobs_of(queue, {}, slow={KIND: raising(error)})
            for _ in range(24 * days - 1):
                clock.wait(3_600)
                await call(jobs, "run")
            assert await call(jobs, "counts") == {"waiting": 1}
            for _ in range(MAX_ATTEMPTS + 1):
                clock.wait(3_600)
                await call(jobs, "run")
            [given_up] = await call(jobs, "list", status="failed")
            assert given_up.attempts == MAX_ATTEMPTS
            run(queue.finish(run(self._claimed(queue, given_up.id))))

    @staticmethod
    def _claimed(queue: SQLJobs, job_id: int) -> Flow[Job]:
        yield from queue.retry([job_id])
        return (yield from queue.claim(1, [KIND]))[0]

    async def test_an_erasure_is_never_given_up(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, call: Call
    ) -> None:
        """Whatever it fails with, and however often."""
        run(queue_job(ledger, ERASE_JOB, {}))
        handlers: dict[str, Handler] = {ERASE_JOB: failing}
        jobs = jobs_of(queue, {}, slow=handlers)
        for _ in range(3 * MAX_ATTEMPTS):
            assert (await call(jobs, "run")).failed == 1
            clock.wait(86_400)
        handlers[ERASE_JOB] = nothing
        assert (await call(jobs, "run"), await call(jobs, "counts")) == (JobReport(done=1), {})

    async def test_a_run_does_not_try_all_that_wait(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, call: Call
    ) -> None:
        """Where ten in a row met what is away, the rest of the kind is left for the next run; other kinds are done."""
        for number in range(30):
            run(queue_job(ledger, KIND, {"n": number}))
        run(queue_job(ledger, "other", {}))
        jobs = jobs_of(queue, {KIND: raising(ConnectionError()), "other": nothing})
        assert await call(jobs, "run", limit=1) == JobReport(done=1, failed=IN_A_ROW)
        assert await call(jobs, "counts") == {"waiting": IN_A_ROW, "queued": 20}
        assert await call(jobs, "run", limit=1) == JobReport(failed=IN_A_ROW)

    async def test_a_retry_tries_what_waits_at_once(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, call: Call
    ) -> None:
        """Who has mended what was away need not wait for the jobs' time."""
        run(put(ledger, memory()))
        handlers: dict[str, Handler] = {KIND: raising(ConnectionError())}
        jobs = jobs_of(queue, handlers)
        await call(jobs, "run")
        handlers[KIND] = nothing
        assert await call(jobs, "run") == JobReport()
        assert await call(jobs, "retry") == 1
        assert await call(jobs, "run") == JobReport(done=1)

    async def test_whose_user_asks_is_tried_sooner(
        self, ledger: SQLLedger, queue: SQLJobs, clock: StandingClock, drive: Drive
    ) -> None:
        """After ten seconds, though it waits for two minutes; nobody else is given it before."""
        await drive(put(ledger, memory()))
        clock.wait(3_600)
        [job] = await drive(queue.claim(1, KINDS))
        await drive(queue.put_off(job, "away"))
        for wait_s, is_due in ((9, False), (1, True)):
            clock.wait(wait_s)
            assert await drive(queue.claim(1, KINDS)) == []
            assert await drive(queue.outstanding(ALICE, KINDS)) == (is_due, "away")
            assert bool(await drive(queue.claim_of(ALICE, KINDS))) is is_due

    async def test_what_slow_jobs_make_due_waits_for_none_of_them(self, ledger: SQLLedger, queue: SQLJobs) -> None:
        """Between two slow jobs the quick ones are done: a long queue of slow ones holds them up no longer than one."""
        seen: list[str] = []

        def slow(_job: Job) -> Flow[None]:
            seen.append("slow")
            yield from queue_job(ledger, "other", {})

        def quick(job: Job) -> Flow[None]:
            seen.append("quick")
            yield from nothing(job)

        for scope in (ALICE, BOB):
            run(put(ledger, memory(scope=scope)))
        jobs_of(queue, {"other": quick}, slow={KIND: slow}).run()
        assert seen == ["slow", "quick"] * 2


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
        vector = struct.pack("<2f", 0.0, 1.0)
        state = ModelState(name="fake", dimension=2, is_current=True)
        await drive(put_vector(ledger, "m1", state, vector))
        found = await drive(ledger.read(ALICE, lambda reader: reader.search_columns(0, "fake")))
        assert (found.memory_id, found.vectors) == (["m1"], [vector])

    async def test_vectors_added_to_old_memories_move_the_model(self, ledger: SQLLedger, drive: Drive) -> None:
        """Also where the clock stands still; a vector that is written with its memory, and none, move nothing."""
        moved = []
        added: tuple[dict[str, bytes], ...] = ({}, {"m0": b"\x01" * 8}, {"m0": b"\x02" * 8}, {})
        for number, vectors in enumerate(added):
            await drive(put(ledger, memory(f"m{number}")))
            await drive(ledger.append(ALICE, partial(_add_vectors, vectors)))
            [known] = await drive(ledger.read(ALICE, lambda reader: reader.models()))
            moved.append(known.renewed_at)
        assert [late - moved[0] for late in moved] == [0, 1, 2, 2]

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

"""Durable jobs in the ledger's own database: leased, retried, each with a status and its last error."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from uuid import uuid4

from sqlalchemy import Connection, and_, bindparam, delete, or_, select, update

from langchain_agentmem._checks import utc_now
from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.ledger.codec import dump_own, load, to_micros
from langchain_agentmem.ledger.sql.due import (
    AWAY,
    CLAIM,
    CLAIM_OF,
    HASTEN_ROUND,
    IS_ASKED,
    IS_AWAY,
    IS_FIRST,
    NOW,
    OF_USER,
    Claim,
    at_once,
    found,
    overdue,
    put_off,
    time_of,
)
from langchain_agentmem.ledger.sql.job_states import DONE, JobState, JobStatus, counts, scope_of, states
from langchain_agentmem.ledger.sql.rows import micros, moment
from langchain_agentmem.ledger.sql.upserts import insert_or_ignore
from langchain_agentmem.ledger.standing import UNENDING_JOBS
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import JOBS, SUBJECTS
from langchain_agentmem.types import Scope

LOGGER: Final = logging.getLogger("langchain_agentmem")

LEASE_S: Final = 60.0
"""A job whose worker is not heard of for so long is given to another; it is heard of while it works, see `renew`."""

_LEASE: Final = timedelta(seconds=LEASE_S)

MAX_ATTEMPTS: Final = 8
_BACKOFF_S: Final = 2.0
_LOST: Final = "its worker ended without a word, at the last of all attempts"
_GIVEN_UP_LOG: Final = "job %s (%s) is given up: %s; jobs.list(status='failed') has it, jobs.retry queues it again"
_NO_TEXT: Final = "IntegrityError: what the job carries is no text any more"
_ALONE_FROM: Final = MAX_ATTEMPTS // 2
"""After so many attempts a job is leased alone, so that none of the rest is lost with another's worker."""

KEPT_FOR: Final = timedelta(days=3)
"""So long: a run that was killed on a Friday is resumed on Monday."""

_OUTSTANDING: Final = (
    select(or_(JOBS.c.status == "running", JOBS.c.run_at <= NOW, IS_ASKED).label("is_at_hand"), JOBS.c.error)
    .join(SUBJECTS, SUBJECTS.c.subject_id == JOBS.c.subject_id)
    .where(
        OF_USER,
        JOBS.c.kind.in_(bindparam("kinds", expanding=True)),
        JOBS.c.status.in_(["queued", "running"]),
        IS_FIRST,
    )
)
_UNFINISHED: Final = (
    select(JOBS.c.payload)
    .join(SUBJECTS, SUBJECTS.c.subject_id == JOBS.c.subject_id)
    .where(OF_USER, JOBS.c.kind == bindparam("kind"), JOBS.c.status.in_(["queued", "running", "failed"]))
)
_ANY_UNFINISHED: Final = (
    select(JOBS.c.job_id)
    .where(JOBS.c.kind == bindparam("kind"), JOBS.c.status.in_(["queued", "running", "failed"]))
    .limit(1)
)
_LEASED: Final = and_(JOBS.c.lease_owner == bindparam("lease"), JOBS.c.status == "running")
IS_HELD: Final = and_(JOBS.c.job_id == bindparam("id"), _LEASED)
"""Whether a worker still has a job: a lease is never given out twice, and what is given up is nobody's."""
_DELETE: Final = delete(JOBS).where(IS_HELD)
_UPDATE: Final = update(JOBS).where(IS_HELD)
_RENEW: Final = update(JOBS).where(_LEASED).values(lease_until=bindparam("until"))
_FREE: Final[dict[str, Any]] = {"lease_owner": None, "lease_until": None}
_RELEASE: Final = update(JOBS).where(_LEASED).values(status="queued", attempts=JOBS.c.attempts - 1, **_FREE)
_GIVEN_UP: Final[dict[str, Any]] = {"status": "failed", **_FREE}
_SWEEP: Final = delete(JOBS).where(JOBS.c.status == DONE, JOBS.c.run_at < bindparam("before"))
_AT_ONCE: Final[dict[str, Any]] = {"run_at": NOW, **_FREE}
_RETRY: Final = (
    update(JOBS).where(or_(JOBS.c.status == "failed", IS_AWAY)).values(status="queued", attempts=0, **_AT_ONCE)
)
_HASTEN: Final = update(JOBS).where(IS_AWAY, JOBS.c.kind == bindparam("of")).values(_AT_ONCE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One piece of work, of one subject or (`scope` is `None`) of all, held by a worker under a `lease`.

    A standing job's payload says when its last turn that was done began: `begun_at`, in microseconds. `was_away`: at
    its last attempt something was away that it needs.
    """

    id: int
    kind: str
    scope: Scope | None
    payload: dict[str, Any]
    attempts: int
    lease: str = field(default="", compare=False)
    claimed_at: datetime | None = field(default=None, compare=False)
    created_at: datetime | None = field(default=None, compare=False)
    was_away: bool = field(default=False, compare=False)


class Standing(NamedTuple):
    """A standing job: its id, below 0, and how long it is from the end of a turn to the next."""

    id: int
    kind: str
    every: timedelta


class SQLJobs:
    """The queue: claimed under a lease, `SKIP LOCKED` on PostgreSQL, the write lock on SQLite.

    A standing job has an id below 0, which the database gives to none: so there is one of it. It is never done and
    never given up, only queued for its next turn.
    """

    def __init__(
        self,
        database: Database,
        clock: Callable[[], datetime],
        lease_clock: Callable[[Connection], datetime] | None = None,
    ) -> None:
        """Nothing is opened yet.

        Args:
            database: Where jobs wait.
            clock: When they are due.
            lease_clock: How long a worker has them: who is slow by more than a lease would lose each at once. `None`:
                by the database's clock; a `clock` of the application's is the time of leases, too.
        """
        self._database = database
        self._clock = clock
        self._lease_now = lease_clock or (time_of if clock is utc_now else lambda _: clock())

    def claim(
        self, limit: int, kinds: Sequence[str], lasts: timedelta = _LEASE, *, in_order: bool = False
    ) -> Flow[list[Job]]:
        """Lease jobs of some kinds, none that another worker holds: what a worker left, else those due longest.

        They share one lease, a new one.

        A job whose workers ended without a word at every attempt is given up like one that failed, and so is one whose
        payload cannot be read; the log says so. What a user asked to have deleted never is. One that may have ended its
        worker is leased alone: it costs no other job an attempt.

        Args:
            limit: Jobs at most.
            kinds: What the worker can do.
            lasts: How long the jobs are its own, unless it renews the lease.
            in_order: Of each subject and kind only the first that is neither done nor given up: no two workers have
                jobs of one subject, and what comes back later holds up what was queued after it.
        """

        def claimed(connection: Connection) -> _Claimed:
            wanted = {"kinds": list(kinds), "limit": limit}
            return self._claim(connection, CLAIM[in_order], wanted, lasts)

        return (yield from self._told(claimed))

    def claim_of(self, scope: Scope, kinds: Sequence[str]) -> Flow[list[Job]]:
        """Lease the first due job of a user of one of these kinds, in their order; none that another worker holds."""
        wanted = {"kinds": list(kinds), "limit": 1, "tenant": scope.tenant_id, "user": scope.user_id}
        return (yield from self._told(lambda connection: self._claim(connection, CLAIM_OF, wanted, _LEASE)))

    def outstanding(self, scope: Scope, kinds: Sequence[str]) -> Flow[tuple[bool, str | None] | None]:
        """Whether a user's jobs of these kinds can be done by now, and why one failed. `None`: none is left."""
        values = {"kinds": list(kinds), "tenant": scope.tenant_id, "user": scope.user_id, "now": micros(self._clock())}
        found = yield from self._database.read(lambda connection: connection.execute(_OUTSTANDING, values).all())
        if not found:
            return None
        return any(row.is_at_hand for row in found), next((row.error for row in found if row.error), None)

    def renew(self, lease: str) -> Flow[bool]:
        """Keep the jobs of a lease for as long again; return whether any is still held under it."""

        def renewed(connection: Connection) -> bool:
            values = {"lease": lease, "until": micros(self._lease_now(connection) + _LEASE)}
            return connection.execute(_RENEW, values).rowcount > 0

        return (yield from self._database.write(renewed))

    def release(self, lease: str) -> Flow[None]:
        """Give back the jobs still held under a lease, as if they had not been begun: their worker was broken off."""
        yield from self._database.write(lambda connection: connection.execute(_RELEASE, {"lease": lease}).rowcount)

    def stand(self, rounds: Sequence[Standing]) -> Flow[None]:
        """See that these standing jobs are there; a new one is due at once, and so is one that a wrong clock put off.

        That is one whose next time is further away than it comes round: who queued or leased it had another time.
        """
        now = self._clock()
        row = {"payload": "{}", "status": "queued", "attempts": 0, "run_at": at_once(now), "created_at": micros(now)}
        rows = [{**row, "job_id": it.id, "kind": it.kind} for it in rounds]

        def stood(connection: Connection) -> None:
            lease_now = self._lease_now(connection)
            late = [{"id": it.id, **overdue(it.every, now, lease_now)} for it in rounds]
            connection.execute(insert_or_ignore(connection.dialect.name, JOBS), rows)
            connection.execute(HASTEN_ROUND, late)

        yield from self._database.write(stood)

    def again(self, job: Job, wait: timedelta) -> Flow[None]:
        """Queue a standing job that is done for its next turn, unless its lease was lost."""
        run_at = micros(self._clock() + wait)
        begun = dump_own({"begun_at": to_micros(job.claimed_at)}).decode()
        yield from self._free(job, status="queued", attempts=0, error=None, run_at=run_at, payload=begun)

    def finish(self, job: Job) -> Flow[None]:
        """Remove a job that is done, unless its lease was lost."""
        mine = {"id": job.id, "lease": job.lease}
        yield from self._database.write(lambda connection: connection.execute(_DELETE, mine).rowcount)

    def fail(self, job: Job, error: str) -> Flow[None]:
        """Put a job back for later, or give it up after its last attempt; `error` is kept for whoever looks.

        What is given up is told to the log.

        Nothing changes where the lease was lost: then the job is another worker's, or given up.
        """
        wait = timedelta(seconds=_BACKOFF_S ** min(job.attempts, MAX_ATTEMPTS))
        is_last = _is_last(job.id, job.kind, job.attempts)
        status = "failed" if is_last else "queued"
        yield from self._free(job, status=status, error=error, run_at=micros(self._clock() + wait))
        if is_last:
            LOGGER.error(_GIVEN_UP_LOG, job.id, job.kind, error)

    def age(self, job: Job) -> timedelta:
        """Return how long ago a job was queued."""
        now = self._clock()
        return now - (job.created_at or now)

    def put_off(self, job: Job, error: str) -> Flow[None]:
        """Put back a job that needs something that is away, and do not count the attempt; see `fail`.

        It waits as long again as it has waited, two minutes at most.
        """
        waits = put_off(self.age(job), self._clock())
        yield from self._free(job, status="queued", attempts=job.attempts - 1, error=error, **waits)

    def hasten(self, kind: str) -> Flow[None]:
        """Make jobs of a kind due that wait for something that was away: one of them has found it."""
        values = {"of": kind, "now": at_once(self._clock())}
        yield from self._database.write(lambda connection: connection.execute(_HASTEN, values).rowcount)

    def retry(self, job_ids: Sequence[int] | None) -> Flow[int]:
        """Queue jobs that were given up, or wait for something that was away, with all attempts before them.

        Args:
            job_ids: These; `None`: all.

        Returns:
            How many.
        """
        chosen = _RETRY if job_ids is None else _RETRY.where(JOBS.c.job_id.in_(job_ids))
        now = at_once(self._clock())
        return (yield from self._database.write(lambda connection: connection.execute(chosen, {"now": now}).rowcount))

    def sweep(self) -> Flow[int]:
        """Forget the keys of jobs that were done long ago; return how many."""
        before = micros(self._clock() - KEPT_FOR)
        return (
            yield from self._database.write(lambda connection: connection.execute(_SWEEP, {"before": before}).rowcount)
        )

    def states(
        self, status: JobStatus | None, scope: Scope | None, limit: int, after: int | None = None
    ) -> Flow[list[JobState]]:
        """Return how jobs stand behind the one of an id, in the order in which they were queued."""
        return (yield from self._database.read(lambda connection: states(connection, status, scope, limit, after)))

    def unfinished(self, scope: Scope, kind: str) -> Flow[list[dict[str, Any] | None]]:
        """Return the payloads of a user's jobs of a kind that are not done; `None` for one that cannot be read."""
        values = {"tenant": scope.tenant_id, "user": scope.user_id, "kind": kind}
        found = yield from self._database.read(lambda connection: connection.execute(_UNFINISHED, values).all())
        return [readable(row.payload) for row in found]

    def is_unfinished(self, kind: str) -> Flow[bool]:
        """Whether any job of a kind is not done."""
        found = yield from self._database.read(
            lambda connection: connection.execute(_ANY_UNFINISHED, {"kind": kind}).first()
        )
        return found is not None

    def counts(self) -> Flow[dict[str, int]]:
        """Return how many jobs there are of each status; a standing one that waits for its turn is none."""
        return (yield from self._database.read(counts))

    def _told(self, claim: Callable[[Connection], _Claimed]) -> Flow[list[Job]]:
        """Lease jobs, and tell the log what nobody else hears of: workers that end say nothing."""
        claimed = yield from self._database.write(claim)
        for job_id, kind, why in claimed.given_up:
            LOGGER.error(_GIVEN_UP_LOG, job_id, kind, why)
        for job in claimed.jobs:
            if job.attempts > MAX_ATTEMPTS:
                LOGGER.error("job %s (%s) has ended its worker at %s attempts", job.id, job.kind, job.attempts - 1)
        return claimed.jobs

    def _claim(self, connection: Connection, claim: Claim, wanted: Mapping[str, Any], lasts: timedelta) -> _Claimed:
        now = self._clock()
        lease_now = self._lease_now(connection)
        lease = uuid4().hex
        leased = {"lease_owner": lease, "lease_until": micros(lease_now + lasts), "status": "running"}
        jobs: list[Job] = []
        given_up: list[tuple[int, str, str]] = []
        for rows in found(connection, claim, {"now": micros(now), "lease_now": micros(lease_now), **wanted}):
            for row in _together(rows):
                job = _LOST if _is_last(row.job_id, row.kind, row.attempts) else _job(row, lease, now)
                if isinstance(job, Job):
                    jobs.append(job)
                    values: dict[str, Any] = {"attempts": job.attempts, **leased}
                else:
                    given_up.append((row.job_id, row.kind, job))
                    values = {"error": job, **_GIVEN_UP}
                connection.execute(update(JOBS).where(JOBS.c.job_id == row.job_id).values(values))
            if jobs:
                break
        return _Claimed(jobs, given_up)

    def _free(self, job: Job, **values: Any) -> Flow[None]:
        mine = {"id": job.id, "lease": job.lease}
        freed = _UPDATE.values({**_FREE, **values})
        yield from self._database.write(lambda connection: connection.execute(freed, mine).rowcount)


class _Claimed(NamedTuple):
    """What was leased, and what was given up in its place: by id, kind and reason."""

    jobs: list[Job]
    given_up: list[tuple[int, str, str]]


def _is_last(job_id: int, kind: str, attempts: int) -> bool:
    """Whether there is no attempt after so many; a standing job always has one, and what deletes for a user."""
    return job_id > 0 and kind not in UNENDING_JOBS and attempts >= MAX_ATTEMPTS


def _together(rows: Sequence[Any]) -> Iterator[Any]:
    """Yield what may be leased at once, in order: what may have ended its worker ends no other job's with it."""
    is_begun = False
    for row in rows:
        is_lost = _is_last(row.job_id, row.kind, row.attempts)
        was_held = row.status == "running"  # and its worker is not heard of any more
        is_alone = not is_lost and (was_held or row.attempts >= _ALONE_FROM)
        if is_alone and is_begun:
            return
        yield row
        if is_alone:
            return
        is_begun = is_begun or not is_lost


def _job(row: Any, lease: str, now: datetime) -> Job | str:  # noqa: ANN401  (a row of a join has no type of its own)
    """Return a job, or why it is none; a standing one is never given up, and forgets when it was begun."""
    try:
        payload = load(row.payload.encode())
    except (IntegrityError, AttributeError) as error:  # SQLite keeps bytes where a text belongs
        if row.job_id > 0:
            return f"IntegrityError: {error}" if isinstance(error, IntegrityError) else _NO_TEXT
        payload = {}
    return Job(
        id=row.job_id,
        kind=row.kind,
        scope=scope_of(row),
        payload=payload,
        attempts=row.attempts + 1,
        lease=lease,
        claimed_at=now,
        created_at=moment(row.created_at),
        was_away=row.lease_owner == AWAY,
    )


def readable(payload: Any) -> dict[str, Any] | None:  # noqa: ANN401  (SQLite keeps anything)
    """Return what a job carries, or `None` where somebody changed it."""
    try:
        return load(payload.encode())
    except (IntegrityError, AttributeError):
        return None

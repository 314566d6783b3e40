"""Durable jobs in the ledger's own database: leased, retried, each with a status and its last error."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import (
    BindParameter,
    Connection,
    Select,
    and_,
    bindparam,
    delete,
    exists,
    func,
    not_,
    or_,
    select,
    update,
)

from langchain_agentmem._flow import Flow
from langchain_agentmem.ledger.codec import load
from langchain_agentmem.ledger.sql.rows import micros
from langchain_agentmem.ledger.sql.upserts import insert_or_ignore
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import JOBS, SUBJECTS
from langchain_agentmem.types import Scope

LEASE_S: Final = 60.0
"""A job whose worker is not heard of for so long is given to another."""

_LEASE: Final = timedelta(seconds=LEASE_S)

MAX_ATTEMPTS: Final = 8
_BACKOFF_S: Final = 2.0
_LOST: Final = "its worker ended without a word, at the last of all attempts"

_NOW: Final[BindParameter[int]] = bindparam("now")
_DUE: Final = or_(
    and_(JOBS.c.status == "queued", JOBS.c.run_at <= _NOW), and_(JOBS.c.status == "running", JOBS.c.lease_until <= _NOW)
)
_CANDIDATES: Final = (
    select(JOBS, SUBJECTS.c.tenant_id, SUBJECTS.c.user_id)
    .outerjoin(SUBJECTS, SUBJECTS.c.subject_id == JOBS.c.subject_id)
    .where(_DUE, JOBS.c.kind.in_(bindparam("kinds", expanding=True)))
    .order_by(JOBS.c.job_id)
    .limit(bindparam("limit"))
    .with_for_update(skip_locked=True, of=JOBS)
)
_EARLIER: Final = JOBS.alias("earlier")
_IS_FIRST: Final = not_(
    exists().where(
        _EARLIER.c.subject_id == JOBS.c.subject_id,
        _EARLIER.c.kind == JOBS.c.kind,
        _EARLIER.c.job_id < JOBS.c.job_id,
        _EARLIER.c.status.in_(["queued", "running"]),
    )
)
_CLAIM: Final = {False: _CANDIDATES, True: _CANDIDATES.where(_IS_FIRST)}
"""By whether the jobs of a subject are done in the order in which they were queued."""
_OF_USER: Final = and_(SUBJECTS.c.tenant_id == bindparam("tenant"), SUBJECTS.c.user_id == bindparam("user"))
_UNFINISHED: Final = (
    select(JOBS.c.payload)
    .join(SUBJECTS, SUBJECTS.c.subject_id == JOBS.c.subject_id)
    .where(_OF_USER, JOBS.c.kind == bindparam("kind"), JOBS.c.status.in_(["queued", "running", "failed"]))
)
_ANY_UNFINISHED: Final = (
    select(JOBS.c.job_id)
    .where(JOBS.c.kind == bindparam("kind"), JOBS.c.status.in_(["queued", "running", "failed"]))
    .limit(1)
)
_IS_STANDING: Final = JOBS.c.job_id < 0
_COUNTS: Final = (
    select(JOBS.c.status, func.count())
    .where(not_(and_(_IS_STANDING, JOBS.c.status == "queued")))
    .group_by(JOBS.c.status)
)
_DELETE: Final = delete(JOBS).where(JOBS.c.job_id == bindparam("id"), JOBS.c.lease_owner == bindparam("owner"))
_UPDATE: Final = update(JOBS).where(JOBS.c.job_id == bindparam("id"), JOBS.c.lease_owner == bindparam("owner"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One piece of work, of one subject or (`scope` is `None`) of all, leased to a worker, its `owner`."""

    id: int
    kind: str
    scope: Scope | None
    payload: dict[str, Any]
    attempts: int
    owner: str = field(default="", compare=False)


class SQLJobs:
    """The queue: claimed under a lease, `SKIP LOCKED` on PostgreSQL, the write lock on SQLite.

    A standing job has an id below 0, which the database gives to none: so there is one of it. It is never done and
    never given up, only queued for its next turn.
    """

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        """Nothing is opened yet."""
        self._database = database
        self._clock = clock

    def claim(
        self, owner: str, limit: int, kinds: Sequence[str], lease: timedelta = _LEASE, *, in_order: bool = False
    ) -> Flow[list[Job]]:
        """Lease due jobs of some kinds, oldest first; none that another worker holds.

        A job whose workers ended without a word at every attempt is given up like one that failed.

        Args:
            owner: The worker.
            limit: Jobs at most.
            kinds: What it can do.
            lease: How long a job is its own.
            in_order: Of each subject and kind only the first that is neither done nor given up: no two workers have
                jobs of one subject, and what comes back later holds up what was queued after it.
        """

        def claimed(connection: Connection) -> list[Job]:
            wanted = {"kinds": list(kinds), "limit": limit}
            return self._claim(connection, _CLAIM[in_order], wanted, owner=owner, lease=lease)

        return (yield from self._database.write(claimed))

    def stand(self, jobs: Mapping[int, str]) -> Flow[None]:
        """See that these standing jobs are there, each an id with its kind; a new one is due at once."""
        now = micros(self._clock())
        row = {"payload": "{}", "status": "queued", "attempts": 0, "run_at": now, "created_at": now}
        rows = [{**row, "job_id": id, "kind": kind} for id, kind in jobs.items()]
        yield from self._database.write(
            lambda connection: connection.execute(insert_or_ignore(connection.dialect.name, JOBS), rows).rowcount
        )

    def again(self, job: Job, owner: str, wait: timedelta) -> Flow[None]:
        """Queue a standing job that is done for its next turn, unless its lease went to another worker."""
        run_at = micros(self._clock() + wait)
        yield from self._set(job, owner, status="queued", attempts=0, error=None, run_at=run_at)

    def finish(self, job: Job, owner: str) -> Flow[None]:
        """Remove a job that is done, unless its lease went to another worker."""
        mine = {"id": job.id, "owner": owner}
        yield from self._database.write(lambda connection: connection.execute(_DELETE, mine).rowcount)

    def fail(self, job: Job, owner: str, error: str) -> Flow[None]:
        """Put a job back for later, or give it up after its last attempt; `error` is kept for whoever looks."""
        wait = timedelta(seconds=_BACKOFF_S ** min(job.attempts, MAX_ATTEMPTS))
        is_last = _is_last(job.id, job.attempts)
        run_at = micros(self._clock() + wait)
        yield from self._set(job, owner, status="failed" if is_last else "queued", error=error, run_at=run_at)

    def unfinished(self, scope: Scope, kind: str) -> Flow[list[dict[str, Any]]]:
        """Return the payloads of a user's jobs of a kind that are not done."""
        values = {"tenant": scope.tenant_id, "user": scope.user_id, "kind": kind}
        found = yield from self._database.read(lambda connection: connection.execute(_UNFINISHED, values).all())
        return [load(row.payload.encode()) for row in found]

    def is_unfinished(self, kind: str) -> Flow[bool]:
        """Whether any job of a kind is not done."""
        found = yield from self._database.read(
            lambda connection: connection.execute(_ANY_UNFINISHED, {"kind": kind}).first()
        )
        return found is not None

    def counts(self) -> Flow[dict[str, int]]:
        """Return how many jobs there are of each status; a standing one that waits for its turn is none."""
        found = yield from self._database.read(lambda connection: connection.execute(_COUNTS).all())
        return {status: int(count) for status, count in found}

    def _claim(
        self,
        connection: Connection,
        statement: Select[Any],
        wanted: Mapping[str, Any],
        *,
        owner: str,
        lease: timedelta,
    ) -> list[Job]:
        now = self._clock()
        rows: Sequence[Any] = connection.execute(statement, {"now": micros(now), **wanted}).all()
        leased = {"lease_owner": owner, "lease_until": micros(now + lease), "status": "running"}
        for row in rows:
            is_lost = _is_last(row.job_id, row.attempts)
            values = {"status": "failed", "error": _LOST} if is_lost else {**leased, "attempts": row.attempts + 1}
            connection.execute(update(JOBS).where(JOBS.c.job_id == row.job_id).values(values))
        return [_job(row, owner) for row in rows if not _is_last(row.job_id, row.attempts)]

    def _set(self, job: Job, owner: str, **values: Any) -> Flow[None]:
        changes = {"id": job.id, "owner": owner}
        yield from self._database.write(
            lambda connection: connection.execute(_UPDATE.values(**values), changes).rowcount
        )


def _is_last(job_id: int, attempts: int) -> bool:
    """Whether there is no attempt after so many; a standing job always has one."""
    return job_id > 0 and attempts >= MAX_ATTEMPTS


def _job(row: Any, owner: str) -> Job:  # noqa: ANN401  (a row of a join has no type of its own)
    scope = None if row.user_id is None else Scope(row.user_id, tenant_id=row.tenant_id)
    payload = load(row.payload.encode())
    return Job(id=row.job_id, kind=row.kind, scope=scope, payload=payload, attempts=row.attempts + 1, owner=owner)

"""When a job may be begun, and how those that may be are found in the order of their times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from heapq import merge
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Select,
    and_,
    bindparam,
    exists,
    func,
    not_,
    or_,
    select,
    update,
)

from langchain_agentmem._checks import utc_now
from langchain_agentmem.ledger.codec import to_micros
from langchain_agentmem.ledger.sql.rows import micros, moment
from langchain_agentmem.sql.schema import JOBS, SUBJECTS

_BEFORE_ALL_CLOCKS: Final = 60_000_000_000_000_000
"""Some 1,900 years, in microseconds: a time moved back by it is past by any clock, and is a time still."""

SLACK: Final = timedelta(minutes=1)
"""So far the clocks of two hosts may be apart before one of them counts as wrong."""

NOW: Final[BindParameter[int]] = bindparam("now")
_IS_LEFT: Final = and_(JOBS.c.status == "running", JOBS.c.lease_until <= bindparam("lease_now"))
_WAITS: Final = JOBS.c.status == "queued"

AWAY: Final = "away"
"""Stands as the owner of a job that nobody holds: it waits for something that is away. Asked for, it is tried sooner
than its time, from its `lease_until` on."""

IS_AWAY: Final = and_(_WAITS, JOBS.c.lease_owner == AWAY)
IS_ASKED: Final = and_(IS_AWAY, JOBS.c.lease_until <= NOW)
_IS_DUE: Final = (_IS_LEFT, and_(_WAITS, JOBS.c.run_at >= 0, JOBS.c.run_at <= NOW), and_(_WAITS, JOBS.c.run_at < 0))
"""What a worker left, what waited for its time, and what was queued to be done at once: looked for one after the other,
for then an index gives them in order, and the longest queue costs no more than its first job."""
_EARLIER: Final = JOBS.alias("earlier")
IS_FIRST: Final = not_(
    exists().where(
        _EARLIER.c.subject_id == JOBS.c.subject_id,
        _EARLIER.c.kind == JOBS.c.kind,
        _EARLIER.c.job_id < JOBS.c.job_id,
        _EARLIER.c.status.in_(["queued", "running"]),
    )
)
_IS_DUE_OF: Final = (_IS_DUE[0], or_(_IS_DUE[1], and_(IS_ASKED, JOBS.c.run_at >= 0)), _IS_DUE[2])
OF_USER: Final = and_(SUBJECTS.c.tenant_id == bindparam("tenant"), SUBJECTS.c.user_id == bindparam("user"))


_TIME: Final = select(func.clock_timestamp())


class Claim(NamedTuple):
    """The statements that find and lock due jobs, by why they are due."""

    left: Select[Any]
    timed: Select[Any]
    at_once: Select[Any]


def _claim(*conditions: ColumnElement[bool], due: Sequence[ColumnElement[bool]] = _IS_DUE) -> Claim:
    candidates = (
        select(JOBS, SUBJECTS.c.tenant_id, SUBJECTS.c.user_id)
        .outerjoin(SUBJECTS, SUBJECTS.c.subject_id == JOBS.c.subject_id)
        .where(JOBS.c.kind.in_(bindparam("kinds", expanding=True)), *conditions)
        .order_by(JOBS.c.run_at, JOBS.c.job_id)
        .limit(bindparam("limit"))
        .with_for_update(skip_locked=True, of=JOBS)
    )
    return Claim(*(candidates.where(it) for it in due))


CLAIM: Final = {False: _claim(), True: _claim(IS_FIRST)}
"""By whether the jobs of a subject are done in the order in which they were queued."""
CLAIM_OF: Final = _claim(IS_FIRST, OF_USER, due=_IS_DUE_OF)

HASTEN_ROUND: Final = (
    update(JOBS)
    .where(
        JOBS.c.job_id == bindparam("id"),
        or_(
            and_(JOBS.c.status == "queued", JOBS.c.run_at > bindparam("latest")),
            and_(JOBS.c.status == "running", JOBS.c.lease_until > bindparam("latest_lease")),
        ),
    )
    .values(status="queued", run_at=bindparam("at"), lease_owner=None, lease_until=None)
)
"""Of a round that a wrong clock put off: further away than it comes round, it is due, and nobody's."""


LONGEST_WAIT: Final = timedelta(minutes=2)
"""As long as a job waits at most before what is away is asked again."""

ASKED_WAIT: Final = timedelta(seconds=10)
"""As long as it waits where its user asks for what it leaves: as the rest that is given to what did not answer."""

_FIRST_WAIT: Final = timedelta(seconds=2)


def put_off(age: timedelta, now: datetime) -> dict[str, Any]:
    """Return the values of a job that waits for something that is away: as long again as it has, within bounds."""
    wait = min(max(age, _FIRST_WAIT), LONGEST_WAIT)
    asked = now + min(wait, ASKED_WAIT)
    return {"run_at": micros(now + wait), "lease_owner": AWAY, "lease_until": micros(asked)}


def at_once(now: datetime) -> int:
    """Return the time of a job that waits for nothing, as it is kept: none can put it off whose clock is another."""
    return min(micros(now) - _BEFORE_ALL_CLOCKS, -1)


def run_at_of(run_at: datetime | None, now: datetime) -> int:
    """Return when a job may be begun, as it is kept; `None`: at once."""
    return at_once(now) if run_at is None else max(micros(run_at), 0)


def due_at(row: Any) -> datetime:  # noqa: ANN401  (a row of a join has no type of its own)
    """Return since when a job is due, or will be: what was to be done at once is, since it was queued."""
    return moment(_due_at(row))


def overdue(every: timedelta, now: datetime, lease_now: datetime) -> dict[str, int | None]:
    """Return the values that tell a round that a wrong clock put off, and make it due."""
    far = every + SLACK
    return {"latest": to_micros(now + far), "latest_lease": to_micros(lease_now + far), "at": at_once(now)}


def time_of(connection: Connection) -> datetime:
    """Return the database's own time, which is the same for every host; of SQLite, this host's."""
    if connection.dialect.name != "postgresql":
        return utc_now()
    told: datetime = connection.execute(_TIME).scalar_one()
    return told.astimezone(UTC)


def found(connection: Connection, claim: Claim, values: Mapping[str, Any]) -> Iterator[Sequence[Any]]:
    """Yield due jobs until none is left: where none of those found can be done, there are others behind them."""
    while left := connection.execute(claim.left, values).all():
        yield left
    while waiting := _waiting(connection, claim, values):
        yield waiting


def _waiting(connection: Connection, claim: Claim, values: Mapping[str, Any]) -> Sequence[Any]:
    """Return what waited, those first that have been due longest: what comes back goes behind what was there."""
    each = [connection.execute(statement, values).all() for statement in (claim.timed, claim.at_once)]
    return [*merge(*each, key=_due_at)][: values["limit"]]


def _due_at(row: Any) -> int:  # noqa: ANN401  (likewise)
    return int(row.run_at if row.run_at >= 0 else row.created_at)

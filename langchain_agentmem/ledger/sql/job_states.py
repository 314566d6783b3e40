"""How jobs stand, for whoever looks at the queue: never what a job carries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias

from sqlalchemy import ColumnElement, Connection, and_, bindparam, case, func, not_, select

from langchain_agentmem.ledger.sql.due import AWAY, IS_AWAY, due_at
from langchain_agentmem.ledger.sql.rows import moment
from langchain_agentmem.sql.schema import JOBS, SUBJECTS
from langchain_agentmem.types import Scope

JobStatus: TypeAlias = Literal["queued", "waiting", "running", "failed"]
DONE: Final = "done"
"""What is left of a job that was queued with a key: the key, so that it is not queued and done again."""

_IS_STANDING: Final = JOBS.c.job_id < 0
_IS_ROUND_TO_COME: Final = and_(_IS_STANDING, JOBS.c.status == "queued", JOBS.c.error.is_(None))
_COUNTS: Final = (
    select(case((IS_AWAY, "waiting"), else_=JOBS.c.status).label("shown"), func.count())
    .where(not_(and_(_IS_STANDING, JOBS.c.status == "queued")), JOBS.c.status != DONE)
    .group_by("shown")
)
_SHOWN: Final = ("job_id", "kind", "status", "attempts", "error", "run_at", "created_at", "lease_owner")
_STATES: Final = (
    select(*(JOBS.c[name] for name in _SHOWN), SUBJECTS.c.tenant_id, SUBJECTS.c.user_id)
    .outerjoin(SUBJECTS, SUBJECTS.c.subject_id == JOBS.c.subject_id)
    .where(not_(_IS_ROUND_TO_COME), JOBS.c.status != DONE)
    .order_by(JOBS.c.job_id)
    .limit(bindparam("limit"))
)
_OF_STATUS: Final[Mapping[JobStatus, ColumnElement[bool]]] = {
    "queued": and_(JOBS.c.status == "queued", JOBS.c.lease_owner.is_(None)),
    "waiting": IS_AWAY,
    "running": JOBS.c.status == "running",
    "failed": JOBS.c.status == "failed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JobState:
    """How a job stands.

    Attributes:
        scope: Whose it is; `None`: everybody's.
        status: `queued` (also to be tried again), `waiting` for something that is away, `running`, or `failed`: given
            up until somebody retries it.
        attempts: How often it was begun, but for attempts that met something that is away.
        error: Why the last attempt failed, in words that quote nobody; `None`: none has.
        due_at: When it is begun at the earliest.
    """

    id: int
    kind: str
    scope: Scope | None
    status: JobStatus
    attempts: int
    error: str | None
    due_at: datetime
    created_at: datetime


def states(
    connection: Connection, status: JobStatus | None, scope: Scope | None, limit: int, after: int | None = None
) -> list[JobState]:
    """Return how jobs stand behind the one of an id, in the order in which they were queued; no round to come."""
    chosen = _STATES if status is None else _STATES.where(_OF_STATUS[status])
    if after is not None:
        chosen = chosen.where(JOBS.c.job_id > after)
    if scope is not None:
        chosen = chosen.where(SUBJECTS.c.tenant_id == scope.tenant_id, SUBJECTS.c.user_id == scope.user_id)
    return [_state(row) for row in connection.execute(chosen, {"limit": limit})]


def counts(connection: Connection) -> dict[str, int]:
    """Return how many jobs there are of each status; a standing one that waits for its turn is none."""
    return {status: int(count) for status, count in connection.execute(_COUNTS)}


def _state(row: Any) -> JobState:  # noqa: ANN401  (a row of a join has no type of its own)
    return JobState(
        id=row.job_id,
        kind=row.kind,
        scope=scope_of(row),
        status="waiting" if row.status == "queued" and row.lease_owner == AWAY else row.status,
        attempts=row.attempts,
        error=row.error,
        due_at=due_at(row),
        created_at=moment(row.created_at),
    )


def scope_of(row: Any) -> Scope | None:  # noqa: ANN401  (likewise)
    """Return whose a job is; `None`: everybody's."""
    return None if row.user_id is None else Scope(row.user_id, tenant_id=row.tenant_id)

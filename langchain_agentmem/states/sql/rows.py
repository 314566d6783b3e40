"""Statements of the SQL states."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Final

from sqlalchemy import BindParameter, Integer, LargeBinary, Select, and_, bindparam, delete, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql import ClauseElement

from langchain_agentmem.sql.prepared import Prepared
from langchain_agentmem.sql.schema import STATES

SWEEP_BATCH: Final = 100
"""States per transaction of a sweep, so that writers need not wait long for it."""

_NOW: Final[BindParameter[int]] = bindparam("now", type_=STATES.c.expires_at.type)
_IS_USERS: Final = and_(STATES.c.tenant_id == bindparam("tenant"), STATES.c.user_id == bindparam("user"))
_IS_IT: Final = and_(_IS_USERS, STATES.c.session_id == bindparam("session"))
_IS_LIVE: Final = STATES.c.expires_at > _NOW
_REF: Final[BindParameter[int]] = bindparam("ref")
_REFS: Final[BindParameter[int]] = bindparam("refs", expanding=True)


def _number(name: str) -> BindParameter[int]:
    return bindparam(name, type_=STATES.c.version.type)


def _blob(name: str) -> BindParameter[bytes]:
    return bindparam(name, type_=LargeBinary)


def _begin(dialect: ModuleType) -> ClauseElement:
    """Make the row of a state that is not there; either way nobody else changes it until the transaction ends."""
    statement = dialect.insert(STATES).values(
        tenant_id=bindparam("tenant"),
        user_id=bindparam("user"),
        session_id=bindparam("session"),
        version=0,
        accesses=0,
        created_at=_NOW,
        last_used_at=_NOW,
        expires_at=_NOW,
        title=_blob("nothing"),
        sealed=_blob("nothing"),
    )
    done: ClauseElement = statement.on_conflict_do_nothing(index_elements=("tenant_id", "user_id", "session_id"))
    return done


BEGIN: Final = Prepared({"sqlite": _begin(sqlite), "postgresql": _begin(postgresql)})
_STORED: Final = (STATES.c.state_ref, STATES.c.version, STATES.c.sealed, STATES.c.accesses)
SELECT: Final = Prepared(select(*_STORED, STATES.c.expires_at).where(_IS_IT, _IS_LIVE))
LOCK: Final = Prepared(
    select(*_STORED, STATES.c.expires_at, STATES.c.last_used_at, STATES.c.created_at).where(_IS_IT).with_for_update()
)
REFRESH: Final = Prepared(
    update(STATES)
    .where(_IS_IT, _IS_LIVE)
    .values(expires_at=_number("new_expiry"), accesses=STATES.c.accesses + 1)
    .returning(*_STORED)
)
SET: Final = Prepared(
    update(STATES)
    .where(STATES.c.state_ref == _REF)
    .values(
        version=_number("new_version"),
        accesses=_number("new_accesses"),
        created_at=_number("began_at"),
        last_used_at=_number("used_at"),
        expires_at=_number("new_expiry"),
        title=_blob("new_title"),
        sealed=_blob("new_sealed"),
    )
)
DELETE: Final = Prepared(delete(STATES).where(STATES.c.state_ref == _REF))
FIND_EXPIRED: Final = (
    select(STATES.c.state_ref)
    .where(STATES.c.expires_at <= _NOW)
    .order_by(STATES.c.expires_at)
    .limit(SWEEP_BATCH)
    .with_for_update(skip_locked=True)
)
SWEEP: Final = delete(STATES).where(STATES.c.state_ref.in_(_REFS))

_LISTED: Final = (
    STATES.c.state_ref,
    STATES.c.session_id,
    STATES.c.version,
    STATES.c.title,
    STATES.c.created_at,
    STATES.c.last_used_at,
    STATES.c.accesses,
)


def sessions(*, is_anonymous: bool, is_continued: bool) -> Select[Any]:
    """Return the statement of one page of a listing."""
    statement = select(*_LISTED).where(_IS_LIVE, _IS_IT if is_anonymous else _IS_USERS)
    if is_continued:
        at = _number("at")
        is_older = and_(STATES.c.last_used_at == at, STATES.c.session_id < bindparam("last"))
        statement = statement.where(or_(STATES.c.last_used_at < at, is_older))
    ordered = statement.order_by(STATES.c.last_used_at.desc(), STATES.c.session_id.desc())
    return ordered.limit(bindparam("limit", type_=Integer))

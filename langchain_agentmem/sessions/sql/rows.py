"""Statements of the SQL sessions."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    BindParameter,
    Integer,
    LargeBinary,
    Select,
    and_,
    bindparam,
    case,
    delete,
    func,
    literal,
    or_,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql import ClauseElement

from langchain_agentmem.sql.prepared import Prepared
from langchain_agentmem.sql.schema import MESSAGES, SESSIONS

_REF: Final[BindParameter[int]] = bindparam("ref")
_LIMIT: Final[BindParameter[int]] = bindparam("limit", type_=BigInteger)
_IS_USERS: Final = and_(SESSIONS.c.tenant_id == bindparam("tenant"), SESSIONS.c.user_id == bindparam("user"))
_IS_SESSION: Final = and_(_IS_USERS, SESSIONS.c.session_id == bindparam("session"))
_NOW: Final[BindParameter[int]] = bindparam("now", type_=SESSIONS.c.expires_at.type)
_IS_LIVE: Final = or_(SESSIONS.c.expires_at.is_(None), SESSIONS.c.expires_at > _NOW)
_IS_THERE: Final = MESSAGES.c.seq > 0
"""A message that made room for newer ones leaves its id at the negative of its place, without its text.

The last of several that go together also leaves the ids of the tool calls that went with them and are not answered yet.
"""

_IDENTITY: Final = ("tenant_id", "user_id", "session_id")


def _take_places(dialect: ModuleType) -> ClauseElement:
    """Begin or continue a session, reserving places at its end; locks its row until the transaction ends."""
    statement = dialect.insert(SESSIONS).values(
        tenant_id=bindparam("tenant"),
        user_id=bindparam("user"),
        session_id=bindparam("session"),
        next_seq=literal(1) + bindparam("places", type_=SESSIONS.c.next_seq.type),
        created_at=bindparam("at"),
        last_used_at=bindparam("at"),
        expires_at=bindparam("expires_at", type_=SESSIONS.c.expires_at.type),
    )
    is_expired = SESSIONS.c.expires_at <= statement.excluded.last_used_at  # its old expiry is returned, and tells so
    reserved = statement.excluded.next_seq - 1
    latest = func.max if dialect is sqlite else func.greatest  # clocks of several machines differ: never go back
    changes = {
        "next_seq": SESSIONS.c.next_seq + reserved,
        "last_used_at": latest(SESSIONS.c.last_used_at, statement.excluded.last_used_at),
        "expires_at": case((is_expired, SESSIONS.c.expires_at), else_=statement.excluded.expires_at),
    }
    statement = statement.on_conflict_do_update(index_elements=_IDENTITY, set_=changes)
    returning: ClauseElement = statement.returning(
        SESSIONS.c.session_ref, SESSIONS.c.next_seq, SESSIONS.c.title, SESSIONS.c.expires_at
    )
    return returning


def _insert_messages(dialect: ModuleType) -> ClauseElement:
    values = {column.name: bindparam(column.name, type_=column.type) for column in MESSAGES.c}
    identity = ["session_ref", "message_id"]
    statement: ClauseElement = dialect.insert(MESSAGES).values(values).on_conflict_do_nothing(index_elements=identity)
    return statement


TAKE_PLACES: Final = Prepared({"sqlite": _take_places(sqlite), "postgresql": _take_places(postgresql)})
INSERT_MESSAGES: Final = Prepared({"sqlite": _insert_messages(sqlite), "postgresql": _insert_messages(postgresql)})
SET_TITLE: Final = Prepared(
    update(SESSIONS).where(SESSIONS.c.session_ref == _REF).values(title=bindparam("sealed_title", type_=LargeBinary))
)

REFRESH: Final = Prepared(
    update(SESSIONS)
    .where(_IS_SESSION, SESSIONS.c.expires_at > _NOW)
    .values(expires_at=bindparam("new_expiry", type_=SESSIONS.c.expires_at.type))
)

_FIND_SESSION: Final = select(SESSIONS.c.session_ref).where(_IS_SESSION, _IS_LIVE)
LOCK_SESSION: Final = select(SESSIONS.c.session_ref, SESSIONS.c.expires_at).where(_IS_SESSION).with_for_update()
_OF_SUMMARY: Final = select(SESSIONS.c.session_ref, SESSIONS.c.summary, SESSIONS.c.summary_version)
SELECT_SUMMARY: Final = Prepared(_OF_SUMMARY.where(_IS_SESSION, _IS_LIVE))
LOCK_LIVE: Final = (
    select(SESSIONS.c.session_ref, SESSIONS.c.summary_version).where(_IS_SESSION, _IS_LIVE).with_for_update()
)
FIND_ID: Final = select(MESSAGES.c.seq).where(
    MESSAGES.c.session_ref == _REF, MESSAGES.c.message_id == bindparam("about")
)
IS_KNOWN: Final = Prepared(FIND_ID)
SET_SUMMARY: Final = (
    update(SESSIONS)
    .where(SESSIONS.c.session_ref == _REF)
    .values(summary=bindparam("sealed_summary", type_=LargeBinary), summary_version=bindparam("version", type_=Integer))
)
REPLACE_MESSAGE: Final = (
    update(MESSAGES)
    .where(MESSAGES.c.session_ref == _REF, MESSAGES.c.seq == bindparam("place"))
    .values(sealed=bindparam("sealed_anew", type_=LargeBinary))
)
DELETE_MESSAGES: Final = Prepared(delete(MESSAGES).where(MESSAGES.c.session_ref == _REF))
DELETE_SESSION: Final = Prepared(delete(SESSIONS).where(SESSIONS.c.session_ref == _REF))

_IN_SESSION: Final = and_(MESSAGES.c.session_ref == _FIND_SESSION.scalar_subquery(), _IS_THERE)
_SELECT_MESSAGES: Final = select(MESSAGES.c.session_ref, MESSAGES.c.seq, MESSAGES.c.message_id, MESSAGES.c.sealed)
_READ: Final = _SELECT_MESSAGES.where(_IN_SESSION)
_BACKWARDS: Final = _READ.order_by(MESSAGES.c.seq.desc()).limit(_LIMIT)
SELECT_ALL: Final = Prepared(_READ.order_by(MESSAGES.c.seq))
SELECT_LAST: Final = Prepared(_BACKWARDS)
SELECT_BEFORE: Final = Prepared(_BACKWARDS.where(MESSAGES.c.seq < bindparam("before")))
SELECT_PAGE: Final = Prepared(_READ.where(MESSAGES.c.seq > bindparam("after")).order_by(MESSAGES.c.seq).limit(_LIMIT))
COUNT: Final = select(func.count()).select_from(MESSAGES).where(_IN_SESSION)
_IDS: Final[BindParameter[str]] = bindparam("ids", expanding=True)
SELECT_BY_ID: Final = select(MESSAGES.c.session_ref, MESSAGES.c.seq, MESSAGES.c.message_id, MESSAGES.c.sealed).where(
    _IN_SESSION, MESSAGES.c.message_id.in_(_IDS)
)

# ------------------------------------------------------------------------------------------------------ making room
_BY_REF: Final = and_(MESSAGES.c.session_ref == _REF, _IS_THERE)
_LAST_TO_GO: Final = select(MESSAGES.c.seq).where(_BY_REF).order_by(MESSAGES.c.seq.desc())
LAST_TO_GO: Final = Prepared(_LAST_TO_GO.limit(1).offset(bindparam("kept", type_=BigInteger)))
_PLACE: Final[BindParameter[int]] = bindparam("place", type_=MESSAGES.c.seq.type)
SELECT_FROM: Final = Prepared(
    _SELECT_MESSAGES.where(_BY_REF, MESSAGES.c.seq > _PLACE).order_by(MESSAGES.c.seq).limit(_LIMIT)
)
SELECT_BACK: Final = Prepared(
    _SELECT_MESSAGES.where(_BY_REF, MESSAGES.c.seq < _PLACE).order_by(MESSAGES.c.seq.desc()).limit(_LIMIT)
)
EMPTY_MESSAGES: Final = Prepared(
    update(MESSAGES)
    .where(_BY_REF, MESSAGES.c.seq.between(bindparam("first"), bindparam("last")))
    .values(seq=-MESSAGES.c.seq, sealed=bindparam("nothing", type_=LargeBinary))
)
NOTE_CALLS: Final = Prepared(
    update(MESSAGES)
    .where(MESSAGES.c.session_ref == _REF, MESSAGES.c.seq == bindparam("place"))
    .values(sealed=bindparam("sealed_calls", type_=LargeBinary))
)
SELECT_CALLS: Final = Prepared(
    _SELECT_MESSAGES.where(
        MESSAGES.c.session_ref == _REF,
        MESSAGES.c.seq < 0,
        MESSAGES.c.sealed != bindparam("nothing", type_=LargeBinary),
    )
)
_NAMED_AT: Final[BindParameter[int]] = bindparam("named_at", type_=MESSAGES.c.at.type)
NAME_AGAIN: Final = Prepared(
    update(MESSAGES)
    .where(MESSAGES.c.session_ref == _REF, MESSAGES.c.message_id == bindparam("about"))
    .values(at=_NAMED_AT)
)
_HORIZON: Final[BindParameter[int]] = bindparam("horizon", type_=MESSAGES.c.seq.type)
_AT_HORIZON: Final = MESSAGES.alias("at_horizon")
FORGET_IDS: Final = Prepared(
    delete(MESSAGES).where(
        MESSAGES.c.session_ref == _REF,
        MESSAGES.c.seq < 0,
        MESSAGES.c.seq > _HORIZON,
        MESSAGES.c.at != _NAMED_AT,
        MESSAGES.c.at
        != select(_AT_HORIZON.c.at)
        .where(_AT_HORIZON.c.session_ref == _REF, _AT_HORIZON.c.seq <= _HORIZON)
        .order_by(_AT_HORIZON.c.seq.desc())
        .limit(1)
        .scalar_subquery(),
    )
)
"""Messages of one call have one time, that of the last call that named them: a call is remembered whole.

Of one that is remembered in part a repeat would add the other part.
"""

# --------------------------------------------------------------------------------------------------------- sweeping
SWEEP_BATCH: Final = 100
"""Sessions per transaction of a sweep, so that writers need not wait long for it."""

FIND_EXPIRED: Final = (
    select(SESSIONS.c.session_ref)
    .where(SESSIONS.c.expires_at <= _NOW)
    .order_by(SESSIONS.c.expires_at)
    .limit(SWEEP_BATCH)
    .with_for_update(skip_locked=True)
)
_REFS: Final[BindParameter[int]] = bindparam("refs", expanding=True)
SWEEP_MESSAGES: Final = delete(MESSAGES).where(MESSAGES.c.session_ref.in_(_REFS))
SWEEP_SESSIONS: Final = delete(SESSIONS).where(SESSIONS.c.session_ref.in_(_REFS))

# ---------------------------------------------------------------------------------------------------------- listing
_MESSAGE_COUNT: Final = (
    select(func.count())
    .select_from(MESSAGES)
    .where(MESSAGES.c.session_ref == SESSIONS.c.session_ref, _IS_THERE)
    .scalar_subquery()
)
_LISTED: Final = (
    SESSIONS.c.session_ref,
    SESSIONS.c.session_id,
    SESSIONS.c.title,
    SESSIONS.c.created_at,
    SESSIONS.c.last_used_at,
)
_CONVERSATIONS: Final = select(*_LISTED, _MESSAGE_COUNT.label("message_count")).where(_IS_LIVE)


def conversations(*, is_anonymous: bool, is_continued: bool) -> Select[Any]:
    """Return the statement of one page of a listing."""
    statement = _CONVERSATIONS.where(_IS_SESSION if is_anonymous else _IS_USERS)
    if is_continued:
        at: BindParameter[int] = bindparam("at")
        is_older = and_(SESSIONS.c.last_used_at == at, SESSIONS.c.session_id < bindparam("last"))
        statement = statement.where(or_(SESSIONS.c.last_used_at < at, is_older))
    ordered = statement.order_by(SESSIONS.c.last_used_at.desc(), SESSIONS.c.session_id.desc())
    return ordered.limit(_LIMIT)

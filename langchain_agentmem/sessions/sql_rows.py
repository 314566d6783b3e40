"""Statements of the SQL sessions."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Final

from sqlalchemy import BindParameter, Integer, Select, and_, bindparam, delete, func, literal, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql import ClauseElement

from langchain_agentmem.sql.prepared import Prepared
from langchain_agentmem.sql.schema import MESSAGES, SESSIONS

_REF: Final[BindParameter[int]] = bindparam("ref")
_LIMIT: Final[BindParameter[int]] = bindparam("limit", type_=Integer)
_IS_USERS: Final = and_(SESSIONS.c.tenant_id == bindparam("tenant"), SESSIONS.c.user_id == bindparam("user"))
_IS_SESSION: Final = and_(_IS_USERS, SESSIONS.c.session_id == bindparam("session"))
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
    )
    reserved = statement.excluded.next_seq - 1
    latest = func.max if dialect is sqlite else func.greatest  # clocks of several machines differ: never go back
    changes = {
        "next_seq": SESSIONS.c.next_seq + reserved,
        "last_used_at": latest(SESSIONS.c.last_used_at, statement.excluded.last_used_at),
    }
    statement = statement.on_conflict_do_update(index_elements=_IDENTITY, set_=changes)
    returning: ClauseElement = statement.returning(SESSIONS.c.session_ref, SESSIONS.c.next_seq, SESSIONS.c.title)
    return returning


def _insert_messages(dialect: ModuleType) -> ClauseElement:
    values = {column.name: bindparam(column.name, type_=column.type) for column in MESSAGES.c}
    identity = ["session_ref", "message_id"]
    statement: ClauseElement = dialect.insert(MESSAGES).values(values).on_conflict_do_nothing(index_elements=identity)
    return statement


TAKE_PLACES: Final = Prepared({"sqlite": _take_places(sqlite), "postgresql": _take_places(postgresql)})
INSERT_MESSAGES: Final = Prepared({"sqlite": _insert_messages(sqlite), "postgresql": _insert_messages(postgresql)})
SET_TITLE: Final = update(SESSIONS).where(SESSIONS.c.session_ref == _REF).values(title=bindparam("sealed_title"))

FIND_SESSION: Final = select(SESSIONS.c.session_ref).where(_IS_SESSION)
LOCK_SESSION: Final = FIND_SESSION.with_for_update()
DELETE_MESSAGES: Final = delete(MESSAGES).where(MESSAGES.c.session_ref == _REF)
DELETE_SESSION: Final = delete(SESSIONS).where(SESSIONS.c.session_ref == _REF)

_IN_SESSION: Final = MESSAGES.c.session_ref == FIND_SESSION.scalar_subquery()
_SELECT_MESSAGES: Final = select(MESSAGES.c.session_ref, MESSAGES.c.seq, MESSAGES.c.sealed).where(_IN_SESSION)
_IN_ORDER: Final = _SELECT_MESSAGES.order_by(MESSAGES.c.seq)
_AFTER: Final = _IN_ORDER.where(MESSAGES.c.seq > bindparam("after"))
SELECT_ALL: Final = Prepared(_IN_ORDER)
SELECT_LAST: Final = Prepared(_SELECT_MESSAGES.order_by(MESSAGES.c.seq.desc()).limit(_LIMIT))
SELECT_PAGE: Final = Prepared(_AFTER.limit(_LIMIT))
COUNT: Final = select(func.count()).select_from(MESSAGES).where(_IN_SESSION)

_MESSAGE_COUNT: Final = (
    select(func.count()).select_from(MESSAGES).where(MESSAGES.c.session_ref == SESSIONS.c.session_ref).scalar_subquery()
)
_CONVERSATIONS: Final = select(SESSIONS, _MESSAGE_COUNT.label("message_count"))


def conversations(*, is_anonymous: bool, is_continued: bool) -> Select[Any]:
    """Return the statement of one page of a listing."""
    statement = _CONVERSATIONS.where(_IS_SESSION if is_anonymous else _IS_USERS)
    if is_continued:
        at: BindParameter[int] = bindparam("at")
        is_older = and_(SESSIONS.c.last_used_at == at, SESSIONS.c.session_id < bindparam("last"))
        statement = statement.where(or_(SESSIONS.c.last_used_at < at, is_older))
    ordered = statement.order_by(SESSIONS.c.last_used_at.desc(), SESSIONS.c.session_id.desc())
    return ordered.limit(_LIMIT)

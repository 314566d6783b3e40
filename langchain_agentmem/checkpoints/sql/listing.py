"""Statements that list threads."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from sqlalchemy import BigInteger, LargeBinary, Select, bindparam, func, or_, select
from sqlalchemy.dialects import postgresql, sqlite

from langchain_agentmem.checkpoints.sql.rows import AT, LIMIT, in_bytes
from langchain_agentmem.sql.schema import THREAD_LABELS, THREADS

_LISTED: Final = ("thread_id", "tenant_id", "user_id", "created_at", "last_used_at", "expires_at")
_IS_ALIVE: Final = or_(THREADS.c.expires_at.is_(None), THREADS.c.expires_at > AT)
_THREADS: Final = select(*(THREADS.c[name] for name in _LISTED)).where(_IS_ALIVE)


class Listing(NamedTuple):
    """Which conditions a page of threads has; its labels are parameters `label_0`, `label_1` and so on."""

    dialect: str
    has_owner: bool
    labels: int
    is_recent: bool
    is_continued: bool


def listing(shape: Listing) -> Select[Any]:
    """Return the statement of one page of threads."""
    thread_id = in_bytes(THREADS.c.thread_id, sqlite if shape.dialect == "sqlite" else postgresql)
    statement = _THREADS
    if shape.has_owner:
        statement = statement.where(THREADS.c.tenant_id == bindparam("tenant"), THREADS.c.user_id == bindparam("user"))
    for place in range(shape.labels):
        is_labelled = THREAD_LABELS.c.label == bindparam(f"label_{place}", type_=LargeBinary)
        statement = statement.where(THREADS.c.thread_ref.in_(select(THREAD_LABELS.c.thread_ref).where(is_labelled)))
    if shape.is_recent:  # without an index, which each change of any thread would have to keep up to date
        statement = statement.where(THREADS.c.last_used_at >= bindparam("used_since", type_=BigInteger))
    if shape.is_continued:
        statement = statement.where(thread_id > bindparam("after"))
    return statement.order_by(thread_id).limit(LIMIT)


LAST_USE: Final = select(func.max(THREADS.c.last_used_at)).where(
    _IS_ALIVE, THREADS.c.tenant_id == bindparam("tenant"), THREADS.c.user_id == bindparam("user")
)

EXPIRED: Final = (
    select(THREADS.c.thread_id).where(THREADS.c.expires_at <= AT).order_by(THREADS.c.expires_at).limit(LIMIT)
)

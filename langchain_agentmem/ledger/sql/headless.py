"""Logs whose head was taken away or given another name: whoever asks for the user would hear of nothing.

No statement here reads what anybody said. Each user costs one step along an index.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, bindparam, exists, func, select

from langchain_agentmem.ledger import chain
from langchain_agentmem.ledger.sql import rows
from langchain_agentmem.sql.schema import EVENTS, SUBJECTS
from langchain_agentmem.types import Scope

HEADLESS: Final = (
    "a log without a head stands in the database, and may be this user's: somebody removed the head; restore the"
    " database from a backup"
)
RENAMED: Final = (
    "the head of this user's log stands under another name; restore the database from a backup, or the name"
)
_PAGE: Final = 1_000

_IDS: Final = select(func.min(EVENTS.c.subject_id).label("id")).cte("ids", recursive=True)
_NEXT: Final = select(func.min(EVENTS.c.subject_id)).where(EVENTS.c.subject_id > _IDS.c.id).scalar_subquery()
_EACH: Final = _IDS.union_all(select(_NEXT).where(_IDS.c.id.is_not(None)))
_WITHOUT_HEAD: Final = select(_EACH.c.id).where(
    _EACH.c.id.is_not(None), ~exists().where(SUBJECTS.c.subject_id == _EACH.c.id)
)
"""A step from each user to the next: no event but the first of each is read."""

_LAST_AT: Final = select(func.max(EVENTS.c.at)).where(EVENTS.c.subject_id == bindparam("subject"))
_HEADS: Final = (
    select(SUBJECTS.c.subject_id, SUBJECTS.c.genesis_salt, SUBJECTS.c.genesis)
    .where(SUBJECTS.c.subject_id > bindparam("after"))
    .order_by(SUBJECTS.c.subject_id)
    .limit(_PAGE)
)


def findings(connection: Connection, scope: Scope) -> tuple[str, ...]:
    """Return what is found of a user's log that the user's head does not lead to.

    A log without a head names nobody. It can be of a user who has no head, or whose head was made after its last event.
    """
    subject = rows.find_subject(connection, scope)
    found = [HEADLESS] if _has_headless(connection, None if subject is None else subject.subject_id) else []
    if subject is None and _is_renamed(connection, scope):
        found.append(RENAMED)
    return tuple(found)


def _has_headless(connection: Connection, subject: int | None) -> bool:
    lost = connection.execute(_WITHOUT_HEAD).scalars().all()
    if not lost or subject is None:
        return bool(lost)
    begun = connection.execute(select(SUBJECTS.c.created_at).where(SUBJECTS.c.subject_id == subject)).scalar_one()
    return any(connection.execute(_LAST_AT, {"subject": it}).scalar_one() <= begun for it in lost)


def _is_renamed(connection: Connection, scope: Scope) -> bool:
    """Whether a head commits to this user, whatever name stands beside it."""
    after = 0
    while heads := connection.execute(_HEADS, {"after": after}).all():
        if any(it.genesis_salt and _genesis(it.genesis_salt, scope) == it.genesis for it in heads):
            return True
        after = heads[-1].subject_id
    return False


def _genesis(salt: bytes, scope: Scope) -> bytes:
    return chain.genesis(salt, scope.tenant_id, scope.user_id)

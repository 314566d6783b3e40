"""Episodes end with the messages they point at: their terms and vectors go in the transaction in which those go.

The row of the session is locked already; the subject's is locked before its episodes are looked for, so that one that
is being kept at this moment is found, or finds its messages gone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import BindParameter, Connection, and_, bindparam, delete, select, update

from langchain_agentmem.sessions.base import MAX_NUMBER
from langchain_agentmem.sql.emptied import ENDED, empty_episodes
from langchain_agentmem.sql.prepared import Prepared, Transaction
from langchain_agentmem.sql.schema import EPISODES, SESSIONS, SUBJECTS, VECTORS

_REF: Final[BindParameter[int]] = bindparam("ref", type_=SESSIONS.c.session_ref.type)
_REFS: Final[BindParameter[int]] = bindparam("refs", expanding=True)
_SUBJECT: Final[BindParameter[int]] = bindparam("subject", type_=SUBJECTS.c.subject_id.type)
_LAST: Final[BindParameter[int]] = bindparam("last", type_=EPISODES.c.place.type)

_OWNERS: Final = SUBJECTS.alias("owners")
_OWNER: Final = select(_OWNERS.c.subject_id).join(
    SESSIONS, and_(SESSIONS.c.tenant_id == _OWNERS.c.tenant_id, SESSIONS.c.user_id == _OWNERS.c.user_id)
)
_LOCK: Final = select(SUBJECTS.c.subject_id).order_by(SUBJECTS.c.subject_id).with_for_update()
_LOCK_OWNER: Final = Prepared(_LOCK.where(SUBJECTS.c.subject_id.in_(_OWNER.where(SESSIONS.c.session_ref == _REF))))
_LOCK_OWNERS: Final = _LOCK.where(SUBJECTS.c.subject_id.in_(_OWNER.where(SESSIONS.c.session_ref.in_(_REFS))))

_ENDING: Final = and_(EPISODES.c.session_ref == _REF, EPISODES.c.place <= _LAST)
_FIND: Final = Prepared(select(EPISODES.c.subject_id).where(_ENDING).limit(1))
_FIND_SESSIONS: Final = select(EPISODES.c.session_ref).where(EPISODES.c.session_ref.in_(_REFS)).distinct()
_NEXT_REVISION: Final = Prepared(
    update(SUBJECTS)
    .where(SUBJECTS.c.subject_id == _SUBJECT)
    .values(episode_revision=SUBJECTS.c.episode_revision + 1)
    .returning(SUBJECTS.c.episode_revision)
)
_DELETE_VECTORS: Final = Prepared(
    delete(VECTORS).where(
        VECTORS.c.subject_id == _SUBJECT,
        VECTORS.c.memory_id.in_(select(EPISODES.c.episode_id).where(EPISODES.c.subject_id == _SUBJECT, _ENDING)),
    )
)
_EMPTY: Final = Prepared(empty_episodes(EPISODES.c.subject_id == _SUBJECT, _ENDING))


def end_episodes(connection: Transaction, ref: int, *, last: int = MAX_NUMBER) -> None:
    """Take out the episodes of a session whose first message is at `last` or before it; none costs one look."""
    values = {"ref": ref, "last": last}
    if connection.dialect.name == "postgresql":
        _LOCK_OWNER.rows(connection, values)
    for (subject,) in _FIND.rows(connection, values):
        every = {**values, "subject": subject}
        [(revision,)] = _NEXT_REVISION.rows(connection, every)
        _DELETE_VECTORS.change(connection, [every])
        _EMPTY.change(connection, [{**every, "how": ENDED, "new_revision": revision}])


def end_episodes_of(connection: Connection, refs: Sequence[int]) -> None:
    """Take out the episodes of several sessions; their owners are locked in one order, whoever does it."""
    if not refs:
        return
    if connection.dialect.name == "postgresql":
        connection.execute(_LOCK_OWNERS, {"refs": refs}).all()
    for ref in connection.execute(_FIND_SESSIONS, {"refs": refs}).scalars().all():
        end_episodes(connection, ref)

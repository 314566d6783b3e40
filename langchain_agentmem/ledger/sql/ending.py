"""The end of a user in the ledger: the chain stays, and nothing of what it told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import BindParameter, and_, bindparam, delete, func, null, select, update

from langchain_agentmem.ledger.base import Draft
from langchain_agentmem.ledger.sql import rows
from langchain_agentmem.ledger.sql.writer import SQLWriter
from langchain_agentmem.sql.emptied import ENDED, empty_episodes
from langchain_agentmem.sql.schema import EPISODES, EVENTS, MEMORIES, PAYLOADS, SUBJECTS
from langchain_agentmem.types import Event, Scope
from langchain_agentmem.vault.base import NullCipher

_SUBJECT: Final[BindParameter[int]] = bindparam("subject")
_BEFORE: Final[BindParameter[int]] = bindparam("before")
_DELETE_PAYLOADS: Final = delete(PAYLOADS).where(PAYLOADS.c.subject_id == _SUBJECT, PAYLOADS.c.seq < _BEFORE)
_EMPTY_MEMORIES: Final = update(MEMORIES).where(MEMORIES.c.subject_id == _SUBJECT)
_EMPTY_EPISODES: Final = empty_episodes(EPISODES.c.subject_id == _SUBJECT).values(session_id="", agent_id=null(), at=0)
_MOVE_EPISODES: Final = (
    update(SUBJECTS)
    .where(SUBJECTS.c.subject_id == _SUBJECT)
    .values(episode_revision=SUBJECTS.c.episode_revision + 1)
    .returning(SUBJECTS.c.episode_revision)
)
_LAST_END: Final = select(func.max(EVENTS.c.seq)).where(
    EVENTS.c.subject_id == _SUBJECT, EVENTS.c.type == "subject_erased"
)
_DELETE_LEFT: Final = delete(MEMORIES).where(
    and_(
        MEMORIES.c.subject_id == _SUBJECT,
        MEMORIES.c.memory_id.in_(bindparam("ids", expanding=True)),
        MEMORIES.c.status == "erased",
        MEMORIES.c.revision <= bindparam("ended"),
    )
)


class EndingWriter(SQLWriter):
    """Writes while nobody else may write of the user.

    Of memories and episodes rows stay that say nothing but an id and a revision: views of other processes hear by them
    that what they hold is gone.
    """

    def empty_memories(self, at: int, seq: int) -> None:
        """Take everything out of the rows of memories."""
        codec = rows.RowCodec(self._scope, NullCipher())
        values = codec.memory_row(rows.tombstone("", self._scope, at, seq))
        del values["memory_id"]
        self._connection.execute(_EMPTY_MEMORIES.values(values), {"subject": self._subject})

    def empty_episodes(self) -> None:
        """Take everything out of the rows of episodes; they may be kept anew, should the user return."""
        revision = self._connection.execute(_MOVE_EPISODES, {"subject": self._subject}).scalar_one()
        values = {"subject": self._subject, "how": ENDED, "new_revision": revision}
        self._connection.execute(_EMPTY_EPISODES, values)

    def end(self, note: Mapping[str, Any]) -> Event:
        """Append the last event, and delete the payload of every one before it."""
        event = self.append(Draft(type="subject_erased", note=note))
        self._connection.execute(_DELETE_PAYLOADS, {"subject": self._subject, "before": event.seq})
        self.empty_memories(rows.micros(event.at), event.seq)
        return event

    def make_room(self, memory_ids: list[str]) -> None:
        """Drop what an erasure of the whole user left of some memories, so that these can be remembered again."""
        ended = self._connection.execute(_LAST_END, {"subject": self._subject}).scalar()
        if ended is not None:
            values = {"subject": self._subject, "ids": memory_ids, "ended": ended}
            self._connection.execute(_DELETE_LEFT, values)


def owner_of(scope: Scope) -> Scope:
    """Return the whole user a scope is of, without agent and session."""
    return Scope(scope.user_id, tenant_id=scope.tenant_id)

"""The end of a user in the ledger: the chain stays, and nothing of what it told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import BindParameter, Delete, Table, and_, bindparam, delete, func, null, or_, select, update

from langchain_agentmem.errors import ConflictError
from langchain_agentmem.ledger.base import Draft
from langchain_agentmem.ledger.codec import stored_of
from langchain_agentmem.ledger.sql import rows, upserts
from langchain_agentmem.ledger.sql.due import NOW, at_once
from langchain_agentmem.ledger.sql.writer import SQLWriter
from langchain_agentmem.ledger.standing import ERASE_JOBS, erase_jobs_within
from langchain_agentmem.sql.emptied import ENDED, empty_episodes
from langchain_agentmem.sql.prepared import listed
from langchain_agentmem.sql.schema import EPISODES, EVENTS, JOBS, MEMORIES, PAYLOADS, SUBJECTS
from langchain_agentmem.types import Event, Scope
from langchain_agentmem.vault.base import NullCipher

ENDED_ELSEWHERE: Final = "the erasure of this user is done, or another worker does it; nothing was changed here"

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
_DELETE_REPLACED: Final = delete(JOBS).where(
    JOBS.c.subject_id == _SUBJECT,
    or_(
        and_(JOBS.c.kind.in_(ERASE_JOBS), JOBS.c.status == "failed"),
        and_(JOBS.c.kind.in_(bindparam("lesser", expanding=True)), JOBS.c.status == "queued"),
    ),
)
_HASTEN_ERASURE: Final = (
    update(JOBS)
    .where(JOBS.c.subject_id == _SUBJECT, JOBS.c.kind.in_(ERASE_JOBS), JOBS.c.status == "queued")
    .values(run_at=NOW, attempts=0, lease_owner=null(), lease_until=null())
)
_LAST_END: Final = select(func.max(EVENTS.c.seq)).where(
    EVENTS.c.subject_id == _SUBJECT, EVENTS.c.type == "subject_erased"
)
_LEFT: Final = and_(
    MEMORIES.c.subject_id == _SUBJECT,
    MEMORIES.c.memory_id.in_(bindparam("ids", expanding=True)),
    MEMORIES.c.status == "erased",
    MEMORIES.c.revision <= bindparam("ended"),
)
_DELETE_LEFT: Final = delete(MEMORIES).where(_LEFT)
_SELECT_LEFT: Final = select(MEMORIES.c.memory_id).where(_LEFT)


class EndingWriter(SQLWriter):
    """Writes while nobody else may write of the user.

    Of memories and episodes rows stay that say nothing but an id and a revision: views of other processes hear by them
    that what they hold is gone.
    """

    def now(self) -> int:
        """Return the time, as it is kept."""
        return rows.micros(self._settings.clock())

    def queue_ending(self, kind: str) -> None:
        """See that a job erases all of the user's: one that was given up is begun anew, one that waits is due at once.

        But for one that waits and reaches less than this process does.
        """
        lesser = [it for it in erase_jobs_within(kind) if it != kind]
        self._connection.execute(_DELETE_REPLACED, {"subject": self._subject, "lesser": lesser})
        self._connection.execute(_HASTEN_ERASURE, {"subject": self._subject, "now": at_once(self._settings.clock())})
        if not any(map(self.has_jobs, ERASE_JOBS)):
            self.enqueue(kind, {}, None)

    @contextmanager
    def seeing(self, agent_id: str | None) -> Iterator[None]:
        """See what an agent sees beside what all share, as long as the block lasts."""
        scope, self._scope = self._scope, replace(self._scope, agent_id=agent_id)
        try:
            yield
        finally:
            self._scope = scope

    def remove(self, statement: Delete) -> int:
        """Run a statement that deletes rows of the user's; return how many.

        Raises:
            ConflictError: Nothing of the user's is being erased any more: another worker was faster.
        """
        self.check_erasing()
        return int(self._connection.execute(statement, {"subject": self._subject}).rowcount)

    def check_erasing(self) -> None:
        """Raise `ConflictError` unless all of the user's is being erased."""
        if not self.head.is_erasing:
            raise ConflictError(ENDED_ELSEWHERE)

    def bring(self, table: Table, found: Sequence[Mapping[str, Any]]) -> int:
        """Write rows of the user's that are not there yet; return how many."""
        statement = upserts.insert_or_ignore(self._dialect, table).returning(table.c.subject_id)
        subject = {"subject_id": self._subject}
        return sum(len(self._connection.execute(statement, {**subject, **row}).all()) for row in found)

    def sealed(self, data: bytes, identity: str) -> bytes:
        """Return bytes of the user's as they are kept."""
        return self._codec.cipher.seal(data, identity)

    def taken(self, memory_ids: list[str]) -> set[str]:
        """Return those of some ids that a memory has, of any agent and status, but for what can be remembered again."""
        values = {"subject": self._subject, "ids": listed(self._connection, memory_ids)}
        found = {memory_id for memory_id, _ in rows.SELECT_TAKEN.rows(self._connection, values)}
        return found - {memory_id for (memory_id,) in self._connection.execute(_SELECT_LEFT, self._left(memory_ids))}

    def empty_memories(self, at: int, seq: int) -> None:
        """Take everything out of the rows of memories."""
        codec = rows.RowCodec(self._scope, NullCipher())
        values = codec.memory_row("", stored_of(rows.tombstone("", self._scope, at, seq)), seq)
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
        """Drop what an erasure of the whole user left of some memories that are remembered again in this transaction.

        Of no others: their rows say that they are erased, as the log does.
        """
        self._connection.execute(_DELETE_LEFT, self._left(memory_ids))

    def _left(self, memory_ids: list[str]) -> dict[str, Any]:
        ended = self._connection.execute(_LAST_END, {"subject": self._subject}).scalar()
        return {"subject": self._subject, "ids": memory_ids, "ended": 0 if ended is None else ended}


def owner_of(scope: Scope) -> Scope:
    """Return the whole user a scope is of, without agent and session."""
    return Scope(scope.user_id, tenant_id=scope.tenant_id)

"""How a transaction of the ledger queues jobs, and takes them out of the queue."""

from __future__ import annotations

from abc import abstractmethod
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import and_, bindparam, case, delete, insert, select, update

from langchain_agentmem.errors import ConflictError, IntegrityError
from langchain_agentmem.ledger import chain
from langchain_agentmem.ledger.base import LedgerWriter
from langchain_agentmem.ledger.codec import dump_own, load
from langchain_agentmem.ledger.sql import rows
from langchain_agentmem.ledger.sql.due import run_at_of
from langchain_agentmem.ledger.sql.episodes import SQLEpisodeWriter
from langchain_agentmem.ledger.sql.job_states import DONE
from langchain_agentmem.ledger.sql.jobs import IS_HELD, readable
from langchain_agentmem.ledger.sql.reader import SQLReader
from langchain_agentmem.sql.prepared import Prepared
from langchain_agentmem.sql.schema import JOBS

_JOB: Final = ("kind", "subject_id", "payload", "status", "attempts", "run_at", "created_at")
_INSERT_JOB: Final = Prepared(insert(JOBS).values({it: bindparam(it) for it in _JOB}).returning(JOBS.c.job_id))
_DELETE_JOB: Final = delete(JOBS).where(JOBS.c.job_id == bindparam("id"))
_DELETE_OWN_JOB: Final = _DELETE_JOB.where(JOBS.c.subject_id == bindparam("subject"))
_FINISH_JOB: Final = delete(JOBS).where(IS_HELD)
_HELD_PAYLOAD: Final = select(JOBS.c.payload).where(IS_HELD).with_for_update()
_KEPT: Final[dict[str, Any]] = {"status": DONE, "payload": bindparam("kept"), "run_at": bindparam("at"), "error": None}
_FREE: Final[dict[str, Any]] = {"lease_owner": None, "lease_until": None}
_KEEP_KEY: Final = update(JOBS).where(IS_HELD).values(**_KEPT, **_FREE)
_KEEP_KEY_OF: Final = update(JOBS).where(JOBS.c.job_id == bindparam("id")).values(**_KEPT, **_FREE)
_REPLACE_PAYLOAD: Final = (
    update(JOBS)
    .where(JOBS.c.job_id == bindparam("id"))
    .values(
        payload=bindparam("anew"), status=case((JOBS.c.status == "running", "queued"), else_=JOBS.c.status), **_FREE
    )
)
_HOLD_JOB: Final = select(JOBS.c.job_id).where(IS_HELD).with_for_update()
_WAITING: Final = and_(JOBS.c.kind == bindparam("wanted"), JOBS.c.status == "queued")
_DUE_BY: Final = select(JOBS.c.job_id).where(_WAITING, JOBS.c.run_at <= bindparam("by")).limit(1)
_HASTEN: Final = update(JOBS).where(_WAITING).values(run_at=bindparam("by"))
_TAKE_WAITING: Final = (
    delete(JOBS)
    .where(_WAITING, JOBS.c.subject_id == bindparam("subject"), JOBS.c.payload == bindparam("same"))
    .returning(JOBS.c.attempts)
)
_COUNT_ATTEMPTS: Final = update(JOBS).where(JOBS.c.job_id == bindparam("id")).values(attempts=bindparam("count"))


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterSettings:
    """What a writer takes from outside. `is_erasure`: it erases all of a user's, while nobody else may write."""

    clock: Callable[[], datetime]
    key: bytes | None
    receipts_for: timedelta | None = None
    is_erasure: bool = False


class SQLJobWriter(SQLReader, LedgerWriter):
    """Writes one subject's jobs, inside the transaction of what they follow from."""

    _settings: WriterSettings

    @cached_property
    @abstractmethod
    def episodes(self) -> SQLEpisodeWriter:
        """What can be read and written of the user's conversations."""

    def enqueue(
        self,
        kind: str,
        payload: Mapping[str, Any],
        run_at: datetime | None,
        words: bytes | None = None,
        *,
        key: str | None = None,
    ) -> int:
        """Queue a durable job of this subject, unless it is one that was queued before."""
        if key is not None:
            known = self._connection.execute(rows.SELECT_KEYED, self._keyed(kind, key)).scalar()
            if known is not None:
                return int(known)
            payload = {**payload, "key": key}
        if words is not None:
            payload = {**payload, **self._sealed(words)}
        now = self._settings.clock()
        row = {
            "kind": kind,
            "subject_id": self._subject,
            "payload": dump_own(payload).decode(),
            "status": "queued",
            "attempts": 0,
            "run_at": run_at_of(run_at, now),
            "created_at": rows.micros(now),
        }
        ((job_id,),) = _INSERT_JOB.rows(self._raw, row)
        return int(job_id)

    def _keyed(self, kind: str, key: str) -> dict[str, Any]:
        """Return the values that find a job by its key, in the form in which payloads are kept."""
        return {"subject": self._subject, "kind": kind, "holds": f"%{dump_own({'key': key}).decode()[1:-1]}%"}

    def enqueue_once(self, kind: str, run_at: datetime | None) -> None:
        """Queue a job unless one waits; one that is being done may have begun too early to count."""
        wanted = {"wanted": kind, "by": run_at_of(run_at, self._settings.clock())}
        if self._connection.execute(_DUE_BY, wanted).first() is not None:
            return
        if self._connection.execute(_HASTEN, wanted).rowcount == 0:
            self.enqueue(kind, {}, run_at)

    def postpone_job(self, kind: str, payload: Mapping[str, Any], run_at: datetime | None) -> None:
        """Take a job that waits out of the queue, and put it at its end: the jobs of a subject are done in order."""
        wanted = {"subject": self._subject, "wanted": kind, "same": dump_own(payload).decode()}
        waited = self._connection.execute(_TAKE_WAITING, wanted).all()
        job_id = self.enqueue(kind, payload, run_at)
        attempts = max((row.attempts for row in waited), default=0)
        if attempts:
            self._connection.execute(_COUNT_ATTEMPTS, {"id": job_id, "count": attempts})

    def finish_job(self, job_id: int, lease: str) -> None:
        """Remove a job with what was written for it, all but its key."""
        held = {"id": job_id, "lease": lease}
        payload = self._connection.execute(_HELD_PAYLOAD, held).scalar()
        if payload is None:
            raise _lost(job_id)
        key = load(payload.encode()).get("key")
        if key is None:
            self._connection.execute(_FINISH_JOB, held)
        else:
            left = {"kept": dump_own({"key": key}).decode(), "at": rows.micros(self._settings.clock())}
            self._connection.execute(_KEEP_KEY, {**held, **left})

    def check_job(self, job_id: int, lease: str) -> None:
        """See that a job is this worker's; its lock keeps others from it until the end."""
        if self._connection.execute(_HOLD_JOB, {"id": job_id, "lease": lease}).first() is None:
            raise _lost(job_id)

    def cancel_jobs(self, kind: str, session_id: str | None, *, of_every_agent: bool = False) -> int:
        """Remove jobs that wait, or are being done."""
        agents = {None, self._scope.agent_id}
        wanted = [
            job_id
            for job_id, payload in self._payloads(kind)
            if payload is None
            or (session_id in (None, payload.get("session")) and (of_every_agent or payload.get("agent") in agents))
        ]
        for job_id in wanted:
            self._connection.execute(_DELETE_JOB, {"id": job_id})
        return len(wanted)

    def waiting_jobs(self, kind: str) -> list[tuple[int, Mapping[str, Any]]]:
        """Read those that can be read."""
        return [
            (job_id, payload)
            for job_id, payload in sorted(self._payloads(kind), key=itemgetter(0))
            if payload is not None
        ]

    def drop_job(self, job_id: int) -> None:
        """Delete its row."""
        self._connection.execute(_DELETE_OWN_JOB, {"id": job_id, "subject": self._subject})

    def redact_jobs(self, kind: str, left_of: Callable[[bytes], bytes | None]) -> int:
        """Seal what is left anew; who held a job does not hold it any more."""
        changed = 0
        for job_id, payload in self._payloads(kind):
            words, left = self._left_of(payload, left_of)
            if payload is None or left is None:
                self._drop_job(job_id, payload)
            elif left != words:
                values = {"id": job_id, "anew": dump_own({**payload, **self._sealed(left)}).decode()}
                self._connection.execute(_REPLACE_PAYLOAD, values)
            changed += left is None or left != words
        return changed

    def _left_of(
        self, payload: Mapping[str, Any] | None, left_of: Callable[[bytes], bytes | None]
    ) -> tuple[bytes, bytes | None]:
        try:
            words = b"" if payload is None else self.unsealed(payload)
            return words, None if payload is None else left_of(words)
        except (IntegrityError, ValueError, LookupError):  # what cannot be read can never be done
            return b"", None

    def _drop_job(self, job_id: int, payload: Mapping[str, Any] | None) -> None:
        key = None if payload is None else payload.get("key")
        if key is None:
            self._connection.execute(_DELETE_JOB, {"id": job_id})
        else:
            values = {"id": job_id, "kept": dump_own({"key": key}).decode(), "at": rows.micros(self._settings.clock())}
            self._connection.execute(_KEEP_KEY_OF, values)

    def _payloads(self, kind: str) -> list[tuple[int, dict[str, Any] | None]]:
        """Return the payloads of the subject's jobs of a kind that are not done; `None` for what is none any more."""
        found = self._connection.execute(rows.SELECT_JOBS, {"subject": self._subject, "kind": kind}).all()
        return [(row.job_id, readable(row.payload)) for row in found]

    def _sealed(self, words: bytes) -> dict[str, str]:
        """Return what a payload keeps words as."""
        name = chain.new_salt().hex()
        return {"name": name, "sealed": b64encode(self._codec.cipher.seal(words, f"job/{name}")).decode()}


def _lost(job_id: int) -> ConflictError:
    msg = f"job {job_id} was cancelled, given up, or went to another worker, which does it; nothing was written here"
    return ConflictError(msg)

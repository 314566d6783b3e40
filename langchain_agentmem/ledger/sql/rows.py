"""Statements of the SQL ledger and the translation between rows and records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from operator import attrgetter
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Row,
    Select,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from langchain_agentmem._terms import encode_labels, encode_terms
from langchain_agentmem.ledger.codec import (
    CLEAR_FIELDS,
    EPOCH,
    dump_own,
    fold,
    from_micros,
    memory_of,
    to_micros,
    words_of,
)
from langchain_agentmem.ledger.sql.holds import is_unheld
from langchain_agentmem.sql.prepared import AMONG, Prepared, Transaction
from langchain_agentmem.sql.schema import ACCESS, EVENTS, JOBS, MEMORIES, MODELS, PAYLOADS, RECEIPTS, SUBJECTS, VECTORS
from langchain_agentmem.types import Memory, Scope
from langchain_agentmem.vault.base import Cipher, NullCipher

_BODY_FIELDS: Final = (
    *("content", "subject", "relation", "object", "tags", "purposes", "legal_basis", "provenance", "supersedes"),
    *("links", "contradicts", "goal", "held_by", "faded_at"),
)
_RARE_FIELDS: Final = frozenset({"contradicts", "goal", "held_by", "faded_at"})
"""Left out where they are empty: rows of earlier releases have none."""

_clear_of: Final = attrgetter(*CLEAR_FIELDS, "pinned")

_SUBJECT: Final[BindParameter[int]] = bindparam("subject")
_ID: Final[BindParameter[str]] = bindparam("id")


class SubjectRow(NamedTuple):
    """A row of subjects."""

    subject_id: int
    tenant_id: str
    user_id: str
    genesis_salt: bytes | None
    genesis: bytes
    head_seq: int
    head_digest: bytes
    head_mac: bytes | None
    consent_status: str
    consent_purposes: str
    consent_at: int | None
    created_at: int
    episode_revision: int
    is_held: int
    is_erasing: int


class MemoryRow(NamedTuple):
    """A row of memories."""

    subject_id: int
    memory_id: str
    agent_id: str | None
    session_id: str | None
    kind: str
    status: str
    source: str
    confidence: float
    importance: float
    trust: float
    pinned: int
    sightings: int
    created_at: int
    valid_at: int | None
    invalid_at: int | None
    expired_at: int | None
    expires_at: int | None
    revision: int
    terms: bytes
    labels: bytes
    body: bytes


_IDENTITY: Final = select(*(SUBJECTS.c[name] for name in SubjectRow._fields)).where(
    SUBJECTS.c.tenant_id == bindparam("tenant"), SUBJECTS.c.user_id == bindparam("user")
)
_SELECT_SUBJECT: Final = Prepared(_IDENTITY)
_LOCK_SUBJECT: Final = Prepared(_IDENTITY.with_for_update())
CONSENT: Final = ("consent_status", "consent_purposes", "consent_at")
_HEAD: Final = ("head_seq", "head_digest", "head_mac")
_STANDING: Final = (*CONSENT, "is_held", "is_erasing")
"""What the last events of a chain leave a user's standing as."""


def _setting(*names: str) -> dict[str, BindParameter[Any]]:
    return {name: bindparam(name) for name in names}


UPDATE_STANDING: Final = update(SUBJECTS).where(SUBJECTS.c.subject_id == _SUBJECT).values(_setting(*_STANDING))
UPDATE_HEAD: Final = Prepared(
    update(SUBJECTS).where(SUBJECTS.c.subject_id == _SUBJECT).values(_setting(*_HEAD, *_STANDING))
)

INSERT_EVENT: Final = Prepared(insert(EVENTS))
INSERT_PAYLOAD: Final = Prepared(insert(PAYLOADS))
SELECT_EVENTS: Final = (
    select(EVENTS, PAYLOADS.c.sealed)
    .outerjoin(PAYLOADS, and_(PAYLOADS.c.subject_id == EVENTS.c.subject_id, PAYLOADS.c.seq == EVENTS.c.seq))
    .where(EVENTS.c.subject_id == _SUBJECT, EVENTS.c.seq > bindparam("after"))
    .order_by(EVENTS.c.seq)
    .limit(bindparam("limit"))
)
SELECT_EVENTS_OF_MEMORY: Final = SELECT_EVENTS.where(EVENTS.c.memory_id == _ID)
SELECT_HOLDS: Final = SELECT_EVENTS.where(EVENTS.c.type.in_(("hold_placed", "hold_released"))).limit(None)
SELECT_SEQ_AT: Final = select(func.coalesce(func.max(EVENTS.c.seq), 0)).where(
    EVENTS.c.subject_id == _SUBJECT, EVENTS.c.at <= bindparam("at")
)
DELETE_PAYLOADS_OF_MEMORY: Final = delete(PAYLOADS).where(
    PAYLOADS.c.subject_id == _SUBJECT,
    PAYLOADS.c.seq.in_(
        select(EVENTS.c.seq).where(
            EVENTS.c.subject_id == _SUBJECT, EVENTS.c.memory_id == _ID, EVENTS.c.seq < bindparam("before")
        )
    ),
)

INSERT_MEMORY: Final = Prepared(insert(MEMORIES))
UPDATE_MEMORY: Final = Prepared(
    update(MEMORIES)
    .where(*(key == bindparam(key.name) for key in MEMORIES.primary_key))
    .values(_setting(*(column.name for column in MEMORIES.c if not column.primary_key)))
)
DELETE_MEMORIES: Final = delete(MEMORIES).where(MEMORIES.c.subject_id == _SUBJECT)
_OF_SUBJECT: Final = select(*(MEMORIES.c[name] for name in MemoryRow._fields)).where(MEMORIES.c.subject_id == _SUBJECT)
_VISIBLE: Final = _OF_SUBJECT.where(
    MEMORIES.c.status != "erased", or_(MEMORIES.c.agent_id.is_(None), MEMORIES.c.agent_id == bindparam("agent"))
)
SELECT_MEMORY: Final = Prepared(_VISIBLE.where(MEMORIES.c.memory_id == _ID))
SELECT_MEMORIES: Final = Prepared(
    {dialect: _VISIBLE.where(among(MEMORIES.c.memory_id, "ids")) for dialect, among in AMONG.items()}
)
SELECT_ENDED: Final = _VISIBLE.where(
    MEMORIES.c.status.in_(("superseded", "archived")),
    MEMORIES.c.session_id.in_(bindparam("sessions", expanding=True)),
)
SELECT_CHANGED: Final = Prepared(_VISIBLE.where(MEMORIES.c.revision > bindparam("since")).order_by(MEMORIES.c.revision))
SELECT_BEYOND: Final = Prepared(
    select(MEMORIES.c.kind)
    .where(MEMORIES.c.subject_id == _SUBJECT, MEMORIES.c.status != "erased")
    .limit(1)
    .offset(bindparam("count"))
)
SELECT_VISIBLE_VECTOR: Final = Prepared(
    _VISIBLE.with_only_columns(VECTORS.c.model)
    .join(VECTORS, and_(VECTORS.c.subject_id == MEMORIES.c.subject_id, VECTORS.c.memory_id == MEMORIES.c.memory_id))
    .where(VECTORS.c.model == bindparam("model"))
    .limit(1)
)
COUNT_VECTORS: Final = Prepared(
    select(func.count())
    .select_from(VECTORS)
    .where(
        VECTORS.c.subject_id == _SUBJECT,
        VECTORS.c.model == bindparam("model"),
        exists().where(MEMORIES.c.subject_id == VECTORS.c.subject_id, MEMORIES.c.memory_id == VECTORS.c.memory_id),
    )
)
"""Of memories, not of turns; what is erased has none. Only keys are read: a quarter of the time that a join takes."""

SELECT_LACKING: Final = Prepared(
    select(MEMORIES.c.kind)
    .where(
        MEMORIES.c.subject_id == _SUBJECT,
        MEMORIES.c.revision > bindparam("since"),
        MEMORIES.c.status != "erased",
        ~exists().where(
            VECTORS.c.subject_id == MEMORIES.c.subject_id,
            VECTORS.c.memory_id == MEMORIES.c.memory_id,
            VECTORS.c.model == bindparam("model"),
        ),
    )
    .limit(1)
)
_TAKEN: Final = select(MEMORIES.c.memory_id, MEMORIES.c.revision).where(MEMORIES.c.subject_id == _SUBJECT)
SELECT_TAKEN: Final = Prepared(
    {dialect: _TAKEN.where(among(MEMORIES.c.memory_id, "ids")) for dialect, among in AMONG.items()}
)
SELECT_ALL_MEMORIES: Final = _OF_SUBJECT.order_by(MEMORIES.c.memory_id)


def with_vectors(statement: Select[Any], memory_id: ColumnElement[str]) -> dict[str, Select[Any]]:
    """Return a statement of one subject's rows with the vector of each, `None` where it has none, by dialect.

    PostgreSQL is told to look up one after the other: for a join, its planner compares each row with each while it does
    not know yet how many there are (70 ms instead of 2 for a thousand rows).
    """
    is_its = and_(
        VECTORS.c.subject_id == _SUBJECT, VECTORS.c.memory_id == memory_id, VECTORS.c.model == bindparam("model")
    )
    looked_up = select(VECTORS.c.vector).where(is_its).scalar_subquery()
    joined = statement.add_columns(VECTORS.c.vector).outerjoin(VECTORS, is_its)
    return {"sqlite": joined, "postgresql": statement.add_columns(looked_up)}


_SEARCH_ROWS: Final = with_vectors(
    select(
        MEMORIES.c.memory_id,
        MEMORIES.c.revision,
        MEMORIES.c.agent_id,
        MEMORIES.c.kind,
        MEMORIES.c.status,
        MEMORIES.c.confidence,
        MEMORIES.c.created_at,
        MEMORIES.c.valid_at,
        MEMORIES.c.invalid_at,
        MEMORIES.c.expires_at,
        MEMORIES.c.terms,
        MEMORIES.c.labels,
    ).where(MEMORIES.c.subject_id == _SUBJECT, MEMORIES.c.revision > bindparam("since")),
    MEMORIES.c.memory_id,
)
SELECT_SEARCH_ROWS: Final = Prepared(_SEARCH_ROWS)
SELECT_SEARCH_ROWS_OF: Final = Prepared(
    {dialect: it.where(AMONG[dialect](MEMORIES.c.memory_id, "ids")) for dialect, it in _SEARCH_ROWS.items()}
)
_JOBS_OF_KIND: Final = and_(JOBS.c.subject_id == _SUBJECT, JOBS.c.kind == bindparam("kind"))
SELECT_JOBS: Final = select(JOBS.c.job_id, JOBS.c.payload).where(_JOBS_OF_KIND, JOBS.c.status != "done")
SELECT_KEYED: Final = select(JOBS.c.job_id).where(_JOBS_OF_KIND, JOBS.c.payload.like(bindparam("holds"))).limit(1)
SELECT_JOB_LEFT: Final = (
    select(JOBS.c.job_id).where(JOBS.c.kind == bindparam("kind"), JOBS.c.status.in_(["queued", "running"])).limit(1)
)
SELECT_MODELS: Final = Prepared(
    select(MODELS.c.model, MODELS.c.dimension, MODELS.c.is_current, MODELS.c.created_at).order_by(MODELS.c.created_at)
)
_NOW: Final[BindParameter[int]] = bindparam("now")
RENEW_MODEL: Final = (
    update(MODELS)
    .where(MODELS.c.model == bindparam("name"))
    .values(created_at=case((MODELS.c.created_at < _NOW, _NOW), else_=MODELS.c.created_at + 1))
)
"""It moves also where the clock stands still or goes back."""
_USES: Final = select(ACCESS.c.memory_id, ACCESS.c.uses, ACCESS.c.last_used_at).where(ACCESS.c.subject_id == _SUBJECT)
SELECT_USES: Final = Prepared(
    {dialect: _USES.where(among(ACCESS.c.memory_id, "ids")) for dialect, among in AMONG.items()}
)
_EVIDENT: Final = (
    select(EVENTS.c.memory_id, func.max(EVENTS.c.at))
    .where(
        EVENTS.c.subject_id == _SUBJECT,
        or_(
            *(EVENTS.c.type == it for it in ("remembered", "confirmed", "activated", "revised", "restored")),
            and_(EVENTS.c.type == "feedback", or_(EVENTS.c.rule == "succeeded", EVENTS.c.rule == "confirmed")),
        ),
    )
    .group_by(EVENTS.c.memory_id)
)
SELECT_EVIDENT: Final = Prepared(
    {dialect: _EVIDENT.where(among(EVENTS.c.memory_id, "ids")) for dialect, among in AMONG.items()}
)
SELECT_RECEIPT: Final = select(RECEIPTS).where(RECEIPTS.c.subject_id == _SUBJECT, RECEIPTS.c.receipt_id == _ID)
SELECT_RECEIPTS: Final = select(RECEIPTS.c.receipt_id, RECEIPTS.c.sealed).where(
    RECEIPTS.c.subject_id == _SUBJECT, RECEIPTS.c.at >= bindparam("since")
)
UPDATE_RECEIPT: Final = update(RECEIPTS).where(RECEIPTS.c.subject_id == _SUBJECT, RECEIPTS.c.receipt_id == _ID)
DELETE_OLD_RECEIPTS: Final = Prepared(
    delete(RECEIPTS).where(RECEIPTS.c.subject_id == _SUBJECT, RECEIPTS.c.at < bindparam("before"), is_unheld(RECEIPTS))
)
DELETE_VECTORS: Final = delete(VECTORS).where(VECTORS.c.subject_id == _SUBJECT, VECTORS.c.memory_id == _ID)
DELETE_ACCESS: Final = delete(ACCESS).where(ACCESS.c.subject_id == _SUBJECT, ACCESS.c.memory_id == _ID)


@cache
def page_statement(kinds: bool, order_by: str, after: bool) -> Prepared:  # noqa: FBT001  (three shapes of one statement)
    """Return the statement of one page of a listing."""
    column = MEMORIES.c[order_by]
    statement = _VISIBLE
    if after:
        at: BindParameter[Any] = bindparam("at")
        statement = statement.where(or_(column < at, and_(column == at, MEMORIES.c.memory_id < bindparam("last"))))
    statement = statement.order_by(column.desc(), MEMORIES.c.memory_id.desc()).limit(bindparam("limit"))
    wanted = {"statuses": MEMORIES.c.status, **({"kinds": MEMORIES.c.kind} if kinds else {})}
    return Prepared(
        {
            dialect: statement.where(*(among(of, name) for name, of in wanted.items()))
            for dialect, among in AMONG.items()
        }
    )


def find_subject(connection: Transaction, scope: Scope, *, locked: bool = False) -> SubjectRow | None:
    """Return the row of a scope's user, `None` where nothing was written of them; locked until the transaction ends."""
    statement = _LOCK_SUBJECT if locked else _SELECT_SUBJECT
    found = statement.rows(connection, {"tenant": scope.tenant_id, "user": scope.user_id})
    return SubjectRow._make(found[0]) if found else None


@dataclass(frozen=True, slots=True)
class RowCodec:
    """Turns rows of one subject into records and back."""

    owner: Scope
    cipher: Cipher

    def memory(self, row: MemoryRow | Row[*tuple[Any, ...]]) -> Memory:
        """Return the memory that a row of the projection holds."""
        body = self.cipher.open(row.body, f"memory/{row.memory_id}") if row.body else b""
        return memory_of(self.owner, row.memory_id, row.revision, _clear_of(row), body)

    def memory_row(self, memory_id: str, stored: Mapping[str, Any], revision: int) -> dict[str, Any]:
        """Return the row of the projection that holds a memory of these stored fields."""
        row = {name: stored[name] for name in CLEAR_FIELDS}
        row |= {"memory_id": memory_id, "pinned": int(stored["pinned"]), "revision": revision}
        if stored["status"] == "erased":
            return row | {"terms": b"", "labels": b"", "body": b""}
        seal = self.cipher.seal
        body = dump_own({name: stored[name] for name in _BODY_FIELDS if name not in _RARE_FIELDS or stored.get(name)})
        return row | {
            "terms": seal(encode_terms(words_of(stored)), f"terms/{memory_id}"),
            "labels": seal(encode_labels(stored["tags"], stored["purposes"]), f"labels/{memory_id}"),
            "body": seal(body, f"memory/{memory_id}"),
        }

    def search_rows(self, found: Sequence[Sequence[Any]]) -> Sequence[Sequence[Any]]:
        """Return what an index needs of rows of `SELECT_SEARCH_ROWS`: the fields of a `SearchRow`."""
        if type(self.cipher) is NullCipher:  # there is nothing to open, and what was erased is empty already
            return found
        return list(map(self._search_row, found))

    def _search_row(self, row: Sequence[Any]) -> Sequence[Any]:
        memory_id, terms, labels, vector = row[0], row[10], row[11], row[12]
        if row[4] == "erased":
            return (*row[:10], b"", b"", None)
        cipher = self.cipher
        return (
            *row[:10],
            cipher.open(terms, f"terms/{memory_id}"),
            cipher.open(labels, f"labels/{memory_id}"),
            None if vector is None else cipher.open(vector, f"vector/{memory_id}"),
        )

    def payload(self, sealed: bytes, seq: int) -> tuple[bytes, bytes]:
        """Return salt and payload bytes of an event."""
        plain = self.cipher.open(sealed, f"event/{seq}")
        return plain[:32], plain[32:]


def tombstone(memory_id: str, owner: Scope, at: int, seq: int) -> Memory:
    """Return what is left of an erased memory: its id, and when it went."""
    payload: Mapping[str, Any] = {
        "kind": "fact",
        "content": "",
        "confidence": 0.0,
        "importance": 0.0,
        "source": "explicit",
        "status": "erased",
        "trust": 0.0,
        "created_at": at,
        "expired_at": at,
    }
    return fold(None, memory_id, Scope(owner.user_id, tenant_id=owner.tenant_id), payload, seq)


def micros(at: datetime) -> int:
    """Return the stored form of a time that is always there."""
    return to_micros(at) or 0


def moment(at: int) -> datetime:
    """Return the time of its stored form."""
    return from_micros(at) or EPOCH

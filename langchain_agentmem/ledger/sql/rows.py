"""Statements of the SQL ledger and the translation between rows and records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Final

from sqlalchemy import BindParameter, Row, Select, and_, bindparam, delete, insert, or_, select, update

from langchain_agentmem._search import SearchRow, search_text
from langchain_agentmem._terms import encode_labels, encode_terms
from langchain_agentmem.ledger.codec import EPOCH, dump, encode_fields, fields_of, fold, from_micros, load, to_micros
from langchain_agentmem.sql.prepared import Prepared
from langchain_agentmem.sql.schema import ACCESS, EVENTS, JOBS, MEMORIES, MODELS, PAYLOADS, RECEIPTS, SUBJECTS, VECTORS
from langchain_agentmem.types import Memory, Scope
from langchain_agentmem.vault.base import Cipher

_BODY_FIELDS: Final = (
    "content",
    "subject",
    "relation",
    "object",
    "tags",
    "purposes",
    "legal_basis",
    "provenance",
    "supersedes",
    "links",
    "contradicts",
    "goal",
)
_RARE_FIELDS: Final = frozenset({"contradicts", "goal"})
"""Left out where they are empty: rows of earlier releases have none."""

_CLEAR_FIELDS: Final = (
    "agent_id",
    "session_id",
    "kind",
    "status",
    "source",
    "confidence",
    "importance",
    "trust",
    "sightings",
    "created_at",
    "valid_at",
    "invalid_at",
    "expired_at",
    "expires_at",
)

_SUBJECT: Final[BindParameter[int]] = bindparam("subject")
_ID: Final[BindParameter[str]] = bindparam("id")

SELECT_SUBJECT: Final = select(SUBJECTS).where(
    SUBJECTS.c.tenant_id == bindparam("tenant"), SUBJECTS.c.user_id == bindparam("user")
)
LOCK_SUBJECT: Final = SELECT_SUBJECT.with_for_update()
_CONSENT: Final = ("consent_status", "consent_purposes", "consent_at")
_HEAD: Final = ("head_seq", "head_digest", "head_mac")


def _setting(*names: str) -> dict[str, BindParameter[Any]]:
    return {name: bindparam(name) for name in names}


UPDATE_CONSENT: Final = update(SUBJECTS).where(SUBJECTS.c.subject_id == _SUBJECT).values(_setting(*_CONSENT))
UPDATE_HEAD: Final = Prepared(
    update(SUBJECTS).where(SUBJECTS.c.subject_id == _SUBJECT).values(_setting(*_HEAD, *_CONSENT))
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
    .where(MEMORIES.c.subject_id == _SUBJECT, MEMORIES.c.memory_id == _ID)
    .values(_setting(*(column.name for column in MEMORIES.c if not column.primary_key)))
)
DELETE_MEMORIES: Final = delete(MEMORIES).where(MEMORIES.c.subject_id == _SUBJECT)
_OF_SUBJECT: Final = select(MEMORIES).where(MEMORIES.c.subject_id == _SUBJECT)
_VISIBLE: Final = _OF_SUBJECT.where(
    MEMORIES.c.status != "erased", or_(MEMORIES.c.agent_id.is_(None), MEMORIES.c.agent_id == bindparam("agent"))
)
SELECT_MEMORY: Final = _VISIBLE.where(MEMORIES.c.memory_id == _ID)
SELECT_MEMORIES: Final = _VISIBLE.where(MEMORIES.c.memory_id.in_(bindparam("ids", expanding=True)))
SELECT_ENDED: Final = _VISIBLE.where(
    MEMORIES.c.status.in_(("superseded", "archived")),
    MEMORIES.c.session_id.in_(bindparam("sessions", expanding=True)),
)
SELECT_CHANGED: Final = _VISIBLE.where(MEMORIES.c.revision > bindparam("since")).order_by(MEMORIES.c.revision)
SELECT_TAKEN: Final = Prepared(
    select(MEMORIES.c.memory_id).where(MEMORIES.c.subject_id == _SUBJECT, MEMORIES.c.memory_id == _ID)
)
SELECT_ALL_MEMORIES: Final = _OF_SUBJECT.order_by(MEMORIES.c.memory_id)

_SEARCH_ROWS: Final = (
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
        VECTORS.c.vector,
    )
    .outerjoin(
        VECTORS,
        and_(
            VECTORS.c.subject_id == MEMORIES.c.subject_id,
            VECTORS.c.memory_id == MEMORIES.c.memory_id,
            VECTORS.c.model == bindparam("model"),
        ),
    )
    .where(MEMORIES.c.subject_id == _SUBJECT, MEMORIES.c.revision > bindparam("since"))
)
SELECT_SEARCH_ROWS: Final = Prepared(_SEARCH_ROWS)
SELECT_SEARCH_ROWS_OF: Final = _SEARCH_ROWS.where(MEMORIES.c.memory_id.in_(bindparam("ids", expanding=True)))
SELECT_JOBS: Final = select(JOBS.c.job_id, JOBS.c.payload).where(
    JOBS.c.subject_id == _SUBJECT, JOBS.c.kind == bindparam("kind")
)
SELECT_JOB_LEFT: Final = (
    select(JOBS.c.job_id).where(JOBS.c.kind == bindparam("kind"), JOBS.c.status.in_(["queued", "running"])).limit(1)
)
SELECT_MODELS: Final = select(MODELS).order_by(MODELS.c.created_at)
SELECT_USES: Final = select(ACCESS).where(
    ACCESS.c.subject_id == _SUBJECT, ACCESS.c.memory_id.in_(bindparam("ids", expanding=True))
)
SELECT_RECEIPT: Final = select(RECEIPTS).where(RECEIPTS.c.subject_id == _SUBJECT, RECEIPTS.c.receipt_id == _ID)
SELECT_RECEIPTS: Final = select(RECEIPTS.c.receipt_id, RECEIPTS.c.sealed).where(RECEIPTS.c.subject_id == _SUBJECT)
UPDATE_RECEIPT: Final = update(RECEIPTS).where(RECEIPTS.c.subject_id == _SUBJECT, RECEIPTS.c.receipt_id == _ID)
DELETE_OLD_RECEIPTS: Final = delete(RECEIPTS).where(
    RECEIPTS.c.subject_id == _SUBJECT, RECEIPTS.c.at < bindparam("before")
)
DELETE_VECTORS: Final = delete(VECTORS).where(VECTORS.c.subject_id == _SUBJECT, VECTORS.c.memory_id == _ID)
DELETE_ACCESS: Final = delete(ACCESS).where(ACCESS.c.subject_id == _SUBJECT, ACCESS.c.memory_id == _ID)


@cache
def page_statement(kinds: bool, order_by: str, after: bool) -> Select[Any]:  # noqa: FBT001  (three shapes of one statement)
    """Return the statement of one page of a listing."""
    column = MEMORIES.c[order_by]
    statement = _VISIBLE.where(MEMORIES.c.status.in_(bindparam("statuses", expanding=True)))
    if kinds:
        statement = statement.where(MEMORIES.c.kind.in_(bindparam("kinds", expanding=True)))
    if after:
        at: BindParameter[Any] = bindparam("at")
        statement = statement.where(or_(column < at, and_(column == at, MEMORIES.c.memory_id < bindparam("last"))))
    return statement.order_by(column.desc(), MEMORIES.c.memory_id.desc()).limit(bindparam("limit"))


@dataclass(frozen=True, slots=True)
class RowCodec:
    """Turns rows of one subject into records and back."""

    owner: Scope
    cipher: Cipher

    def memory(self, row: Row[*tuple[Any, ...]]) -> Memory:
        """Return the memory that a row of the projection holds."""
        body = load(self.cipher.open(row.body, f"memory/{row.memory_id}")) if row.body else {}
        clear = {name: getattr(row, name) for name in _CLEAR_FIELDS}
        stored = {"content": "", **clear, "pinned": bool(row.pinned), **body}
        return fold(None, row.memory_id, self.owner, stored, row.revision)

    def memory_row(self, memory: Memory) -> dict[str, Any]:
        """Return the row of the projection that holds a memory."""
        encoded = encode_fields(fields_of(memory))
        row = {name: encoded[name] for name in _CLEAR_FIELDS}
        row |= {"memory_id": memory.id, "pinned": int(memory.pinned), "revision": memory.revision}
        if memory.status == "erased":
            return row | {"terms": b"", "labels": b"", "body": b""}
        body = dump({name: encoded[name] for name in _BODY_FIELDS if name not in _RARE_FIELDS or encoded.get(name)})
        text = search_text(memory)
        return row | {
            "terms": self.cipher.seal(encode_terms(text), f"terms/{memory.id}"),
            "labels": self.cipher.seal(encode_labels(memory.tags, memory.purposes), f"labels/{memory.id}"),
            "body": self.cipher.seal(body, f"memory/{memory.id}"),
        }

    def search_row(self, row: Sequence[Any]) -> SearchRow:
        """Return what an index needs of a row of `SELECT_SEARCH_ROWS`."""
        memory_id, terms, labels, vector = row[0], row[10], row[11], row[12]
        if row[4] == "erased":
            return SearchRow._make((*row[:10], b"", b"", None))
        cipher = self.cipher
        return SearchRow._make(
            (
                *row[:10],
                cipher.open(terms, f"terms/{memory_id}"),
                cipher.open(labels, f"labels/{memory_id}"),
                None if vector is None else cipher.open(vector, f"vector/{memory_id}"),
            )
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

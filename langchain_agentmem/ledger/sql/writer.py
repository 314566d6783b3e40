"""What a transaction of the SQL ledger writes: events, their payloads and the projections, together."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, Final

from sqlalchemy import Connection

from langchain_agentmem._search import search_text
from langchain_agentmem.errors import ConflictError
from langchain_agentmem.ledger import chain
from langchain_agentmem.ledger.base import Draft, ModelState
from langchain_agentmem.ledger.codec import (
    dump_own,
    encode_fields,
    load,
    stored_after,
    stored_of,
    to_micros,
    without_words,
    words_of,
)
from langchain_agentmem.ledger.consents import NOTHING, seal_consent
from langchain_agentmem.ledger.presence import must_have
from langchain_agentmem.ledger.sql import rows, sized, upserts
from langchain_agentmem.ledger.sql.episodes import SQLEpisodeWriter
from langchain_agentmem.ledger.sql.held import HeldMemory, HeldRows
from langchain_agentmem.ledger.sql.job_writer import SQLJobWriter, WriterSettings
from langchain_agentmem.ledger.sql.reader import encode_receipt
from langchain_agentmem.ledger.sql.requests import Found, SQLRequests
from langchain_agentmem.ledger.sql.runs import SQLRuns
from langchain_agentmem.ledger.sql.sensitive import SQLSensitiveRows
from langchain_agentmem.ledger.sql.snapshots import DELETE_SNAPSHOTS
from langchain_agentmem.ledger.standing import (
    ENDS_CONTENT,
    KEYS_LOST,
    STANDING_EVENTS,
    check_not_erasing,
    check_not_held,
    head_after,
    moved,
)
from langchain_agentmem.sql.schema import SUBJECTS
from langchain_agentmem.types import Event, Memory, Receipt, Scope
from langchain_agentmem.vault.base import Cipher

LOGGER: Final = logging.getLogger("langchain_agentmem")


class SQLWriter(SQLJobWriter):
    """Writes one subject's rows; holds the subject's row lock until the transaction ends."""

    def __init__(self, connection: Connection, scope: Scope, cipher: Cipher, settings: WriterSettings) -> None:
        """Lock the subject, creating it where it is new."""
        self._settings = settings
        self._dialect = connection.dialect.name
        self._models: list[ModelState] | None = None
        self._kept_models: set[str] = set()
        super().__init__(connection, scope, cipher)
        row = self._subject_row
        if row is None:
            msg = "the subject vanished while it was locked"
            raise ConflictError(msg, is_retryable=True)
        if not settings.is_erasure:
            check_not_erasing(self.head)
        self._held = HeldRows(connection, row.subject_id)
        self._digest = row.head_digest
        self._genesis = row.genesis
        self._read_seq, self._read_consent = self.head.seq, self.head.stated
        self._stored_consent = {name: getattr(row, name) for name in rows.CONSENT}
        self._doubt(row)

    def _find_subject(self) -> rows.SubjectRow | None:
        row = rows.find_subject(self._raw, self._scope, locked=True)
        if row is None:
            self._insert_subject()
            row = rows.find_subject(self._raw, self._scope, locked=True)
        return row

    def _insert_subject(self) -> None:
        salt = chain.new_salt()
        origin = chain.genesis(salt, self._scope.tenant_id, self._scope.user_id)
        values = {
            "tenant_id": self._scope.tenant_id,
            "user_id": self._scope.user_id,
            "genesis_salt": salt,
            "genesis": origin,
            "head_seq": 0,
            "head_digest": origin,
            "head_mac": chain.authenticate(self._settings.key, origin, 0, origin),
            "consent_status": "unknown",
            "consent_purposes": NOTHING,
            "created_at": rows.micros(self._settings.clock()),
        }
        self._raw.execute(upserts.insert_or_ignore(self._dialect, SUBJECTS), values)

    def _doubt(self, row: rows.SubjectRow) -> None:
        """Note a head that the key does not vouch for, first: what is signed from then on has the note in it."""
        rule = chain.doubt(self._settings.key, row.genesis, row.head_seq, row.head_digest, row.head_mac)
        if rule is not None:
            noted = self.append(Draft(type=chain.UNVERIFIED, rule=rule)).seq
            LOGGER.warning("subject %d: before event %d no code is of this key: %s", row.subject_id, noted, rule)

    @property
    def _connection(self) -> Connection:
        self._held.write()
        return self._raw

    def memory(self, memory_id: str) -> Memory | None:
        """Return a visible memory, as this transaction leaves it."""
        held = self._held.memory(memory_id, self._scope)
        if held is None:
            return super().memory(memory_id)
        return held if held.status != "erased" and held.scope.agent_id in {None, self._scope.agent_id} else None

    # ------------------------------------------------------------------------------------------------------- events
    def append(self, draft: Draft) -> Event:
        """Append an event and bring the projections along."""
        is_new = draft.type == "remembered"
        current = None if draft.memory_id is None or is_new else must_have(self, draft.memory_id)
        payload = {**encode_fields(draft.changes), "note": dict(draft.note)}
        event = self._append(draft, payload)
        if draft.memory_id is not None:
            self._project(current, draft.memory_id, stored_after(current, self._scope, payload), event.seq)
        elif draft.type in STANDING_EVENTS:
            self.head = head_after(self.head, draft.type, draft.note, event.at)
        return event

    def erase(self, memory_id: str, note: Mapping[str, Any]) -> Event:
        """Append `erased` and delete everything of the memory but its place in the chain."""
        current = must_have(self, memory_id)
        event = self._append(Draft(type="erased", memory_id=memory_id), {"note": dict(note)})
        values = {"subject": self._subject, "id": memory_id}
        self._connection.execute(rows.DELETE_PAYLOADS_OF_MEMORY, {**values, "before": event.seq})
        self._connection.execute(rows.DELETE_VECTORS, values)
        self._connection.execute(rows.DELETE_ACCESS, values)
        self.sensitive.drop(memory_id)
        left = rows.tombstone(memory_id, self._scope, rows.micros(event.at), event.seq)
        self._project(current, memory_id, stored_of(left), event.seq)
        return event

    def flush(self) -> None:
        """Write what is held back, and the chain's new head; the transaction's last act."""
        if self.head.seq != self._read_seq:
            self._held.add(rows.UPDATE_HEAD, self._subject, self._head_row())
        self._held.write()

    def _head_row(self) -> dict[str, Any]:
        mac = chain.authenticate(self._settings.key, self._genesis, self.head.seq, self._digest)
        return {
            "subject": self._subject,
            "head_seq": self.head.seq,
            "head_digest": self._digest,
            "head_mac": mac,
            **self._consent_row(),
            "is_held": int(self.head.is_held),
            "is_erasing": int(self.head.is_erasing),
        }

    def _consent_row(self) -> dict[str, Any]:
        """Return what stands of the consent: as it stood, where no event changed it."""
        if self.head.stated is self._read_consent:
            return self._stored_consent
        consent = self.head.consent
        purposes = seal_consent(consent, self._codec.cipher)
        return {"consent_status": consent.status, "consent_purposes": purposes, "consent_at": to_micros(consent.at)}

    def _append(self, draft: Draft, payload: Mapping[str, Any]) -> Event:
        if draft.type in ENDS_CONTENT:
            check_not_held(self.head)
        at, seq, data = self._settings.clock(), self.head.seq + 1, dump_own(payload)
        salt = chain.new_salt()
        header = chain.Header(seq=seq, type=draft.type, at=rows.micros(at), memory_id=draft.memory_id, rule=draft.rule)
        commitment = chain.commit(salt, data)
        self._digest = chain.link(self._digest, header, commitment)
        row = {"type": header.type, "at": header.at, "memory_id": header.memory_id, "rule": header.rule}
        place = {"subject_id": self._subject, "seq": seq}
        self._held.add(rows.INSERT_EVENT, seq, {**place, **row, "commitment": commitment, "digest": self._digest})
        if draft.rule != KEYS_LOST:
            sealed = self._codec.cipher.seal(salt + data, f"event/{seq}")
            self._held.add(rows.INSERT_PAYLOAD, seq, {**place, "sealed": sealed})
        self.head = moved(self.head, seq, self._digest)
        return Event(
            seq=seq,
            type=draft.type,
            at=at,
            memory_id=draft.memory_id,
            payload=payload,
            digest=self._digest.hex(),
            rule=draft.rule,
        )

    def _project(self, current: Memory | None, memory_id: str, stored: Mapping[str, Any], seq: int) -> None:
        row = self._codec.memory_row(memory_id, stored, seq)
        self._held.put_memory(memory_id, HeldMemory(stored, seq), row, is_new=current is None)
        if current is None:
            return
        is_reworded = search_text(current) != words_of(stored)
        if is_reworded:  # vectors of any model are of old text
            self._connection.execute(rows.DELETE_VECTORS, {"subject": self._subject, "id": memory_id})
        if is_reworded or ([*current.tags], [*current.purposes]) != (stored["tags"], stored["purposes"]):
            DELETE_SNAPSHOTS.change(self._connection, [{"subject": self._subject}])

    # ------------------------------------------------------------------------------------------- beside the chain
    @cached_property
    def episodes(self) -> SQLEpisodeWriter:
        """Return what can be read and written of the user's conversations."""
        return SQLEpisodeWriter(self._place(), self._episode_revision, self.append, self._keep_model)

    @property
    def runs(self) -> SQLRuns:
        """Return what is kept of agents' runs."""
        kept_for = self._settings.receipts_for
        return SQLRuns(self._connection, self._subject, self._scope, self._codec.cipher, kept_for)

    @cached_property
    def requests(self) -> SQLRequests:
        """Return what the user asked to forget."""
        found = Found(self._subject, self._read_seq)
        return SQLRequests(self._raw, found, self._scope, self._codec.cipher, self._settings.clock)

    @property
    def sensitive(self) -> SQLSensitiveRows:
        """Return what was found to be sensitive."""
        agent, cipher = self._scope.agent_id, self._codec.cipher
        return SQLSensitiveRows(self, lambda: self._connection, self._subject, agent, cipher)

    def models(self) -> list[ModelState]:
        """Return the embedding models known to the database, as this transaction first saw them or added to them."""
        if self._models is None:
            self._held.write()  # those added are among it
            self._models = super().models()
            self._kept_models.update([it.name for it in self._models])
        return self._models

    def put_vector(self, memory_id: str, model: ModelState, vector: bytes) -> None:
        """Store the vector of a memory that this transaction writes, and the model where it is new."""
        self._keep_model(model)
        sealed = self._codec.cipher.seal(vector, f"vector/{memory_id}")
        row = {"subject_id": self._subject, "memory_id": memory_id, "model": model.name, "vector": sealed}
        self._held.add(upserts.PUT_VECTOR, (memory_id, model.name), row)

    def add_vectors(self, model: ModelState, vectors: Mapping[str, bytes]) -> None:
        """Store vectors of memories that were written without, and let every view know."""
        for memory_id, vector in vectors.items():
            self.put_vector(memory_id, model, vector)
        if vectors:
            self._connection.execute(rows.RENEW_MODEL, {"name": model.name, "now": rows.micros(self._settings.clock())})
            self._models = None

    def drop_vectors(self, model: str, ids: Sequence[str]) -> None:
        """Delete vectors of a model."""
        sized.drop_vectors(self._connection, self._subject, model, ids)

    def _keep_model(self, model: ModelState) -> None:
        if model.name in self._kept_models:
            return
        row = {"model": model.name, "dimension": model.dimension, "is_current": int(model.is_current)}
        at = rows.micros(self._settings.clock())
        self._held.add(upserts.ADD_MODEL, model.name, {**row, "created_at": at})
        self._models = None
        self._kept_models.add(model.name)

    def put_receipt(self, receipt: Receipt) -> None:
        """Store or replace a receipt, and drop those of the subject that were kept long enough."""
        sealed = self._codec.cipher.seal(encode_receipt(receipt), f"receipt/{receipt.id}")
        at = rows.micros(receipt.at)
        if self._settings.receipts_for is not None:
            before = rows.micros(receipt.at - self._settings.receipts_for)
            rows.DELETE_OLD_RECEIPTS.change(self._connection, [{"subject": self._subject, "before": before}])
        row = {"subject_id": self._subject, "receipt_id": receipt.id, "at": at, "sealed": sealed}
        upserts.PUT_RECEIPT.change(self._connection, [row])

    def forget_questions(self, since: datetime | None = None) -> None:
        """Seal every receipt anew without its words."""
        values = {"subject": self._subject, "since": 0 if since is None else rows.micros(since)}
        found = self._connection.execute(rows.SELECT_RECEIPTS, values).all()
        for row in found:
            identity = f"receipt/{row.receipt_id}"
            stored = load(self._codec.cipher.open(row.sealed, identity))
            plan = without_words(stored["plan"])
            if plan != stored["plan"] or stored.get("unsupported"):
                sealed = self._codec.cipher.seal(dump_own({**stored, "plan": plan, "unsupported": []}), identity)
                values = {"subject": self._subject, "id": row.receipt_id}
                self._connection.execute(rows.UPDATE_RECEIPT.values(sealed=sealed), values)

    def touch(self, memory_ids: Sequence[str], at: datetime) -> None:
        """Count one use of each memory."""
        first = {"subject_id": self._subject, "uses": 1, "last_used_at": rows.micros(at)}
        if memory_ids:
            used = [{**first, "memory_id": memory_id} for memory_id in memory_ids]
            upserts.COUNT_USE.change(self._connection, used)

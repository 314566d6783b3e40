"""Snapshots of views in a transaction of the SQL ledger."""

from __future__ import annotations

from typing import Final

from sqlalchemy import bindparam, delete, select

from langchain_agentmem.ledger.base import Head
from langchain_agentmem.ledger.snapshots import Snapshots
from langchain_agentmem.ledger.sql import rows, upserts
from langchain_agentmem.ledger.sql.sealed import name_of
from langchain_agentmem.sql.prepared import Prepared, Transaction
from langchain_agentmem.sql.schema import SNAPSHOTS
from langchain_agentmem.vault.base import Cipher

_OF_SUBJECT: Final = SNAPSHOTS.c.subject_id == bindparam("subject")
_SELECT: Final = Prepared(select(SNAPSHOTS.c.sealed).where(_OF_SUBJECT, SNAPSHOTS.c.model == bindparam("model")))
DELETE_SNAPSHOTS: Final = Prepared(delete(SNAPSHOTS).where(_OF_SUBJECT))


class SQLSnapshots(Snapshots):
    """Keeps one subject's, a row for each model; "" stands for none."""

    def __init__(self, connection: Transaction, subject: int, head: Head, cipher: Cipher) -> None:
        """Compose; nothing is read yet."""
        self._connection = connection
        self._subject = subject
        self._head = head
        self._cipher = cipher

    def get(self, model: str | None) -> bytes | None:
        """Look it up."""
        name = model or ""
        found = _SELECT.rows(self._connection, {"subject": self._subject, "model": name})
        return self._cipher.open(found[0][0], name_of("snapshot", (name,))) if found else None

    def put(self, model: str | None, revision: int, data: bytes) -> bool:
        """Insert or replace it, unless anything happened since."""
        current = {name for name, _, is_current, _ in rows.SELECT_MODELS.rows(self._connection, {}) if is_current}
        if revision != self._head.seq or (model is not None and model not in current):
            return False
        name = model or ""
        sealed = self._cipher.seal(data, name_of("snapshot", (name,)))
        row = {"subject_id": self._subject, "model": name, "sealed": sealed}
        upserts.PUT_SNAPSHOT.change(self._connection, [row])
        return True

"""Walk over every sealed value of a subject, batch by batch, each in a transaction of its own."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple, TypeAlias

from sqlalchemy import Connection, bindparam, select, tuple_

from langchain_agentmem._flow import Flow
from langchain_agentmem.ledger.codec import load
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import JOBS, SUBJECTS
from langchain_agentmem.vault.cipher import SubjectCipher
from langchain_agentmem.vault.keyring import Subject
from langchain_agentmem.vault.layers import LAYERS, AnyRow, Form, Layer

BATCH_ROWS: Final = 200

_OPTIONAL: Final = frozenset({"claims", "updates"})
"""Columns of episodes that are empty where there is nothing to say."""


class SealedValue(NamedTuple):
    """A value where it stands.

    Attributes:
        row: Its row, the columns of its key first.
        form: How it stands there.
        names: What it may be sealed as.
        cipher: The user's, or of their thread.
    """

    layer: Layer
    row: AnyRow
    column: str
    form: Form
    value: bytes
    names: tuple[str, ...]
    cipher: SubjectCipher


Visit: TypeAlias = Callable[[Connection, SealedValue], int]
"""Does something with a value; returns how many rows it changed."""


class JobValue(NamedTuple):
    """What a job keeps sealed inside its payload."""

    job_id: int
    kept: dict[str, Any]
    value: bytes

    @property
    def name(self) -> str:
        """What it is sealed as."""
        return f"job/{self.kept['name']}"


def walk(database: Database, subject: Subject, cipher: SubjectCipher, visit: Visit, *, is_change: bool) -> Flow[int]:
    """Visit every sealed value of a subject but those of jobs; return how many rows were changed."""
    changed = 0
    for layer in LAYERS:
        batch = _Batch(layer, subject, cipher, visit)
        while not batch.is_last:
            yield from (database.write if is_change else database.read)(batch.run)
        changed += batch.changed
    return changed


def jobs_of(connection: Connection, subject: Subject, *, locked: bool = False) -> Iterator[JobValue]:
    """Yield what jobs of a subject keep sealed."""
    mine = select(SUBJECTS.c.subject_id).where(
        SUBJECTS.c.tenant_id == bindparam("tenant"), SUBJECTS.c.user_id == bindparam("user")
    )
    statement = select(JOBS.c.job_id, JOBS.c.payload).where(JOBS.c.subject_id.in_(mine))
    found = connection.execute(statement.with_for_update() if locked else statement, places_of(subject)).all()
    for job_id, payload in found:
        kept = load(payload.encode())
        value = b64decode(kept.get("sealed", ""))
        if value:
            yield JobValue(job_id, kept, value)


def places_of(subject: Subject) -> dict[str, Any]:
    """Return what says of rows whose they are."""
    return {"tenant": subject.tenant_id, "user": subject.user_id, "session": subject.session_id}


class _Batch:
    """One batch after the other of a layer's rows, in the order of their keys."""

    def __init__(self, layer: Layer, subject: Subject, cipher: SubjectCipher, visit: Visit) -> None:
        self.changed = 0
        self.is_last = False
        self._layer, self._cipher, self._visit = layer, cipher, visit
        self._owner = places_of(subject)
        self._after: tuple[Any, ...] | None = None

    def run(self, connection: Connection) -> None:
        """Take the next batch; nothing is remembered of one that failed."""
        rows = self._next(connection)
        changed = sum(self._visit(connection, it) for row in rows for it in self._values(row))
        self.changed += changed
        self.is_last = len(rows) < BATCH_ROWS
        if rows:
            self._after = tuple(rows[-1])[: len(self._layer.key)]

    def _next(self, connection: Connection) -> list[AnyRow]:
        layer = self._layer
        sealed = [layer.table.c[cell.column] for cell in layer.cells]
        statement = select(*layer.key, *sealed, *layer.shown).select_from(layer.source).where(layer.owned)
        if self._after is not None:
            last = (bindparam(None, it, type_=key.type) for it, key in zip(self._after, layer.key, strict=True))
            statement = statement.where(tuple_(*layer.key) > tuple_(*last))
        return list(connection.execute(statement.order_by(*layer.key).limit(BATCH_ROWS), self._owner).all())

    def _values(self, row: AnyRow) -> Iterator[SealedValue]:
        cipher = self._cipher.of_thread(row.thread_id) if self._layer.is_of_threads else self._cipher
        for cell in self._layer.cells:
            value = cell.form.read(getattr(row, cell.column))
            if value is not None and not _is_left_empty(row, cell.column):
                yield SealedValue(self._layer, row, cell.column, cell.form, value, cell.names(row), cipher)


def _is_left_empty(row: AnyRow, column: str) -> bool:
    """Whether a value is empty because there is none: what was erased has no body either."""
    return not getattr(row, column) and (column in _OPTIONAL or not getattr(row, "body", True))

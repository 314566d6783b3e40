"""What a transaction of the SQL ledger reads."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from functools import cached_property, partial
from typing import Any, Final

from sqlalchemy import Connection, Row, func, select

from langchain_agentmem._search import SearchColumns, SearchRow
from langchain_agentmem.errors import IntegrityError, LostKeysError
from langchain_agentmem.ledger.base import Head, LedgerReader, ModelState, Page
from langchain_agentmem.ledger.codec import dump_own, load
from langchain_agentmem.ledger.consents import open_consent
from langchain_agentmem.ledger.sql import rows, sized
from langchain_agentmem.ledger.sql.episode_rows import EpisodeCodec
from langchain_agentmem.ledger.sql.episodes import Place, SQLEpisodeReader
from langchain_agentmem.ledger.sql.runs import SQLRuns
from langchain_agentmem.ledger.sql.snapshots import SQLSnapshots
from langchain_agentmem.ledger.standing import opening
from langchain_agentmem.sql.prepared import Prepared, listed
from langchain_agentmem.sql.schema import MEMORIES, TOKENS
from langchain_agentmem.types import ConsentState, Event, Memory, Receipt, ReceiptLine, Scope
from langchain_agentmem.vault.base import Cipher

_LINE_FIELDS: Final = tuple(field.name for field in fields(ReceiptLine))

NO_SUBJECT: Final = 0
"""Subject number of a user of whom nothing was ever written; no row has it."""


class SQLReader(LedgerReader):
    """Reads one subject's rows on a connection that is in a transaction."""

    def __init__(self, connection: Connection, scope: Scope, cipher: Cipher) -> None:
        """Find the subject; a user of whom nothing was written has an empty ledger."""
        self._raw = connection
        self._scope = scope
        self._codec = rows.RowCodec(scope, cipher)
        self._subject_row = self._find_subject()
        self._subject = self._subject_row.subject_id if self._subject_row else NO_SUBJECT
        self.head = head_of(self._subject_row, cipher)
        self._episode_revision = self._subject_row.episode_revision if self._subject_row else 0

    @cached_property
    def episodes(self) -> SQLEpisodeReader:
        """Return what can be read of the user's conversations."""
        return SQLEpisodeReader(self._place(), self._episode_revision)

    @property
    def has_tokens(self) -> bool:
        """Ask for one."""
        one = select(TOKENS.c.token).where(TOKENS.c.subject_id == self._subject).limit(1)
        return self._connection.execute(one).first() is not None

    @property
    def runs(self) -> SQLRuns:
        """Return what is kept of agents' runs."""
        return SQLRuns(self._connection, self._subject, self._scope, self._codec.cipher)

    @property
    def snapshots(self) -> SQLSnapshots:
        """Return what views were kept as."""
        return SQLSnapshots(self._raw, self._subject, self.head, self._codec.cipher)

    @property
    def _connection(self) -> Connection:
        """Where rows are read and changed; a writer writes there first what it holds back of them."""
        return self._raw

    def _place(self) -> Place:
        codec = EpisodeCodec(self._scope, self._codec.cipher)
        return Place(connection=self._connection, scope=self._scope, codec=codec, subject=self._subject)

    def _find_subject(self) -> rows.SubjectRow | None:
        return rows.find_subject(self._connection, self._scope)

    @property
    def is_of_one_state(self) -> bool:
        """Whether this is SQLite; PostgreSQL may run each statement by itself."""
        return self.has_log

    @property
    def has_log(self) -> bool:
        """Whether this is SQLite."""
        return self._connection.dialect.name == "sqlite"

    def memory(self, memory_id: str) -> Memory | None:
        """Return a visible memory."""
        return next(iter(self._memories(rows.SELECT_MEMORY, id=memory_id)), None)

    def memories(self, memory_ids: Iterable[str]) -> dict[str, Memory]:
        """Return the visible ones of several memories."""
        ids = listed(self._connection, memory_ids)
        return {memory.id: memory for memory in self._memories(rows.SELECT_MEMORIES, ids=ids)}

    def page(self, page: Page) -> list[Memory]:
        """Return one page of a listing."""
        statement = rows.page_statement(page.kinds is not None, page.order_by, page.after is not None)
        values: dict[str, Any] = {"statuses": listed(self._connection, page.statuses), "limit": page.limit}
        if page.kinds is not None:
            values["kinds"] = listed(self._connection, page.kinds)
        if page.after is not None:
            values["at"], values["last"] = page.after
        return self._memories(statement, **values)

    def ended_in(self, session_ids: Iterable[str]) -> list[Memory]:
        """Return visible memories of some conversations that are no longer in force."""
        found = self._connection.execute(rows.SELECT_ENDED, self._visible(sessions=list(session_ids)))
        return [self._codec.memory(row) for row in found]

    def changed(self, since: int) -> list[Memory]:
        """Return visible memories changed after a revision."""
        return self._memories(rows.SELECT_CHANGED, since=since) if since < self.head.seq else []

    def has_more_than(self, count: int) -> bool:
        """Whether there are more memories than that."""
        if self.head.seq <= count:  # each of them began with an event of its own
            return False
        beyond = rows.SELECT_BEYOND.rows(self._connection, {"subject": self._subject, "count": count})
        return bool(beyond)

    def has_vectors(self, model: str | None) -> bool:
        """Whether any visible memory has a vector."""
        return bool(rows.SELECT_VISIBLE_VECTOR.rows(self._connection, self._visible(model=model or "")))

    def count_vectors(self, model: str | None) -> int:
        """Return how many memories have a vector."""
        values = {"subject": self._subject, "model": model or ""}
        ((count,),) = rows.COUNT_VECTORS.rows(self._connection, values)
        return int(count)

    def lacks_vectors(self, model: str | None, since: int) -> bool:
        """Whether any memory changed after a revision has no vector."""
        values = {"subject": self._subject, "model": model or "", "since": since}
        return bool(rows.SELECT_LACKING.rows(self._connection, values))

    def misfits(self, model: str) -> list[str]:
        """Return of what the vector cannot be compared."""
        return sized.misfits(self._connection, self._subject, self._codec.cipher, model)

    def search_columns(self, since: int, model: str | None) -> SearchColumns:
        """Return what an index needs of rows changed after a revision."""
        found = SearchColumns()
        if since < self.head.seq:
            size = sized.vector_bytes(self._connection, model)
            values = {"subject": self._subject, "since": since, "model": model or ""}
            for block in rows.SELECT_SEARCH_ROWS.blocks(self._connection, values):
                found.extend(sized.fitting(self._codec.search_rows(block), size))
        return found

    def search_rows_of(self, memory_ids: Sequence[str], model: str | None) -> list[SearchRow]:
        """Return what an index needs of the rows named."""
        ids = listed(self._connection, memory_ids)
        values = {"subject": self._subject, "since": 0, "model": model or "", "ids": ids}
        size = sized.vector_bytes(self._connection, model)
        found = self._codec.search_rows(rows.SELECT_SEARCH_ROWS_OF.rows(self._connection, values))
        return list(map(SearchRow._make, sized.fitting(found, size)))

    def uses(self, memory_ids: Iterable[str]) -> dict[str, tuple[int, datetime]]:
        """Return use counts and last uses."""
        values = {"subject": self._subject, "ids": listed(self._connection, memory_ids)}
        found = rows.SELECT_USES.rows(self._connection, values)
        return {memory_id: (int(uses), rows.moment(last)) for memory_id, uses, last in found}

    def evident(self, memory_ids: Iterable[str]) -> dict[str, datetime]:
        """Return the times of the last evidence."""
        values = {"subject": self._subject, "ids": listed(self._connection, memory_ids)}
        found = rows.SELECT_EVIDENT.rows(self._connection, values)
        return {memory_id: rows.moment(at) for memory_id, at in found}

    def written_in_session(self, session_id: str, *, are_outcomes: bool = False) -> int:
        """Return how many memories a session wrote."""
        statement = select(func.count()).where(
            MEMORIES.c.subject_id == self._subject,
            MEMORIES.c.session_id == session_id,
            MEMORIES.c.kind == "outcome" if are_outcomes else MEMORIES.c.kind != "outcome",
        )
        return int(self._connection.execute(statement).scalar_one())

    def held_in_session(self, session_id: str) -> list[Memory]:
        """Return what waits, or waited until it was archived."""
        statement = rows.SELECT_ALL_MEMORIES.where(
            MEMORIES.c.session_id == session_id, MEMORIES.c.status.in_(("pending", "archived"))
        )
        found = map(self._codec.memory, self._connection.execute(statement, {"subject": self._subject}))
        return [it for it in found if it.held_by is not None]

    def events(self, *, memory_id: str | None = None, after: int = 0, limit: int = 1_000) -> list[Event]:
        """Return events in order."""
        values = {"subject": self._subject, "after": after, "limit": limit}
        if memory_id is None:
            found = self._connection.execute(rows.SELECT_EVENTS, values)
        else:
            found = self._connection.execute(rows.SELECT_EVENTS_OF_MEMORY, {**values, "id": memory_id})
        with opening(self.head):
            return [event_of(row, self._codec) for row in found]

    def holds(self) -> list[Event]:
        """Return the events of holds."""
        found = self._connection.execute(rows.SELECT_HOLDS, {"subject": self._subject, "after": 0})
        return [_event_told(row, self._codec) for row in found]

    def seq_at(self, moment: datetime) -> int:
        """Return the last event of a time."""
        values = {"subject": self._subject, "at": rows.micros(moment)}
        return int(self._connection.execute(rows.SELECT_SEQ_AT, values).scalar_one())

    def receipt(self, receipt_id: str) -> Receipt | None:
        """Return a receipt."""
        values = {"subject": self._subject, "id": receipt_id}
        row = self._connection.execute(rows.SELECT_RECEIPT, values).first()
        if row is None:
            return None
        stored = load(self._codec.cipher.open(row.sealed, f"receipt/{receipt_id}"))
        agent_id, session_id = stored.pop("agent_id"), stored.pop("session_id")
        if agent_id not in {None, self._scope.agent_id}:
            return None
        stored["lines"] = tuple(
            ReceiptLine(**{**line, "linked": tuple(line.get("linked", ()))}) for line in stored["lines"]
        )
        stored["injected"] = tuple(stored["injected"])
        stored["unsupported"] = tuple(stored.get("unsupported", ()))
        stored["shown"] = {call: tuple(ids) for call, ids in stored.get("shown", {}).items()}
        scope = replace(self._scope, agent_id=agent_id, session_id=session_id)
        return Receipt(id=receipt_id, scope=scope, at=rows.moment(row.at), **stored)

    def models(self) -> list[ModelState]:
        """Return the embedding models known to the database."""
        found = rows.SELECT_MODELS.rows(self._raw, {})
        return [
            ModelState(name=name, dimension=size, is_current=bool(current), renewed_at=int(at))
            for name, size, current, at in found
        ]

    def has_jobs(self, kind: str) -> bool:
        """Whether there are jobs of the subject."""
        values = {"subject": self._subject, "kind": kind}
        return self._connection.execute(rows.SELECT_JOBS.limit(1), values).first() is not None

    def are_jobs_left(self, kind: str) -> bool:
        """Whether there is something to do."""
        return self._connection.execute(rows.SELECT_JOB_LEFT, {"kind": kind}).first() is not None

    def unsealed(self, payload: Mapping[str, Any]) -> bytes:
        """Return the words of a job."""
        try:
            sealed = b64decode(payload["sealed"], validate=True)
            return self._codec.cipher.open(sealed, f"job/{payload['name']}")
        except (KeyError, TypeError, ValueError) as error:
            msg = "the words of a queued job cannot be read; hand them over again"
            raise IntegrityError(msg) from error

    def _memories(self, statement: Prepared, **values: Any) -> list[Memory]:
        found = statement.rows(self._connection, self._visible(**values))
        return [self._codec.memory(rows.MemoryRow._make(row)) for row in found]

    def _visible(self, **values: Any) -> dict[str, Any]:
        return {"subject": self._subject, "agent": self._scope.agent_id, **values}


def event_of(row: Row[*tuple[Any, ...]], codec: rows.RowCodec) -> Event:
    """Return the event that a row holds."""
    return _event(row, None if row.sealed is None else load(codec.payload(row.sealed, row.seq)[1]))


def _event_told(row: Row[*tuple[Any, ...]], codec: rows.RowCodec) -> Event:
    """Return the event that a row holds; where its key was lost, what its header tells."""
    try:
        return event_of(row, codec)
    except LostKeysError:
        return _event(row, None)


def _event(row: Row[*tuple[Any, ...]], payload: dict[str, Any] | None) -> Event:
    named = {"seq": row.seq, "type": row.type, "memory_id": row.memory_id, "rule": row.rule}
    return Event(**named, at=rows.moment(row.at), payload=payload, digest=row.digest.hex())


def encode_receipt(receipt: Receipt) -> bytes:
    """Return the stored form of a receipt."""
    lines = [{name: getattr(line, name) for name in _LINE_FIELDS} for line in receipt.lines]
    return dump_own(
        {
            "status": receipt.status,
            "reason": receipt.reason,
            "plan": dict(receipt.plan),
            "lines": lines,
            "unlisted": dict(receipt.unlisted),
            "injected": list(receipt.injected),
            "shown": {call: list(ids) for call, ids in receipt.shown.items()},
            "used": dict(receipt.used),
            "supported": receipt.supported,
            "unsupported": list(receipt.unsupported),
            "agent_id": receipt.scope.agent_id,
            "session_id": receipt.scope.session_id,
        }
    )


def head_of(row: rows.SubjectRow | None, cipher: Cipher) -> Head:
    """Return where a chain stands, and the consent in force."""
    if row is None:
        return Head()
    is_held, is_erasing = bool(row.is_held), bool(row.is_erasing)
    stated = partial(_consent_of, row, cipher)
    return Head(seq=row.head_seq, digest=row.head_digest, stated=stated, is_held=is_held, is_erasing=is_erasing)


def _consent_of(row: rows.SubjectRow, cipher: Cipher) -> ConsentState:
    """Return the consent in force: of a user who is being erased, and whose key is gone already, nothing is known."""
    try:
        return open_consent(row.consent_status, row.consent_purposes, row.consent_at, cipher)
    except LostKeysError:
        if row.is_erasing:
            return ConsentState()
        raise

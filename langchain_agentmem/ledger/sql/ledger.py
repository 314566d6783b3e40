"""The ledger on SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from math import inf
from typing import Any, Final, TypeVar, cast

from sqlalchemy import Connection, Row
from sqlalchemy.exc import IntegrityError as RefusedRow

from langchain_agentmem._checks import check_secret, utc_now
from langchain_agentmem._flow import Flow
from langchain_agentmem._held_texts import forget_old_texts
from langchain_agentmem._terms import encode_labels
from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.ledger.base import Head, Ledger, LedgerReader, LedgerWriter
from langchain_agentmem.ledger.codec import fold, load, stored_of, to_micros
from langchain_agentmem.ledger.consents import seal_consent
from langchain_agentmem.ledger.sql import headless, rows
from langchain_agentmem.ledger.sql.ending import EndingWriter
from langchain_agentmem.ledger.sql.job_writer import WriterSettings
from langchain_agentmem.ledger.sql.reader import SQLReader, head_of
from langchain_agentmem.ledger.sql.sealed import unreadable
from langchain_agentmem.ledger.sql.snapshots import DELETE_SNAPSHOTS
from langchain_agentmem.ledger.sql.writer import SQLWriter
from langchain_agentmem.ledger.standing import CONSENTS, STANDING_EVENTS, check_not_erasing, head_after, opening
from langchain_agentmem.ledger.verification import Anchor, Problem, Verification
from langchain_agentmem.ledger.verify import ChainCheck
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.prepared import Transaction
from langchain_agentmem.types import Memory, Scope
from langchain_agentmem.vault.base import Cipher, Vault, is_sealing, use_database, vault_of

T = TypeVar("T")
_BATCH: Final = 1_000


class SQLLedger(Ledger):
    """Events, payloads and projections in one SQL database.

    Args:
        database: Where the tables are.
        vault: Seals what is stored; by default nothing is encrypted.
        key: Authenticates the head of each chain (HMAC-SHA-256); keep it outside the database. At least 16 bytes.
        clock: Gives the time, aware UTC.
        receipts_for: How long receipts are kept; `None`: for ever.

    Raises:
        ConfigurationError: The key is too short.
    """

    def __init__(
        self,
        database: Database,
        *,
        vault: Vault | None = None,
        key: bytes | None = None,
        clock: Callable[[], datetime] = utc_now,
        receipts_for: timedelta | None = None,
    ) -> None:
        """Nothing is opened yet."""
        if key is not None:
            check_secret("key", key)
        self.database = database
        self._vault = vault_of(vault)
        use_database(database, "ledger", self._vault)
        self._settings = WriterSettings(clock=clock, key=key, receipts_for=receipts_for)

    def read(self, scope: Scope, body: Callable[[LedgerReader], T]) -> Flow[T]:
        """Run `body` on a consistent state of the scope."""
        cipher = yield from self._cipher(scope)
        return (yield from self.database.directly(lambda it: body(SQLReader(it, scope, cipher)), "read"))

    def read_prepared(self, scope: Scope, body: Callable[[LedgerReader], T]) -> Flow[T]:
        """Run `body` with nothing but prepared statements, on PostgreSQL each by itself."""
        cipher = yield from self._cipher(scope)

        def read(transaction: Transaction) -> T:
            return body(SQLReader(cast("Connection", transaction), scope, cipher))  # as prepared statements want it

        return (yield from self.database.read_prepared(read, singly=True))

    def append(self, scope: Scope, body: Callable[[LedgerWriter], T]) -> Flow[T]:
        """Run `body` as one write transaction, alone on its chain."""
        cipher = yield from self._cipher(scope)
        return (yield from self.database.directly(lambda it: self._write(it, scope, cipher, body), "write"))

    def replay(self, scope: Scope) -> Flow[int]:
        """Rebuild the table of memories of the scope's user; return how many rows it has."""
        cipher = yield from self._cipher(scope)
        return (yield from self.database.write(lambda connection: self._rebuild(connection, scope, cipher)))

    def verify(self, scope: Scope, anchor: Anchor | None = None) -> Flow[Verification]:
        """Check the chain of the scope's user."""
        cipher = yield from self._cipher(scope)
        return (yield from self.database.read(lambda connection: self._checked(connection, scope, cipher, anchor)))

    def strays(self, scope: Scope) -> Flow[tuple[str, ...]]:
        """Return what is found of the user's log that their head does not lead to: nothing that is asked finds it."""
        return (yield from self.database.read(lambda connection: headless.findings(connection, scope)))

    def end(self, scope: Scope, body: Callable[[EndingWriter], T], *, is_erasure: bool = True) -> Flow[T]:
        """Run `body` as a write transaction of whoever erases all of a user's, while nobody else may write of them.

        Args:
            scope: Whose.
            body: What is done.
            is_erasure: `False`: nothing is being erased; it is refused like any writer while something is.
        """
        cipher = yield from self._cipher(scope)
        settings = replace(self._settings, is_erasure=is_erasure)

        def write(connection: Connection) -> T:
            writer = EndingWriter(connection, scope, cipher, settings)
            result = body(writer)
            writer.flush()
            return result

        return (yield from (self.database.erase(write) if is_erasure else self.database.write(write)))

    def scrub(self) -> Flow[None]:
        """Take it out of files of SQLite's; see `Database.scrub`."""
        yield from self.database.scrub()

    def empty_log(self) -> Flow[None]:
        """Take it out of SQLite's write-ahead log now, and out of the file when that is written anew."""
        yield from self.database.scrub(up_to=0)

    def rewrite(self) -> Flow[None]:
        """Take it out of a file of SQLite's whatever its size; where there is a vault, nobody could read a copy."""
        yield from self.database.scrub() if is_sealing(self._vault) else self.database.scrub(up_to=inf)

    def _cipher(self, scope: Scope) -> Flow[Cipher]:
        """Return what opens and seals the scope's; whoever uses a ledger comes by here."""
        forget_old_texts()
        return self._vault.cipher(scope)

    def _write(self, connection: Connection, scope: Scope, cipher: Cipher, body: Callable[[LedgerWriter], T]) -> T:
        writer = SQLWriter(connection, scope, cipher, self._settings)
        result = body(writer)
        writer.flush()
        return result

    def _rebuild(self, connection: Connection, scope: Scope, cipher: Cipher) -> int:
        subject = rows.find_subject(connection, scope, locked=True)
        if subject is None:
            return 0
        codec = rows.RowCodec(scope, cipher)
        state = _Projection(scope)
        with opening(head_of(subject, cipher)):
            for event in _events(connection, subject.subject_id):
                payload = None if event.sealed is None else load(codec.payload(event.sealed, event.seq)[1])
                state.apply(event, payload)
        if subject.is_erasing:  # else what a row says is not so, which this puts right
            check_not_erasing(state.head)
        connection.execute(rows.DELETE_MEMORIES, {"subject": subject.subject_id})
        DELETE_SNAPSHOTS.change(connection, [{"subject": subject.subject_id}])
        kept = [codec.memory_row(it.id, stored_of(it), it.revision) for it in state.memories.values()]
        rebuilt = [{"subject_id": subject.subject_id, **row} for row in kept]
        if rebuilt:
            _insert(connection, rebuilt)
        consent = state.head.consent
        values = {
            "consent_status": consent.status,
            "consent_purposes": seal_consent(consent, cipher),
            "consent_at": to_micros(consent.at),
            "is_held": int(state.head.is_held),
            "is_erasing": int(state.head.is_erasing),
        }
        connection.execute(rows.UPDATE_STANDING, {"subject": subject.subject_id, **values})
        return len(rebuilt)

    def _checked(self, connection: Connection, scope: Scope, cipher: Cipher, anchor: Anchor | None) -> Verification:
        """Find also what cannot even be walked: SQLite takes a value of any type into any column."""
        try:
            return self._check(connection, scope, cipher, anchor)
        except (AttributeError, IntegrityError, KeyError, OverflowError, TypeError, ValueError) as error:
            finding = f"the log cannot be read to its end ({type(error).__name__}); restore the database from a backup"
            return Verification(events=0, anchor=Anchor(seq=0, digest=""), problems=(Problem(seq=0, finding=finding),))

    def _check(self, connection: Connection, scope: Scope, cipher: Cipher, anchor: Anchor | None) -> Verification:
        subject, strays = rows.find_subject(connection, scope), headless.findings(connection, scope)
        if subject is None:
            return ChainCheck.of_nothing(anchor, strays)
        check = ChainCheck(subject, scope, self._settings.key)
        codec = rows.RowCodec(scope, cipher)
        state = _Projection(scope)
        for event in _events(connection, subject.subject_id):
            payload = check.event(event, codec)
            check.applied(event.seq, partial(state.apply, event, payload))
        check.standing(head_of(subject, cipher), state.head, knows_consent=state.knows_consent)
        found = connection.execute(rows.SELECT_ALL_MEMORIES, {"subject": subject.subject_id})
        stored = {row.memory_id: _readable(row, codec) for row in found}
        check.projection(stored, state.memories | state.emptied(stored))
        check.found(strays)
        check.found(unreadable(connection, subject.subject_id, cipher))
        return check.result(anchor)


class _Projection:
    """The table of memories, and the user's standing, as a fold over events."""

    def __init__(self, owner: Scope) -> None:
        self.memories: dict[str, Memory] = {}
        self.head = Head()
        self.knows_consent = True
        self._owner = owner
        self._ids: set[str] = set()
        self._erasing = range(0)

    def apply(self, event: Row[*tuple[Any, ...]], payload: dict[str, Any] | None) -> None:
        """Fold one event in; an event whose payload was erased leaves no trace but the later `erased`."""
        if event.type == "remembered":
            self._ids.add(event.memory_id)
            self.memories.pop(event.memory_id, None)
        if event.type in STANDING_EVENTS:
            self._stand(event, payload)
        elif event.type == "erased":
            self.memories[event.memory_id] = rows.tombstone(event.memory_id, self._owner, event.at, event.seq)
        elif payload is None:
            return
        elif event.memory_id is not None:
            current = self.memories.get(event.memory_id)
            if current is None and event.type not in {"remembered", "cleaned"}:
                return  # its beginning is missing, which verify() has noted
            self.memories[event.memory_id] = fold(current, event.memory_id, self._owner, payload, event.seq)

    def emptied(self, stored: Mapping[str, Memory | None]) -> dict[str, Memory]:
        """Return what an erasure that is going on has emptied of the rows that are stored."""
        found = ((memory_id, row) for memory_id, row in stored.items() if row is not None and memory_id in self._ids)
        return {memory_id: row for memory_id, row in found if row.revision in self._erasing and self._is_empty(row)}

    def _is_empty(self, row: Memory) -> bool:
        return row == rows.tombstone(row.id, self._owner, rows.micros(row.created_at), row.revision)

    def _stand(self, event: Row[*tuple[Any, ...]], payload: dict[str, Any] | None) -> None:
        note = {} if payload is None else payload["note"]
        self.head = head_after(self.head, event.type, note, rows.moment(event.at))
        if event.type in CONSENTS and payload is None:
            self.knows_consent = False
        if event.type == "erasure_begun":
            self._erasing = range(self._erasing.start or event.seq, event.seq + 1)
        if event.type == "subject_erased":
            self.knows_consent, self._erasing = True, range(0)
            at, seq, owner = event.at, event.seq, self._owner
            self.memories = {memory_id: rows.tombstone(memory_id, owner, at, seq) for memory_id in self._ids}


def _insert(connection: Connection, rebuilt: list[dict[str, Any]]) -> None:
    """Insert rows where there are none any more."""
    try:
        rows.INSERT_MEMORY.change(connection, rebuilt)
    except RefusedRow as error:
        msg = "the table of memories is damaged, and takes no row anew; restore the database from a backup"
        raise IntegrityError(msg) from error


def _readable(row: Row[*tuple[Any, ...]], codec: rows.RowCodec) -> Memory | None:
    """Return the memory that a row holds; none, where it cannot be read, or is found by other labels than it has."""
    try:
        memory = codec.memory(row)
        return memory if _has_its_labels(row, memory, codec) else None
    except IntegrityError:
        return None


def _has_its_labels(row: Row[*tuple[Any, ...]], memory: Memory, codec: rows.RowCodec) -> bool:
    """Whether a row is found by the tags and purposes of the memory that it holds."""
    if memory.status == "erased":
        return bool(row.labels == b"")
    stored = codec.cipher.open(row.labels, f"labels/{memory.id}")
    return stored == encode_labels(memory.tags, memory.purposes)


def _events(connection: Connection, subject: int) -> Iterator[Row[*tuple[Any, ...]]]:
    after = 0
    while True:
        values = {"subject": subject, "after": after, "limit": _BATCH}
        batch = connection.execute(rows.SELECT_EVENTS, values).all()
        yield from batch
        if len(batch) < _BATCH:
            return
        after = batch[-1].seq

"""What the tests of the ledger are made of: memories, a clock, a drive of either colour, a look at the raw tables."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeAlias

from sqlalchemy import Connection, Table, text

from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.ledger.base import Draft, LedgerReader, LedgerWriter, ModelState, Page
from langchain_agentmem.ledger.codec import fields_of
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import METADATA
from langchain_agentmem.types import Memory, Provenance, Receipt, Scope
from tests.conftest import Colour

Drive: TypeAlias = Callable[[Flow[Any]], Awaitable[Any]]

START: Final = datetime(2026, 3, 1, 9, tzinfo=UTC)
KEY: Final = b"a key that is kept elsewhere"
ALICE: Final = Scope("alice")
BOB: Final = Scope("bob")
MODEL: Final = ModelState(name="fake", dimension=2, is_current=True)


class Clock:
    """A clock that goes on by a second whenever it is read."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


async def _drive_blocking(flow: Flow[Any]) -> Any:  # noqa: ANN401
    return run(flow)


def drive_of(colour: Colour) -> Drive:
    """Return what runs a flow in a colour."""
    return _drive_blocking if colour == "sync" else arun


def memory(memory_id: str = "m1", scope: Scope = ALICE, **changes: Any) -> Memory:
    """Return a memory with every field set, unless told otherwise."""
    values: dict[str, Any] = {
        "kind": "preference",
        "content": f"prefers tea number {memory_id}",
        "confidence": 0.9,
        "importance": 0.5,
        "source": "explicit",
        "subject": "alice",
        "relation": "prefers",
        "object": "tea",
        "tags": ("drinks",),
        "purposes": ("service",),
        "legal_basis": "consent",
        "provenance": Provenance(speaker="user", message_ids=("msg-1",), evidence="I like tea", run_id="run-1"),
        "valid_at": START,
        "created_at": START,
    }
    return Memory(id=memory_id, scope=scope, **{**values, **changes})


def remembered(kept: Memory) -> Draft:
    """Return the event by which a memory comes into the log."""
    return Draft(type="remembered", memory_id=kept.id, changes=fields_of(kept), note={"reason": "told"}, rule="told")


def put(ledger: SQLLedger, kept: Memory, vector: bytes | None = b"\x00" * 8) -> Flow[None]:
    """Remember a memory as the service does: the event, its vector and a job in one transaction."""

    def body(writer: LedgerWriter) -> None:
        writer.append(remembered(kept))
        if vector is not None:
            writer.put_vector(kept.id, MODEL, vector)
        writer.enqueue("index", {"ids": [kept.id]}, START)

    return ledger.append(kept.scope, body)


def change(ledger: SQLLedger, memory_id: str, scope: Scope = ALICE, **changes: Any) -> Flow[None]:
    """Revise a memory."""
    return note(
        ledger, Draft(type="revised", memory_id=memory_id, changes=changes, note={"reason": "told otherwise"}), scope
    )


def note(ledger: SQLLedger, draft: Draft, scope: Scope = ALICE) -> Flow[None]:
    """Append an event."""
    return ledger.append(scope, lambda writer: _append(writer, draft))


def keep(ledger: SQLLedger, receipt: Receipt) -> Flow[None]:
    """Put a receipt."""
    return ledger.append(receipt.scope, lambda writer: writer.put_receipt(receipt))


def use(ledger: SQLLedger, *memory_ids: str, at: datetime = START) -> Flow[None]:
    """Count a use of some of alice's memories."""
    return ledger.append(ALICE, lambda writer: writer.touch(memory_ids, at))


def queue_job(ledger: SQLLedger, kind: str, payload: dict[str, Any], at: datetime = START) -> Flow[int]:
    """Queue a job of alice."""
    return ledger.append(ALICE, lambda writer: writer.enqueue(kind, payload, at))


def put_vector(ledger: SQLLedger, memory_id: str, model: ModelState, vector: bytes) -> Flow[None]:
    """Store a vector of one of alice's memories."""
    return ledger.append(ALICE, lambda writer: writer.put_vector(memory_id, model, vector))


def listed(ledger: SQLLedger, page: Page) -> Flow[list[Memory]]:
    """Read a page of alice's memories."""
    return ledger.read(ALICE, lambda reader: reader.page(page))


def erase(ledger: SQLLedger, memory_id: str, scope: Scope = ALICE) -> Flow[None]:
    """Erase a memory."""
    return ledger.append(scope, lambda writer: _erase(writer, memory_id))


def fetch(ledger: SQLLedger, memory_id: str, scope: Scope = ALICE) -> Flow[Memory | None]:
    """Read a memory."""
    return ledger.read(scope, lambda reader: reader.memory(memory_id))


def length_of(ledger: SQLLedger, scope: Scope = ALICE) -> Flow[int]:
    """Return how many events a chain has."""
    return ledger.read(scope, lambda reader: len(every_event(reader)))


def every_event(reader: LedgerReader) -> list[int]:
    """Return the numbers of all events of a chain."""
    found: list[int] = []
    while batch := reader.events(after=found[-1] if found else 0):
        found += [event.seq for event in batch]
    return found


def history(ledger: SQLLedger) -> None:
    """Give alice a chain with every kind of event, and bob a shorter one."""
    run(note(ledger, Draft(type="consent_granted", note={"purposes": ["service"]})))
    for number in range(1, 5):
        run(put(ledger, memory(f"m{number}")))
    run(put(ledger, memory("helper-1", Scope("alice", agent_id="helper", session_id="s1"))))
    run(change(ledger, "m2", content="prefers coffee", confidence=0.95))
    run(erase(ledger, "m3"))
    forgotten = {"status": "archived", "expired_at": START + timedelta(days=1)}
    run(
        note(ledger, Draft(type="forgotten", memory_id="m4", changes=forgotten, note={"reason": "asked"}, rule="asked"))
    )
    run(note(ledger, Draft(type="refused", rule="unstable")))
    run(note(ledger, Draft(type="consent_granted"), BOB))
    run(put(ledger, memory("m1", BOB)))


def dump(database: Database, *tables: Table) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of some tables, or of all, as the database holds them."""

    def read(connection: Connection) -> dict[str, list[tuple[Any, ...]]]:
        found = {}
        for table in tables or tuple(METADATA.sorted_tables):
            rows = connection.execute(table.select().order_by(*table.primary_key.columns))
            found[table.name] = [tuple(row) for row in rows]
        return found

    return run(database.read(read))


def sql(database: Database, statement: str, **values: Any) -> int:
    """Change the tables as someone with write access does; return how many rows it hit."""

    def execute(connection: Connection) -> int:
        return connection.execute(text(statement), values).rowcount

    return run(database.write(execute))


def _append(writer: LedgerWriter, draft: Draft) -> None:
    writer.append(draft)


def _erase(writer: LedgerWriter, memory_id: str) -> None:
    writer.erase(memory_id, {"reason": "user asked"})

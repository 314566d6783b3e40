"""What ledgers are fed with: memories with every field, the events of a life, and a chain with every kind of event."""

from __future__ import annotations

import struct
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from langchain_agentmem._flow import Flow, run
from langchain_agentmem.ledger.base import Draft, Ledger, LedgerReader, LedgerWriter, ModelState, Page
from langchain_agentmem.ledger.codec import fields_of
from langchain_agentmem.types import Memory, Provenance, Receipt, Scope

START: Final = datetime(2026, 3, 1, 9, tzinfo=UTC)
ALICE: Final = Scope("alice")
BOB: Final = Scope("bob")
MODEL: Final = ModelState(name="fake", dimension=2, is_current=True)
VECTOR: Final = struct.pack("<2f", 1.0, 0.0)
"""Of that model; as every vector that is kept, its length is 1."""


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


def put(ledger: Ledger, kept: Memory, vector: bytes | None = VECTOR) -> Flow[None]:
    """Remember a memory as the service does: the event, its vector and a job in one transaction."""

    def body(writer: LedgerWriter) -> None:
        writer.append(remembered(kept))
        if vector is not None:
            writer.put_vector(kept.id, MODEL, vector)
        writer.enqueue("index", {"ids": [kept.id]}, START)

    return ledger.append(kept.scope, body)


def change(ledger: Ledger, memory_id: str, scope: Scope = ALICE, **changes: Any) -> Flow[None]:
    """Revise a memory."""
    return note(
        ledger, Draft(type="revised", memory_id=memory_id, changes=changes, note={"reason": "told otherwise"}), scope
    )


def note(ledger: Ledger, draft: Draft, scope: Scope = ALICE) -> Flow[None]:
    """Append an event."""
    return ledger.append(scope, lambda writer: _append(writer, draft))


def keep(ledger: Ledger, receipt: Receipt) -> Flow[None]:
    """Put a receipt."""
    return ledger.append(receipt.scope, lambda writer: writer.put_receipt(receipt))


def use(ledger: Ledger, *memory_ids: str, at: datetime = START) -> Flow[None]:
    """Count a use of some of alice's memories."""
    return ledger.append(ALICE, lambda writer: writer.touch(memory_ids, at))


def listed(ledger: Ledger, page: Page) -> Flow[list[Memory]]:
    """Read a page of alice's memories."""
    return ledger.read(ALICE, lambda reader: reader.page(page))


def erase(ledger: Ledger, memory_id: str, scope: Scope = ALICE) -> Flow[None]:
    """Erase a memory."""
    return ledger.append(scope, lambda writer: _erase(writer, memory_id))


def fetch(ledger: Ledger, memory_id: str, scope: Scope = ALICE) -> Flow[Memory | None]:
    """Read a memory."""
    return ledger.read(scope, lambda reader: reader.memory(memory_id))


def length_of(ledger: Ledger, scope: Scope = ALICE) -> Flow[int]:
    """Return how many events a chain has."""
    return ledger.read(scope, lambda reader: len(every_event(reader)))


def every_event(reader: LedgerReader) -> list[int]:
    """Return the numbers of all events of a chain."""
    found: list[int] = []
    while batch := reader.events(after=found[-1] if found else 0):
        found += [event.seq for event in batch]
    return found


def fill(ledger: Ledger) -> None:
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


def _append(writer: LedgerWriter, draft: Draft) -> None:
    writer.append(draft)


def _erase(writer: LedgerWriter, memory_id: str) -> None:
    writer.erase(memory_id, {"reason": "user asked"})

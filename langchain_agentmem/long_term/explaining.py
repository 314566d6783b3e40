"""Why a memory is as it is, and why a recall answered as it did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import NotFoundError
from langchain_agentmem.ledger.base import LedgerReader, LedgerWriter
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.policies.admit import Admission
from langchain_agentmem.types import Event, Memory, RecallQuery, Receipt, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The life of a memory.

    Attributes:
        memory: As it is now; `None` once erased.
        events: All that happened to it, in order; the payloads of an erased memory are gone.
        reasons: A line for each event, without the memory's content.
    """

    memory: Memory | None
    events: tuple[Event, ...]
    reasons: tuple[str, ...]


class Explaining:
    """Answers why and why not from the log and from receipts."""

    def __init__(self, parts: Parts) -> None:
        """Compose."""
        self._parts = parts

    def why(self, memory_id: str, scope: Scope) -> Flow[Explanation]:
        """Return the life of a memory."""
        return (yield from self._parts.ledger.read(scope, lambda reader: _life(reader, memory_id, scope)))

    def receipt(self, receipt_id: str, scope: Scope) -> Flow[Receipt]:
        """Return a receipt."""
        return (yield from self._parts.ledger.read(scope, lambda reader: _receipt(reader, receipt_id)))

    def injected(self, receipt_id: str, into: Sequence[str], scope: Scope) -> Flow[Receipt]:
        """Note in a receipt where its hits were put."""
        return (yield from self._parts.ledger.append(scope, lambda writer: _inject(writer, receipt_id, into)))

    def why_not(self, receipt_id: str, memory_id: str, scope: Scope) -> Flow[str]:
        """Return why a recall did not return a memory."""
        return (yield from self._parts.ledger.read(scope, lambda reader: _absence(reader, receipt_id, memory_id)))


def _inject(writer: LedgerWriter, receipt_id: str, into: Sequence[str]) -> Receipt:
    receipt = _receipt(writer, receipt_id)
    injected = replace(receipt, injected=tuple(dict.fromkeys([*receipt.injected, *into])))
    writer.put_receipt(injected)
    return injected


def _life(reader: LedgerReader, memory_id: str, scope: Scope) -> Explanation:
    memory = reader.memory(memory_id)
    events = tuple(reader.events(memory_id=memory_id)) if memory or not scope.agent_id else ()
    is_erased = bool(events) and events[-1].type == "erased"
    if memory is None and not is_erased:
        msg = f"memory {memory_id!r} does not exist in this scope; list() shows what does"
        raise NotFoundError(msg)
    return Explanation(memory=memory, events=events, reasons=tuple(_line(event) for event in events))


def _line(event: Event) -> str:
    note = (event.payload or {}).get("note", {})
    reason = note.get("reason") or ("its payload was erased" if event.payload is None else "no reason given")
    return f"{event.at.isoformat(timespec='seconds')} {event.type}: {reason}"


def _receipt(reader: LedgerReader, receipt_id: str) -> Receipt:
    receipt = reader.receipt(receipt_id)
    if receipt is None:
        msg = f"receipt {receipt_id!r} does not exist in this scope, or was kept long enough"
        raise NotFoundError(msg)
    return receipt


def _absence(reader: LedgerReader, receipt_id: str, memory_id: str) -> str:
    receipt = _receipt(reader, receipt_id)
    for line in receipt.lines:
        if line.memory_id == memory_id:
            return _of_line(line.rank, line.dropped_by, line.score)
    if receipt.status not in {"ok", "empty"}:
        return f"memory was not searched: {receipt.reason}"
    memory = reader.memory(memory_id)
    if memory is None:
        msg = f"memory {memory_id!r} does not exist in this scope; list() shows what does"
        raise NotFoundError(msg)
    return _of_rules(memory, receipt, reader.head.consent.purposes)


def _of_line(rank: int | None, dropped_by: str | None, score: float) -> str:
    if dropped_by is not None:
        return f"it was a candidate with score {score:.3f} and was dropped by the rule {dropped_by!r}"
    if rank:
        return f"it was returned, at rank {rank} with score {score:.3f}"
    return "it was returned among the constraints in force"


def _of_rules(memory: Memory, receipt: Receipt, granted: tuple[str, ...]) -> str:
    if memory.created_at > receipt.at:
        return "it was not known yet"
    query = _query(receipt.plan.get("query", {}))
    rule = Admission(query=query, now=receipt.at, granted=granted).objection(memory)
    if rule is not None:
        return f"as it is now, the rule {rule!r} keeps it out"
    return "it was not relevant enough: the index did not propose it"


def _query(plain: Mapping[str, Any]) -> RecallQuery:
    times = {"since", "until", "as_of"}
    values: dict[str, Any] = {
        name: datetime.fromisoformat(value) if name in times else value for name, value in plain.items()
    }
    for name in ("kinds", "tags"):
        if name in values:
            values[name] = tuple(values[name])
    return RecallQuery(**values)

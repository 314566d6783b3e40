"""What was stopped: statements that wait, and what was refused as an attack or for its source; each with its rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import nlargest
from itertools import islice
from typing import Final, Literal

from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.ledger.base import LedgerReader
from langchain_agentmem.ledger.base import Page as PageQuery
from langchain_agentmem.ledger.codec import to_micros
from langchain_agentmem.ledger.lives import read_life
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.policies.sensitive_records import shown_memory
from langchain_agentmem.policies.trust import class_of
from langchain_agentmem.types import Event, Memory, Scope
from langchain_agentmem.types.paging import DEFAULT_LIMIT, MAX_LIMIT, Order, Page, Place, check_limit
from langchain_agentmem.types.scope import known_user

STOPPED_BY: Final[frozenset[str]] = frozenset({"injected_text", "trust_floor", "evidence", "imperative"})
"""Rules whose refusals are listed; what was refused for consent, form or sensitive data was no attack."""

_STOPPED: Final = Order("quarantine.list", (datetime, int, int, str))
_BATCH: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantined:
    """Something that was stopped.

    Attributes:
        what: `waiting`: it is kept as pending, and no recall returns it; `refused`: nothing of it was kept.
        rule: Which rule stopped it. `reason`: why; it never quotes what was refused.
        kind: Of memory; `episode`: turns of a conversation. `trust_class`: what sort of source it came from.
        memory: What waits; `None` where nothing was kept.
        count: How many there were, of turns refused together.
        seq: The number of the event that tells of a refusal; 0 for what waits.
    """

    what: Literal["waiting", "refused"]
    at: datetime
    rule: str
    reason: str = ""
    kind: str = ""
    trust_class: str = ""
    memory: Memory | None = None
    count: int = 1
    seq: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class QuarantineReport:
    """How much was stopped, by rule.

    Attributes:
        waiting: Pending memories, by the rule that holds them. `refused`: what was refused, by rule.
    """

    waiting: Mapping[str, int]
    refused: Mapping[str, int]


class Quarantine:
    """Lists what was stopped. What waits becomes a memory when the user says the same, or corrects it.

    Raises (every method): `ScopeError` for anything but the scope of a known user, `StorageError` when the database
    fails.
    """

    def __init__(self, parts: Parts) -> None:
        """Compose."""
        self._parts = parts

    def list(self, scope: Scope, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None) -> Page[Quarantined]:
        """Return what was stopped, the latest first.

        Args:
            scope: Whose; of what waits, what this agent sees.
            limit: At most so many, up to 1,000.
            cursor: Of the page before.

        Raises:
            ConfigurationError: The limit or the cursor cannot be used.
        """
        return run(self._list(scope, limit, cursor))

    async def alist(self, scope: Scope, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None) -> Page[Quarantined]:
        """Return what was stopped; see `list`."""
        return await arun(self._list(scope, limit, cursor))

    def report(self, scope: Scope) -> QuarantineReport:
        """Return how much was stopped, by rule; of both sorts the latest thousand are counted."""
        return run(self._report(scope))

    async def areport(self, scope: Scope) -> QuarantineReport:
        """Return how much was stopped, by rule; see `report`."""
        return await arun(self._report(scope))

    def _list(self, scope: Scope, limit: int, cursor: str | None = None) -> Flow[Page[Quarantined]]:
        start, most = _STOPPED.start(cursor), check_limit(limit) + 1
        reading = self._parts.ledger.read(known_user(scope), lambda reader: self._stopped(reader, most, start))
        found = yield from reading
        return _STOPPED.page(sorted(found, key=_place, reverse=True)[:most], limit, _place)

    def _report(self, scope: Scope) -> Flow[QuarantineReport]:
        found = yield from self._list(scope, MAX_LIMIT)
        counts: dict[str, Counter[str]] = {"waiting": Counter(), "refused": Counter()}
        for it in found:
            counts[it.what][it.rule] += it.count
        return QuarantineReport(waiting=dict(counts["waiting"]), refused=dict(counts["refused"]))

    def _stopped(self, reader: LedgerReader, limit: int, after: Place | None) -> Sequence[Quarantined]:
        usable = filter(self._parts.usable(reader.head.consent), _pending(reader, after))
        shown = (shown_memory(self._parts.sensitive, it) for it in islice(usable, limit))
        refused = (it for it in _refused(reader) if after is None or _place(it) < after)
        return [*(_waiting(reader, it) for it in shown), *nlargest(limit, refused, key=_place)]


def _place(it: Quarantined) -> Place:
    """Return what the order is by: of what is as late, what waits comes first."""
    return it.at, int(it.memory is not None), it.seq, "" if it.memory is None else it.memory.id


def _pending(reader: LedgerReader, after: Place | None) -> Iterator[Memory]:
    """Return what waits, the latest first."""
    place = None if after is None else (to_micros(after[0]) or 0, after[-1])
    return reader.every(PageQuery(statuses=("pending",), after=place))


def _waiting(reader: LedgerReader, memory: Memory) -> Quarantined:
    life = read_life(reader, memory.id)
    return Quarantined(
        what="waiting",
        at=memory.created_at,
        rule=life.rule or "pending",
        reason=life.why,
        kind=memory.kind,
        trust_class=class_of(memory.provenance),
        memory=memory,
    )


def _refused(reader: LedgerReader) -> Iterator[Quarantined]:
    for event in _events(reader):
        if event.type == "refused" and event.rule in STOPPED_BY:
            note = event.note
            yield Quarantined(
                what="refused",
                at=event.at,
                seq=event.seq,
                rule=event.rule or "",
                reason=str(note.get("reason", "")),
                kind=str(note.get("kind", "")),
                trust_class=str(note.get("trust_class", note.get("speaker", ""))),
                count=int(str(note.get("count", 1))),
            )


def _events(reader: LedgerReader) -> Iterator[Event]:
    after = 0
    while batch := reader.events(after=after, limit=_BATCH):
        yield from batch
        after = batch[-1].seq

"""Looking back: events, what was believed at a time, and what changed between two times."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, TypedDict, get_args

from langchain_agentmem._checks import (
    MAX_COUNT,
    check_choice,
    check_count,
    check_key,
    check_labels,
    check_time,
    check_wanted_kinds,
    shown,
)
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.ledger.base import LedgerReader
from langchain_agentmem.policies.reverting import FIELDS, differences, is_believed
from langchain_agentmem.timeline.records import (
    Appeared,
    Difference,
    FieldChange,
    Moment,
    Snapshot,
    Vanished,
)
from langchain_agentmem.timeline.telling import Telling, reason_of, seq_of, time_of, told
from langchain_agentmem.types import KINDS, Event, Kind, Memory, Scope
from langchain_agentmem.types.log import EventType
from langchain_agentmem.types.paging import DEFAULT_LIMIT, Order, Page, check_limit

_HAPPENED: Final = Order("timeline.events", (int,))
_BATCH: Final = 1_000
EVENT_TYPES: Final[tuple[str, ...]] = get_args(EventType)
MOMENT: Final = "a time such as datetime(2026, 3, 1, 12, tzinfo=UTC), or the number of an event such as 12"


class EventChoice(TypedDict, total=False):
    """What events are to be about: a memory, some types."""

    memory_id: str | None
    types: Sequence[str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventQuery:
    """Which events, checked before any I/O; see `Timeline.events`."""

    since: Moment | None = None
    until: Moment | None = None
    memory_id: str | None = None
    types: Sequence[str] | None = None
    limit: int = DEFAULT_LIMIT
    cursor: str | None = None
    after: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        """Check every field."""
        for name in ("since", "until"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, check_moment(name, getattr(self, name)))
        if self.memory_id is not None:
            check_key("memory_id", self.memory_id)
        if self.types is not None:
            chosen = check_labels("types", (self.types,) if isinstance(self.types, str) else self.types)
            for each in chosen:
                check_choice("types", each, EVENT_TYPES)
            object.__setattr__(self, "types", chosen)
        check_limit(self.limit)
        (after,) = _HAPPENED.start(self.cursor) or (0,)
        object.__setattr__(self, "after", max(after, self.since if isinstance(self.since, int) else 0))

    def is_past(self, event: Event) -> bool:
        """Whether no later event is meant."""
        return isinstance(self.until, int) and event.seq > self.until

    def means(self, event: Event) -> bool:
        """Whether an event is meant."""
        is_late = isinstance(self.until, datetime) and event.at >= self.until
        is_early = isinstance(self.since, datetime) and event.at < self.since
        return not is_late and not is_early and (self.types is None or event.type in self.types)


def check_moment(name: str, value: object, wanted: str = MOMENT) -> Moment:
    """Return a time in UTC, or the number of an event, else raise `ConfigurationError`."""
    if isinstance(value, int):
        return check_count(name, value, 0, MAX_COUNT)
    if not isinstance(value, datetime):
        msg = f"{name} must be {wanted}, got {shown(value)}"
        raise ConfigurationError(msg)
    return check_time(name, value)


def chosen_kinds(kinds: object) -> tuple[Kind, ...] | None:
    """Return kinds that are known; `None`: all."""
    return check_wanted_kinds(kinds, KINDS)


# ---------------------------------------------------------------------------------------------------- events
def page_of(reader: LedgerReader, query: EventQuery, scope: Scope) -> Page[Event]:
    """Return a page of the events that a scope sees."""
    found: list[Event] = []
    after = query.after
    while True:
        batch = reader.events(memory_id=query.memory_id, after=after, limit=_BATCH)
        meant = [it for it in batch if query.means(it) and not query.is_past(it)]
        found += seen_by(reader, meant, scope)
        if len(found) > query.limit or len(batch) < _BATCH or query.is_past(batch[-1]):
            return _HAPPENED.page(found, query.limit, lambda it: (it.seq,))
        after = batch[-1].seq


def seen_by(reader: LedgerReader, events: Sequence[Event], scope: Scope) -> list[Event]:
    """Return those of some events that are of no memory, or of one that is visible, or was until it was erased."""
    ids = {it.memory_id for it in events if it.memory_id is not None}
    visible = set(reader.memories(ids)) if ids else set()
    for memory_id in {it.memory_id for it in events if it.payload is None or it.type == "erased"} - visible:
        if memory_id is not None and _was_seen(reader, memory_id, scope):
            visible.add(memory_id)
    return [it for it in events if it.memory_id is None or it.memory_id in visible]


def _was_seen(reader: LedgerReader, memory_id: str, scope: Scope) -> bool:
    telling = Telling(scope)
    for event in reader.events(memory_id=memory_id):
        telling.hear(event)
    return telling.is_erased(memory_id)


# ---------------------------------------------------------------------------------------------------- as of
@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One look into the past."""

    moment: Moment
    kinds: tuple[Kind, ...] | None = None
    valid_at: datetime | None = None

    def shows(self, memory: Memory, at: datetime) -> bool:
        """Whether a memory was believed."""
        return (self.kinds is None or memory.kind in self.kinds) and is_believed(memory, at, self.valid_at)


def snapshot(reader: LedgerReader, look: Look, scope: Scope) -> Snapshot:
    """Return what was believed."""
    cut, at = seq_of(reader, look.moment, "t"), time_of(reader, look.moment)
    telling = Telling(scope)
    then: dict[str, Memory] = {}
    wordless: frozenset[str] = frozenset()
    for event in told(reader):
        if event.seq == cut + 1:
            then, wordless = telling.memories(), telling.wordless()
        telling.hear(event)
    if telling.seq <= cut:
        then, wordless = telling.memories(), telling.wordless()
    shown = sorted((it for it in then.values() if look.shows(it, at)), key=_newest, reverse=True)
    erased = tuple(sorted(id_ for id_ in wordless if telling.is_erased(id_)))
    return Snapshot(memories=tuple(shown), seq=cut, at=at, erased=erased)


def _newest(memory: Memory) -> tuple[datetime, str]:
    return memory.created_at, memory.id


# ---------------------------------------------------------------------------------------------------- diff
@dataclass(frozen=True, slots=True, kw_only=True)
class _Span:
    """The log between two moments: what each memory was at either end, and what happened to each in between."""

    before: dict[str, Memory]
    after: dict[str, Memory]
    lives: dict[str, list[Event]]
    erased: tuple[str, ...]

    def last(self, memory_id: str, field: str | None = None) -> Event | None:
        """Return the event that changed a memory last, or one of its fields."""
        every = reversed(self.lives.get(memory_id, ()))
        return next((it for it in every if field is None or field in (it.payload or {})), None)


def _span(reader: LedgerReader, first: int, last: int, scope: Scope) -> _Span:
    telling = Telling(scope)
    before: dict[str, Memory] = {}
    after: dict[str, Memory] = {}
    lives: dict[str, list[Event]] = {}
    wordless: frozenset[str] = frozenset()
    for event in told(reader):
        telling.hear(event)
        if event.seq == first:
            before, wordless = telling.memories(), telling.wordless()
        if event.seq == last:
            after, wordless = telling.memories(), wordless | telling.wordless()
        if first < event.seq <= last and event.memory_id is not None:
            lives.setdefault(event.memory_id, []).append(event)
    erased = sorted(id_ for id_ in wordless if telling.is_erased(id_))
    return _Span(before=before, after=after, lives=lives, erased=tuple(erased))


def difference(reader: LedgerReader, since: Moment, until: Moment | None, scope: Scope) -> Difference:
    """Return what changed between two moments.

    Raises:
        ConfigurationError: The second is before the first.
    """
    end: Moment = reader.head.seq if until is None else until
    first, last = seq_of(reader, since, "t1"), seq_of(reader, end, "t2")
    began, ended = time_of(reader, since), time_of(reader, end)
    if first > last:
        msg = f"t1 is event {first} and t2 is event {last}: diff goes forward in time; swap them"
        raise ConfigurationError(msg)
    span = _span(reader, first, last, scope)
    old = {id_: it for id_, it in span.before.items() if is_believed(it, began)}
    new = {id_: it for id_, it in span.after.items() if is_believed(it, ended)}
    return Difference(
        since=first,
        until=last,
        added=tuple(_appeared(span, it) for id_, it in new.items() if id_ not in old),
        changed=tuple(change for id_, it in new.items() if id_ in old for change in _changes(span, old[id_], it)),
        ended=tuple(_vanished(span, it) for id_, it in old.items() if id_ in span.after and id_ not in new),
        erased=span.erased,
    )


def _appeared(span: _Span, memory: Memory) -> Appeared:
    event = span.last(memory.id)
    return Appeared(memory=memory, event=None if event is None else event.seq, reason=_why(event))


def _vanished(span: _Span, memory: Memory) -> Vanished:
    event = span.last(memory.id)
    return Vanished(memory=memory, event=None if event is None else event.seq, reason=_why(event))


def _why(event: Event | None) -> str:
    return "it expired" if event is None else reason_of(event)


def _changes(span: _Span, old: Memory, new: Memory) -> Iterable[FieldChange]:
    for name, (before, after) in sorted(differences(old, new).items(), key=lambda it: FIELDS.index(it[0])):
        event = span.last(new.id, name)
        if event is not None:
            yield FieldChange(
                memory_id=new.id, field=name, before=before, after=after, event=event.seq, reason=reason_of(event)
            )

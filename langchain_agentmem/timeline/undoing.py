"""Taking one event back, with what belongs to it, and nothing that came later unless that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, NamedTuple

from langchain_agentmem.errors import ConfigurationError, GovernanceError, NotFoundError
from langchain_agentmem.ledger.base import LedgerReader
from langchain_agentmem.policies.reverting import (
    Changed,
    back_to,
    built_upon,
    differences,
    overwritten,
    taken_back,
)
from langchain_agentmem.timeline.records import Reverted
from langchain_agentmem.timeline.reverting import Plan, finished
from langchain_agentmem.timeline.telling import Telling
from langchain_agentmem.types import Event, Memory, Scope

BEGINNINGS: Final = frozenset({"remembered", "activated", "approved"})
"""Events by which a memory begins to hold, and takes the place of others."""

_BESIDE: Final = 256
"""Events looked at on either side of one for those that were written with it: more than one write can replace."""


class _Target(NamedTuple):
    """An event to take back; one that only came along with another is left where it is overwritten."""

    event: Event
    comes_along: bool = False


class _Part(NamedTuple):
    """One event of a memory: what the memory was before and after it, is now, and what happened to it since."""

    event: Event
    before: Memory | None
    after: Memory
    now: Memory
    later: Sequence[Event]

    @property
    def done(self) -> dict[str, Changed]:
        """What the event made of each field; of a beginning nothing is asked."""
        return {} if self.before is None else differences(self.before, self.after)

    @property
    def conflicts(self) -> frozenset[str]:
        """Fields that something later made something else of."""
        if self.before is None:
            return frozenset() if self.now.status == "archived" else built_upon(self.after, self.now)
        return overwritten(self.done, self.now)

    def changes(self, at: datetime, *, with_later: bool) -> dict[str, Changed]:
        """Return what takes it back."""
        if self.before is None:
            return back_to(self.now, None, at)
        if not with_later:
            return taken_back(self.done, self.now)
        every = {name: Changed(getattr(self.now, name), it.before) for name, it in self.done.items()}
        return {name: it for name, it in every.items() if it.before != it.after}

    def builders(self) -> tuple[int, ...]:
        """Return the later events that build upon it."""
        fields = self.conflicts
        return tuple(it.seq for it in self.later if not fields.isdisjoint(it.payload or ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """Takes one event back."""

    seq: int
    scope: Scope
    clock: Callable[[], datetime]
    with_later: bool

    def __call__(self, reader: LedgerReader) -> Plan:
        """Return the plan.

        Raises:
            NotFoundError: There is no such event here.
            ConfigurationError: It changed no memory.
            GovernanceError: It cannot be taken back, or later events build upon it.
        """
        event = _undoable(reader, self.seq, self.scope)
        at = self.clock()
        steps: dict[str, Reverted] = {}
        notes: list[str] = []
        erased: list[str] = []
        for target in self._targets(reader, event):
            part = _part(reader, target.event, self.scope)
            if part is None:
                erased.append(str(target.event.memory_id))
            elif target.comes_along and part.conflicts:
                notes.append(f"memory {part.now.id!r} was changed since and stays as it is")
            else:
                self._add(steps, part, at)
        if erased:
            notes.append(f"{len(erased)} memories of it were erased since, and stay erased")
        if not steps:
            notes.append("nothing of it is in effect any more")
        found = Plan(to=self.seq - 1, seq=reader.head.seq, steps=tuple(steps.values()), erased=tuple(erased))
        return finished(reader, replace(found, notes=tuple(notes)))

    def _add(self, steps: dict[str, Reverted], part: _Part, at: datetime) -> None:
        builders = part.builders()
        if part.conflicts and not self.with_later:
            raise _built_upon(self.seq, builders, sorted(part.conflicts))
        changes = part.changes(at, with_later=self.with_later)
        if changes:
            undoes = (part.event.seq, *builders)
            known = steps.get(part.now.id)
            if known is not None:
                changes, undoes = {**known.changes, **changes}, (*known.undoes, *undoes)
            steps[part.now.id] = Reverted(memory_id=part.now.id, changes=changes, undoes=undoes)

    def _targets(self, reader: LedgerReader, event: Event) -> Iterator[_Target]:
        if event.type == "reverted":
            yield from (_Target(it) for it in _batch(reader, event))
        elif event.type == "superseded":
            yield from self._with_successor(reader, event)
        elif event.type in BEGINNINGS:
            yield _Target(event)
            yield from (_Target(it, comes_along=True) for it in _written_with(reader, event))
        else:
            yield _Target(event)

    def _with_successor(self, reader: LedgerReader, event: Event) -> Iterator[_Target]:
        """Yield the end of a memory; what stands for it has to go first, or they would both be believed."""
        successor = reader.memory(str(event.note.get("by")))
        yield _Target(event)
        if successor is None or successor.status != "active":
            return
        since = reader.events(memory_id=successor.id, after=event.seq)
        begun = next((it for it in since if it.type in BEGINNINGS), None)
        if begun is None:
            return
        if not self.with_later:
            raise _built_upon(self.seq, (begun.seq,), ["status"], f"memory {successor.id!r} stands for it; ")
        yield _Target(begun)
        yield from (
            _Target(it, comes_along=True) for it in _written_with(reader, begun) if it.memory_id != event.memory_id
        )


def _undoable(reader: LedgerReader, seq: int, scope: Scope) -> Event:
    found = reader.events(after=seq - 1, limit=1)
    event = found[0] if found else None
    if event is None or (event.memory_id is not None and _is_hidden(reader, event, scope)):
        msg = f"there is no event {seq} in this scope; `timeline` shows what there is"
        raise NotFoundError(msg)
    if event.type.startswith("consent_"):
        msg = f"event {seq} is about consent, which only the user changes; record what they say now: grant, or withdraw"
        raise GovernanceError(msg, rule="consent")
    if event.type == "cleaned":
        msg = f"what event {seq} took out of memory {event.memory_id!r} was sensitive, and is gone for good"
        raise GovernanceError(msg, rule="sensitive_data")
    if event.type == "erased" or (event.memory_id is not None and event.payload is None):
        msg = f"what event {seq} was about is erased; nothing of it is left to bring back"
        raise GovernanceError(msg, rule="erased")
    if event.memory_id is None:
        msg = f"event {seq} is {event.type!r} and changed no memory; undo takes events that name a memory"
        raise ConfigurationError(msg)
    return event


def _is_hidden(reader: LedgerReader, event: Event, scope: Scope) -> bool:
    """Whether an event is another agent's."""
    if event.payload is not None and event.type != "erased":
        return reader.memory(str(event.memory_id)) is None
    telling = Telling(scope)
    for it in reader.events(memory_id=event.memory_id):
        telling.hear(it)
    return not telling.is_erased(str(event.memory_id))


def _part(reader: LedgerReader, event: Event, scope: Scope) -> _Part | None:
    memory_id = str(event.memory_id)
    now = reader.memory(memory_id)
    if now is None:
        return None
    telling = Telling(scope)
    before: Memory | None = None
    after, later = now, []
    for each in reader.events(memory_id=memory_id):
        if each.seq > event.seq:
            later.append(each)
            continue
        before = telling.memory(memory_id)
        telling.hear(each)
        after = telling.memory(memory_id) or now
    return _Part(event=event, before=before, after=after, now=now, later=later)


def _written_with(reader: LedgerReader, event: Event) -> list[Event]:
    """Return the events next to a memory's beginning by which others ended, or were marked, because of it."""
    first = max(event.seq - 1 - _BESIDE, 0)
    around = {it.seq: it for it in reader.events(after=first, limit=2 * _BESIDE + 1)}
    found: list[Event] = []
    for step, wanted in ((-1, "superseded"), (1, "contradicted")):
        seq = event.seq + step
        while (it := around.get(seq)) is not None and it.type == wanted and it.note.get("by") == event.memory_id:
            found.append(it)
            seq += step
    return found


def _batch(reader: LedgerReader, event: Event) -> Iterator[Event]:
    """Yield what was taken back by the same call."""
    batch = int(event.note.get("batch", event.seq))
    after = batch - 1
    while True:
        found = reader.events(after=after, limit=_BESIDE)
        for it in found:
            if it.type != "reverted" or (it.payload is not None and it.note.get("batch") != batch):
                return
            yield it
        if len(found) < _BESIDE:
            return
        after = found[-1].seq


def _built_upon(seq: int, later: Sequence[int], fields: Sequence[str], why: str = "") -> GovernanceError:
    named = ", ".join(map(str, later)) or "later ones"
    msg = (
        f"{why}event {named} changed {', '.join(fields)} after event {seq}; undo that first, "
        "or pass with_later=True to take both back"
    )
    return GovernanceError(msg, rule="later_events")

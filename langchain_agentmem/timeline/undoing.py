"""Taking one event back, with what belongs to it, and nothing that came later unless that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, NamedTuple

from langchain_agentmem.errors import ConfigurationError, GovernanceError, NotFoundError
from langchain_agentmem.ledger.base import LedgerReader
from langchain_agentmem.ledger.lives import read_life
from langchain_agentmem.ledger.verify import WIPING
from langchain_agentmem.long_term.write.merges import left_of
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
from langchain_agentmem.timeline.standing import Objection, Standing
from langchain_agentmem.timeline.telling import Telling
from langchain_agentmem.types import Event, Memory, Scope

BEGINNINGS: Final = frozenset({"remembered", "activated", "approved"})
"""Events by which a memory begins to hold, and takes the place of others."""

GOING: Final = frozenset({"forgotten", "restored"})
"""Events by which a memory goes or comes back, and what rests on it along with it."""

_BESIDE: Final = 256
"""Events looked at on either side of one for those that were written with it: more than one write can replace."""


class _Target(NamedTuple):
    """An event to take back; one that only came along with another is left where it is overwritten."""

    event: Event
    comes_along: bool = False


class _Part(NamedTuple):
    """One event of a memory: what the memory was before and after it, is now, and what happened to it since.

    A scan may have cleaned the memory since, and with it what the event said. That it was replaced, and what it was
    until then, its life still tells.
    """

    event: Event
    before: Memory | None
    after: Memory
    now: Memory
    later: Sequence[Event]

    @property
    def is_wordless(self) -> bool:
        """Whether nothing tells any more what it was before."""
        return self.event.payload is None and self.before is None and self.event.type not in BEGINNINGS

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
            elif part.is_wordless:
                notes.append(f"memory {part.now.id!r} was cleaned of sensitive data since and stays as it is")
            elif target.comes_along and part.conflicts:
                notes.append(f"memory {part.now.id!r} was changed since and stays as it is")
            else:
                self._add(steps, part, at)
        if erased:
            notes.append(f"{len(erased)} memories of it were erased since, and stay erased")
        notes += _left_out(Standing(reader, steps, event, at))
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
        elif event.type in GOING:
            yield _Target(event)
            yield from (_Target(it, comes_along=True) for it in _gone_with(reader, event, self.seq))
        elif event.type in {*BEGINNINGS, "revised"}:
            yield _Target(event)
            yield from (_Target(it, comes_along=True) for it in _came_with(reader, event))
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
        if begun is None and event.note.get("with"):
            msg = f"memory {successor.id!r}, which was restored, stands for it; forget that, and it is believed again"
            raise GovernanceError(msg, rule="later_events")
        if begun is None:
            return
        if not self.with_later:
            raise _built_upon(self.seq, (begun.seq,), ["status"], f"memory {successor.id!r} stands for it; ")
        yield _Target(begun)
        yield from (
            _Target(it, comes_along=True) for it in _came_with(reader, begun) if it.memory_id != event.memory_id
        )


def _left_out(standing: Standing) -> list[str]:
    """Take out of the steps what must not be done, and return why.

    Raises:
        GovernanceError: It is what was asked for, or all that was to be done.
    """
    found: list[Objection] = []
    while objections := [*standing.objections()]:  # what is left out may be what another one would rest on
        for it in objections:
            del standing.steps[it.memory_id]
        found += objections
    asked = standing.event
    of_itself = [it for it in found if it.memory_id == asked.memory_id and asked.type != "reverted"]
    if of_itself or (found and not standing.steps):
        first = (of_itself or found)[0]
        raise GovernanceError(first.why, rule=first.rule)
    return [it.why for it in found]


def _undoable(reader: LedgerReader, seq: int, scope: Scope) -> Event:
    found = reader.events(after=seq - 1, limit=1)
    event = found[0] if found else None
    if event is None or (event.memory_id is not None and _is_hidden(reader, event, scope)):
        msg = f"there is no event {seq} in this scope; `timeline` shows what there is"
        raise NotFoundError(msg)
    cleaned = _cleaned_since(reader, event)
    if cleaned is not None:
        msg = (
            f"what event {seq} said of memory {event.memory_id!r} is gone for good: event {cleaned.seq} cleaned it of "
            "sensitive data; `forget`, `restore` and `revise` change what is left"
        )
        raise GovernanceError(msg, rule="sensitive_data")
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
    if reader.memory(str(event.memory_id)) is not None:
        return False
    if event.payload is not None and event.type != "erased":
        return True
    telling = Telling(scope)
    for it in reader.events(memory_id=event.memory_id):
        telling.hear(it)
    return not telling.is_erased(str(event.memory_id))


def _cleaned_since(reader: LedgerReader, event: Event) -> Event | None:
    """Return the event that cleaned a memory, and deleted what an earlier one said of it."""
    if event.memory_id is None or event.payload is not None:
        return None
    wiped = (it for it in reader.events(memory_id=event.memory_id, after=event.seq) if it.type in WIPING)
    first = next(wiped, None)
    return first if first is not None and first.type == "cleaned" else None


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
    if event.type == "superseded" and event.payload is None and now.status == "superseded":
        before, after = replace(now, **read_life(reader, memory_id).again), now
    return _Part(event=event, before=before, after=after, now=now, later=later)


def _written_with(reader: LedgerReader, event: Event) -> list[Event]:
    """Return the events next to a memory's beginning by which others ended, or were marked, because of it."""
    by = str(event.memory_id)

    def is_ended(it: Event) -> bool:
        if it.type != "superseded":
            return False
        return by == (it.note.get("by") if it.payload is not None else read_life(reader, str(it.memory_id)).ended_by)

    def is_marked(it: Event) -> bool:
        return it.type == "contradicted" and it.note.get("by") == by

    return [*_beside(reader, event, -1, is_ended), *_beside(reader, event, 1, is_marked)]


def _gone_with(reader: LedgerReader, event: Event, seq: int) -> list[Event]:
    """Return the events behind that of a memory by which others went or came back because of it.

    Raises:
        GovernanceError: What one of them said is deleted; the opposite of what was done needs no word of it.
    """
    of = str(event.memory_id)

    def is_along(it: Event) -> bool:
        if it.type not in {*GOING, "superseded"} or it.memory_id == of:
            return False
        if it.payload is not None:
            return bool(it.note.get("with") == of)
        life = read_life(reader, str(it.memory_id))
        return of in {life.went_with, life.back_with}

    found = _beside(reader, event, 1, is_along)
    wordless = next((it.memory_id for it in found if it.payload is None), None)
    if wordless is not None:
        act = "restore" if event.type == "forgotten" else "forget"
        msg = f"memory {wordless!r}, which event {seq} took along, was cleaned of sensitive data since; {act} {of!r}"
        raise GovernanceError(msg, rule="sensitive_data")
    return found


def _beside(reader: LedgerReader, event: Event, step: int, belongs: Callable[[Event], bool]) -> list[Event]:
    """Return the events next to one, in one direction, as long as they belong to it."""
    around = {it.seq: it for it in reader.events(after=max(event.seq - 1 - _BESIDE, 0), limit=2 * _BESIDE + 1)}
    found: list[Event] = []
    while (it := around.get(event.seq + step * (len(found) + 1))) is not None and it.memory_id and belongs(it):
        found.append(it)
    return found


def _came_with(reader: LedgerReader, event: Event) -> list[Event]:
    """Return what was written with a memory's beginning, and the beginnings of what it left of those that it ended."""
    written = _written_with(reader, event)
    ended = [str(it.memory_id) for it in written if it.type == "superseded"]
    rests = [rest.id for memory_id in ended for rest in left_of(reader, memory_id) if event.memory_id in rest.links]
    begun = [it for rest_id in rests for it in reader.events(memory_id=rest_id) if it.type == "remembered"]
    return [*written, *begun]


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

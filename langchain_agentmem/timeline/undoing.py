"""Taking one event back, with what belongs to it, and nothing that came later unless that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, NamedTuple

from langchain_agentmem.errors import ConfigurationError, GovernanceError, NotFoundError
from langchain_agentmem.ledger.base import LedgerReader
from langchain_agentmem.ledger.lives import Life, read_life
from langchain_agentmem.ledger.verify import WIPING
from langchain_agentmem.long_term.write.goals_left import carried_over, goals_left_of
from langchain_agentmem.long_term.write.merges import REMAINS
from langchain_agentmem.long_term.write.returning import Rules
from langchain_agentmem.policies.reverting import (
    TIES,
    Changed,
    back_to,
    built_upon,
    differences,
    overwritten,
    taken_back,
    untied,
)
from langchain_agentmem.timeline.along import (
    BEGINNINGS,
    GOING,
    batch,
    came_with,
    gone_with,
    parted_with,
    standing_on,
    taken_over,
)
from langchain_agentmem.timeline.elsewhere import Elsewhere
from langchain_agentmem.timeline.heirs import Heirs
from langchain_agentmem.timeline.records import Reverted
from langchain_agentmem.timeline.reverting import Plan, finished, replaced_by
from langchain_agentmem.timeline.standing import Objection, Standing
from langchain_agentmem.timeline.telling import Telling
from langchain_agentmem.types import Event, Memory, Scope
from langchain_agentmem.types.memories import LIVE_STATUSES

_TYING: Final = frozenset({"reverted", "contradicted"})
"""Events that change the ties of a memory because of another one."""


class _Target(NamedTuple):
    """An event to take back; one that only came along with another is left where it is overwritten.

    Attributes:
        is_end: It is why a memory is over, and the memory holds again without it, whatever had ended it before.
    """

    event: Event
    comes_along: bool = False
    is_end: bool = False


class _Part(NamedTuple):
    """One event of a memory: what the memory was before and after it, is now, and what happened to it since.

    A scan may have cleaned the memory since, and with it what the event said. That it was replaced, and what it was
    until then, its life still tells.

    Attributes:
        own: Its own times, where it is over by now, and another memory's may stand in their place.
        by: What it was replaced by, where that is another memory by now.
    """

    event: Event
    before: Memory | None
    after: Memory
    now: Memory
    later: Sequence[Event]
    own: Mapping[str, Changed]
    by: str | None

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
        """Fields that something later made something else of; that others came back and changed its ties is none."""
        later = {name for it in self.later if it.type not in _TYING for name in it.payload or ()}
        passed_on = TIES - later
        if self.before is None:
            return frozenset() if self.now.status == "archived" else built_upon(self.after, self.now) - passed_on
        return overwritten(self.done, self.now) - passed_on

    def changes(self, at: datetime, *, with_later: bool) -> dict[str, Changed]:
        """Return what takes it back."""
        if self.before is None:
            gone = back_to(self.now, None, at)
            return {**self.own, **gone} if gone else {}
        if not with_later:
            return taken_back(self.done, self.now)
        every = {
            name: Changed(getattr(self.now, name), it.before) for name, it in self.done.items() if name not in TIES
        }
        if "status" in every:  # what it is then, it is not by what ended it later
            every = {**self._times(self.before), **every}
        return {name: it for name, it in every.items() if it.before != it.after} | untied(self.done, self.now)

    def _times(self, before: Memory) -> dict[str, Changed]:
        """Return what gives it the times that it had; where it held since, its own ones, whatever became of those."""
        then = {name: getattr(before, name) for name in ("valid_at", "invalid_at", "expired_at")}
        had = differences(self.now, replace(self.now, **then))
        if self.after.status not in LIVE_STATUSES:
            return had
        return {**self.own, **{name: it for name, it in had.items() if name == "expired_at"}}

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
    rules: Rules

    def __call__(self, reader: LedgerReader) -> Plan:
        """Return the plan.

        Raises:
            NotFoundError: There is no such event here.
            ConfigurationError: It changed no memory.
            GovernanceError: It cannot be taken back, or later events build upon it.
        """
        event = _undoable(reader, self.seq, self.scope)
        at, elsewhere = self.clock(), Elsewhere(reader)
        steps: dict[str, Reverted] = {}
        notes: list[str] = []
        others: list[str] = []
        for target in self._targets(reader, event):
            part = _part(reader, target, self.scope, elsewhere)
            if part is None:
                others.append(str(target.event.memory_id))
            elif part.is_wordless:
                notes.append(f"memory {part.now.id!r} was cleaned of sensitive data since and stays as it is")
            elif target.comes_along and part.conflicts:
                notes.append(f"memory {part.now.id!r} was changed since and stays as it is")
            else:
                self._add(steps, part, at)
        erased = [it for it in others if read_life(reader, it).status in {None, "erased"}]
        if erased:
            notes.append(f"{len(erased)} memories of it were erased since, and stay erased")
        if len(erased) < len(others):
            notes.append("what of it is another agent's stays as it is")
        notes += _left_out(Standing(reader, steps, event, at, elsewhere))
        heirs = Heirs(reader, steps, event, at, self.rules)
        if event.type == "contradicted":
            heirs.unmark(str(event.note.get("by")))
        if event.type != "reverted":  # who takes back a rollback or an undo has all that was there before it
            notes += heirs.take_over()
        _stand_for_rests(reader, steps, at)
        notes += heirs.meet()
        if not steps:
            notes.append("nothing of it is in effect any more")
        found = Plan(to=self.seq - 1, seq=reader.head.seq, steps=tuple(steps.values()), erased=tuple(erased))
        return finished(reader, replace(found, notes=tuple(notes)))

    def _add(self, steps: dict[str, Reverted], part: _Part, at: datetime) -> None:
        builders = part.builders()
        if part.conflicts and not self.with_later:
            raise _built_upon(self.seq, builders, sorted(part.conflicts))
        changes = part.changes(at, with_later=self.with_later)
        if changes or part.by:
            undoes = (part.event.seq, *builders)
            known = steps.get(part.now.id)
            if known is not None:
                changes, undoes = {**known.changes, **changes}, (*known.undoes, *undoes)
            steps[part.now.id] = Reverted(memory_id=part.now.id, changes=changes, undoes=undoes, by=part.by)

    def _targets(self, reader: LedgerReader, event: Event) -> Iterator[_Target]:
        if event.type == "superseded":
            yield from self._with_successor(reader, event)
            return
        if event.type == "reverted":
            yield from (_Target(it) for it in batch(reader, event))
            return
        yield _Target(event)
        if event.type in GOING:
            along = [*gone_with(reader, event, self.seq), *parted_with(reader, event)]
            yield from (_Target(it, comes_along=True) for it in along)
        elif event.type in {*BEGINNINGS, "revised"}:
            yield from self._begun_with(reader, event)

    def _begun_with(self, reader: LedgerReader, event: Event) -> Iterator[_Target]:
        """Yield what was written with an event, and with later ones also what says nothing but what that one did."""
        yield from (_Target(it, comes_along=True) for it in came_with(reader, event))
        if event.type == "revised":
            return
        memory = reader.memory(str(event.memory_id))
        if memory is not None:
            yield from (_Target(it, comes_along=True, is_end=True) for it in taken_over(reader, memory))
        if self.with_later and memory is not None and memory.status == "superseded":
            for it in standing_on(reader, memory.id):
                yield _Target(it, comes_along=it.type != "remembered" or it.rule == REMAINS)

    def _with_successor(self, reader: LedgerReader, event: Event) -> Iterator[_Target]:
        """Yield the end of a memory; what stands for it has to go first, or they would both be believed."""
        yield _Target(event)
        successor = reader.memory(str(event.note.get("by")))
        further = [] if successor is None else self._replaced_since(reader, event, successor)
        if successor is None or (successor.status != "active" and not further):
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
        yield from (it for it in further if it.event.memory_id != successor.id)
        yield _Target(begun)
        yield from (_Target(it, comes_along=True) for it in came_with(reader, begun) if it.memory_id != event.memory_id)

    def _replaced_since(self, reader: LedgerReader, event: Event, successor: Memory) -> list[_Target]:
        """Return the end of what ended a memory, and what stands for both; none where nothing does."""
        memory = reader.memory(str(event.memory_id))
        is_over = memory is not None and memory.status == successor.status == "superseded"
        ends = [it for it in reader.events(memory_id=successor.id, after=event.seq) if it.type == "superseded"]
        if not is_over or not ends:
            return []
        found = [*self._with_successor(reader, ends[-1])]
        return found if len(found) > 1 else []


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


def _part(reader: LedgerReader, target: _Target, scope: Scope, elsewhere: Elsewhere) -> _Part | None:
    event = target.event
    memory_id = str(event.memory_id)
    now = reader.memory(memory_id)
    if now is None:
        return None
    telling = Telling(scope)
    before: Memory | None = None
    after = now
    events = reader.events(memory_id=memory_id)
    past = [it for it in events if it.seq < event.seq]
    for each in (*past, event):
        before = telling.memory(memory_id)
        telling.hear(each)
        after = telling.memory(memory_id) or now
    by = replaced_by(events, event.seq, before)
    is_wordless = event.type == "superseded" and event.payload is None
    if now.status == "superseded" and (target.is_end or is_wordless):
        before, after, by = replace(now, **Life.of(events).again), now, None
    return _Part(
        event=event,
        before=before,
        after=after,
        now=now,
        later=[it for it in events if it.seq > event.seq],
        own=elsewhere.own_times(now),
        by=by,
    )


def _stand_for_rests(reader: LedgerReader, steps: dict[str, Reverted], at: datetime) -> None:
    """Have a goal that comes back take the place of what was left of it, with all progress made on that."""
    for step in [*steps.values()]:
        goal = reader.memory(step.memory_id)
        if goal is None or goal.status != "archived" or step.status not in LIVE_STATUSES:
            continue
        rests = goals_left_of(reader, goal)
        back = replace(goal, **{name: it.after for name, it in step.changes.items()})
        progress = carried_over(reader, back, rests)
        if progress != back.goal:
            steps[goal.id] = step.also(goal=Changed(goal.goal, progress))
        for rest in rests:
            gone = Reverted(memory_id=rest.id, changes=back_to(rest, None, at), undoes=(rest.revision,))
            steps.setdefault(rest.id, gone)


def _built_upon(seq: int, later: Sequence[int], fields: Sequence[str], why: str = "") -> GovernanceError:
    named = ", ".join(map(str, later)) or "later ones"
    msg = (
        f"{why}event {named} changed {', '.join(fields)} after event {seq}; undo that first, "
        "or pass with_later=True to take both back"
    )
    return GovernanceError(msg, rule="later_events")

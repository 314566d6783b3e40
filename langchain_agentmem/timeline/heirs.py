"""What was said after a memory that is undone, and stands by its own word: it ends what comes back by that.

An undo leaves the state as if what is undone had never been written. Where no rule tells whether the later word would
have ended what comes back, both are marked as a contradiction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from langchain_agentmem.english.people.since import ended
from langchain_agentmem.errors import GovernanceError
from langchain_agentmem.ledger.base import LedgerReader
from langchain_agentmem.ledger.lives import read_life
from langchain_agentmem.long_term.write.merges import left_of
from langchain_agentmem.long_term.write.returning import Rules, may_name, meet, risen
from langchain_agentmem.long_term.write.revising import candidate_of
from langchain_agentmem.long_term.write.similar import compare
from langchain_agentmem.long_term.write.weighing import joined
from langchain_agentmem.policies.reverting import differences
from langchain_agentmem.timeline.records import Reverted
from langchain_agentmem.types import Event, Memory, Status

_HELD: Final[frozenset[Status]] = frozenset({"active", "superseded"})
_TAKEN_BACK: Final[frozenset[Status]] = frozenset({"archived", "pending"})


class Heir(NamedTuple):
    """What took the place of a memory, and when."""

    memory: Memory
    since: datetime


class Heirs(NamedTuple):
    """What an undo is about to do, by memory, which is completed by what stands later.

    Attributes:
        event: Is taken back.
        rules: By which two statements are held against each other.
    """

    reader: LedgerReader
    steps: dict[str, Reverted]
    event: Event
    at: datetime
    rules: Rules

    def take_over(self) -> list[str]:
        """Complete the steps, and return what is to be said of it."""
        known = self.reader.memories(self.steps).values()
        undone = [it for it in known if it.status == "superseded" and self._goes(it) and not self._came_as_over(it)]
        notes: list[str] = []
        for memory in undone:
            heirs = [*self._heirs(memory)]
            if not heirs:
                continue
            self._stand_apart(memory, heirs)
            given_back = [it for it in known if self._is_given_back(it, memory)]
            notes += [self._decide(it, memory, heirs) for it in given_back]
        return notes

    def meet(self) -> list[str]:
        """Hold what comes back against what was said since, and return what is to be said of it.

        What comes back together by a rollback undone was there together; else each may have been ended by itself.
        """
        fields = {"status", "content", "subject", "relation", "object"}
        ids = {it.memory_id for it in self.steps.values() if it.undoes and not fields.isdisjoint(it.changes)}
        if not ids:
            return []
        coming = [*self.reader.memories(ids).values()]
        since = min(seq for it in self.steps.values() for seq in it.undoes) - 1
        others = [it for it in risen(self.reader, since) if it.id not in ids]
        others += () if self.event.type == "reverted" else coming
        return [note for it in coming if (note := self._meet(it, others))]

    def unmark(self, by: str) -> None:
        """Take a mark back from both: of two that each name the other, none goes on to name one that does not.

        Raises:
            GovernanceError: A rule says that they contradict each other.
        """
        pair = self.reader.memories([str(self.event.memory_id), by])
        one, other = pair.get(str(self.event.memory_id)), pair.get(by)
        if one is None or other is None or one.id not in other.contradicts:
            return
        if {one.status, other.status} == {"active"} and (self._is_rival(one, other) or self._is_rival(other, one)):
            msg = f"memories {one.id!r} and {other.id!r} contradict each other; forget the one that is not so"
            raise GovernanceError(msg, rule="contradiction")
        self._change(other, "contradicts", tuple(it for it in other.contradicts if it != one.id))

    def _meet(self, memory: Memory, others: Sequence[Memory]) -> str:
        back, stand = self._now(memory), [it for it in map(self._now, others) if it.status == "active"]
        if back.status != "active":
            return ""
        met = meet(self.reader, self.rules, back, stand, self.at)
        self._put(memory, replace(back, **met.changes(self.at)), met.by)
        for other, changes in met.others(self.at):
            self._put(other, replace(other, **changes), memory if "status" in changes else None)
        return f"memory {memory.id!r} is back: {why}" if (why := met.why()) else ""

    def _heirs(self, memory: Memory) -> Iterator[Heir]:
        """Yield what took a memory's place, one after the other, by its own word, and is not taken back itself."""
        seen = {memory.id}
        while memory.status == "superseded":
            life = read_life(self.reader, memory.id)
            heir = None if life.ended_by is None else self.reader.memory(life.ended_by)
            if heir is None or heir.id in seen or heir.status not in _HELD:
                return
            if not life.was_merged_into and not self._goes(heir):
                yield Heir(heir, memory.expired_at or self.at)
            seen.add(heir.id)
            memory = heir

    def _goes(self, memory: Memory) -> bool:
        step = self.steps.get(memory.id)
        return step is not None and step.status in _TAKEN_BACK

    def _came_as_over(self, memory: Memory) -> bool:
        """Whether what is taken back is that it came back, as what was over by then: it is as it was before that."""
        return self.event.memory_id == memory.id and (self.event.payload or {}).get("status") == "superseded"

    def _is_given_back(self, memory: Memory, undone: Memory) -> bool:
        step = self.steps[memory.id]
        is_ended = memory.status != step.status and step.status in {"active", "pending"}
        return is_ended and memory.id != undone.id and read_life(self.reader, memory.id).ended_by == undone.id

    def _stand_apart(self, undone: Memory, heirs: list[Heir]) -> None:
        """Have what is undone tell what it contradicts, and be replaced by nothing: it may come back one day."""
        first = heirs[0].memory
        if undone.id in first.supersedes:
            self._change(first, "supersedes", tuple(it for it in first.supersedes if it != undone.id))
        self._mark(undone, heirs)

    def _decide(self, memory: Memory, undone: Memory, heirs: list[Heir]) -> str:
        """Have the first that says otherwise end what would hold again; where none does, mark what contradicts it."""
        back = replace(memory, **{name: it.after for name, it in self.steps[memory.id].changes.items()})
        rivals = (it for it in heirs if self._is_rival(it.memory, back))
        heir = next(rivals, None) if back.status == "active" else None
        if heir is not None:
            self._end(memory, back, heir, undone)
            return f"memory {memory.id!r} stays over: memory {heir.memory.id!r}, said later, contradicts it as well"
        if read_life(self.reader, memory.id).was_merged_into:
            return f"memory {memory.id!r} stands for itself again"
        marked = self._mark(memory, heirs)
        for it in marked if back.status == "active" else ():
            self._name(it, [memory])
        return f"memory {memory.id!r} is back beside {', '.join(repr(it.id) for it in marked)}, which may contradict it"

    def _is_rival(self, heir: Memory, back: Memory) -> bool:
        return bool(compare(candidate_of(heir, {}), [back], {}, (), self.rules.functional).conflicts)

    def _end(self, memory: Memory, back: Memory, heir: Heir, undone: Memory) -> None:
        over = replace(back, **ended(back, heir.memory, heir.since))
        self._put(memory, replace(over, expired_at=memory.expired_at), heir.memory)
        self._change(heir.memory, "supersedes", joined(self._now(heir.memory).supersedes, (memory.id,)))
        for rest in left_of(self.reader, memory.id):  # it is as much of it as before
            if undone.id in rest.links:
                self.steps.pop(rest.id, None)

    def _mark(self, memory: Memory, heirs: list[Heir]) -> list[Memory]:
        """Have a memory tell that it contradicts what is in force of those said later, and return that."""
        active = [it.memory for it in heirs if it.memory.status == "active"]
        self._name(memory, active)
        return active

    def _name(self, memory: Memory, others: Sequence[Memory]) -> None:
        """Have a memory name those that it contradicts, as far as whoever sees it may know of them."""
        ids = tuple(it.id for it in others if may_name(memory, it))
        if ids:
            self._change(memory, "contradicts", joined(self._now(memory).contradicts, ids))

    def _now(self, memory: Memory) -> Memory:
        """Return a memory as it will be so far."""
        step = self.steps.get(memory.id)
        return memory if step is None else replace(memory, **{name: it.after for name, it in step.changes.items()})

    def _change(self, memory: Memory, name: str, value: tuple[str, ...]) -> None:
        change: dict[str, Any] = {name: value}
        self._put(memory, replace(self._now(memory), **change))

    def _put(self, memory: Memory, then: Memory, by: Memory | None = None) -> None:
        """Have a memory be something in the end, replaced by another one."""
        now = self.reader.memory(memory.id) or memory
        step = self.steps.get(memory.id) or Reverted(memory_id=memory.id, changes={}, undoes=())
        by_id = step.by if by is None else by.id
        self.steps[memory.id] = replace(step, changes=differences(now, then), by=by_id)

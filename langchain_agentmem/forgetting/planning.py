"""What is to become of a scope's memories: read page by page, judged by a pure function, nothing changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Final, NamedTuple

from langchain_agentmem._flow import Flow, work
from langchain_agentmem.english.reading.profile_fields import claim_of, field_of, name_in
from langchain_agentmem.ledger.base import Ledger, LedgerReader, Page
from langchain_agentmem.ledger.codec import to_micros
from langchain_agentmem.policies.forget import ForgettingPolicy, Trace, judge
from langchain_agentmem.policies.forget_fates import REASONS, SAVED_BY, Fate
from langchain_agentmem.policies.repeated import REPEATED
from langchain_agentmem.types import Memory, Scope, Status
from langchain_agentmem.types.memories import KEPT_STATUSES, LIVE_STATUSES

PAGE: Final = 500
"""Memories read in one transaction."""


class Room(NamedTuple):
    """Memories that are counted together, and leave the room for others.

    Attributes:
        rule: By which one goes.
        may_go: Rules that do not keep one from it.
        place: What goes first has the least.
    """

    status: Status
    rule: str
    may_go: frozenset[str]
    place: Callable[[Fate, Memory], tuple[float | str, ...]]


def _kept_least(fate: Fate, memory: Memory) -> tuple[float | str, ...]:
    return fate.retention, memory.importance, fate.confidence, fate.memory_id


USED: Final = Room("active", "capacity", frozenset({"fresh", "faded"}), _kept_least)
WAITING: Final = Room(
    "pending",
    "capacity_waiting",
    frozenset({"fresh", "faded", "lasting", "supports"}),  # nothing relies on it yet, whatever it says
    lambda fate, memory: (memory.trust, *_kept_least(fate, memory)),
)
ROOMS: Final = (USED, WAITING)
"""Anybody can write a page, and so anybody can make things wait: they never cost what is used its place."""

CROWDED: Final = frozenset(it.rule for it in ROOMS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """By what memories are judged.

    Attributes:
        fields: Names of the profile's fields, by the relation that says each.
        kept: By id, the rule that keeps a memory against age: `supports`, or `profile`.
        is_held: Whether a legal hold stands.
    """

    policy: ForgettingPolicy
    now: datetime
    fields: dict[str, str] = field(default_factory=dict)
    kept: Mapping[str, str] = field(default_factory=dict)
    is_held: bool = False

    def keeps(self, memory: Memory) -> str | None:
        """Return the rule that keeps a memory whatever else applies, or against age alone."""
        return "held" if self.is_held else self.kept.get(memory.id)

    def fate(self, memory: Memory, trace: Trace) -> Fate:
        """Return what becomes of a memory."""
        return judge(memory, trace, self.policy, self.now, keeps=self.keeps(memory))


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetPlan:
    """What is to be done.

    Attributes:
        fates: Of every memory.
        seen: The memories, as they were judged, by id.
    """

    fates: tuple[Fate, ...] = ()
    judgement: Judgement
    seen: Mapping[str, Memory] = field(default_factory=dict)

    @property
    def is_too_much(self) -> bool:
        """Whether more is in force than may be, once all else is done."""
        return self._surplus(USED) > 0

    def without(self, merged: Sequence[Sequence[str]]) -> ForgetPlan:
        """Return the plan where of each group one memory is left, and in each room the least go until there is room."""
        gone = {it for group in merged for it in group}
        plan = replace(self, fates=tuple(_under(it, "merged") if it.memory_id in gone else it for it in self.fates))
        return plan._bounded(len(merged))  # noqa: SLF001  (its own)

    def _bounded(self, more: int) -> ForgetPlan:
        """Return the plan where in each room the least go, so that there are no more than may be."""
        chosen = {it: room.rule for room in ROOMS for it in self._least(room, more if room is USED else 0)}
        fates = (_under(it, chosen[it.memory_id]) if it.memory_id in chosen else it for it in self.fates)
        return replace(self, fates=tuple(fates))

    def _surplus(self, room: Room, more: int = 0) -> int:
        bound = self.judgement.policy.max_memories
        if bound is None or self.judgement.is_held:
            return 0
        left = [it for it in self.fates if it.status == room.status and it.move != "archive" and it.rule != "merged"]
        return max(0, len(left) + more - bound)

    def _least(self, room: Room, more: int) -> list[str]:
        """Return what is too much in a room, the least first."""
        may_go = (it for it in self.fates if it.status == room.status and it.rule in room.may_go)
        found = sorted(may_go, key=lambda it: room.place(it, self.seen[it.memory_id]))
        return [it.memory_id for it in found[: self._surplus(room, more)]]


def trace_of(memory_id: str, uses: Mapping[str, tuple[int, datetime]], evident: Mapping[str, datetime]) -> Trace:
    """Return what is known of a memory's use."""
    count, last = uses.get(memory_id, (0, None))
    return Trace(uses=count, last_used_at=last, evident_at=evident.get(memory_id))


def traces(reader: LedgerReader, memories: Sequence[Memory]) -> dict[str, Trace]:
    """Return what is known of the use of several memories."""
    ids = [it.id for it in memories]
    uses, evident = (reader.uses(ids), reader.evident(ids)) if ids else ({}, {})
    return {it: trace_of(it, uses, evident) for it in ids}


def plan_flow(ledger: Ledger, scope: Scope, judgement: Judgement) -> Flow[ForgetPlan]:
    """Return what is to be done with the memories of a scope's user and agent, a transaction for each page.

    What other agents have, or all share, is judged where they are asked for.
    """
    found: dict[str, tuple[Memory, Trace]] = {}
    after: tuple[float, str] | None = None
    while True:
        page = Page(statuses=KEPT_STATUSES, after=after, limit=PAGE)
        memories, known, is_held = yield from ledger.read(scope, partial(_read, page=page))
        own = (it for it in memories if it.scope.agent_id == scope.agent_id)
        found |= {it.id: (it, known[it.id]) for it in own}
        if len(memories) < PAGE:
            break
        after = (to_micros(memories[-1].created_at) or 0, memories[-1].id)
    return (yield from work(_planned, list(found.values()), replace(judgement, is_held=is_held)))


def _read(reader: LedgerReader, page: Page) -> tuple[list[Memory], dict[str, Trace], bool]:
    memories = reader.page(page)
    return memories, traces(reader, memories), reader.head.is_held


def _planned(found: Sequence[tuple[Memory, Trace]], judgement: Judgement) -> ForgetPlan:
    judgement = replace(judgement, kept=_of_profile([it for it, _ in found if it.status == "active"], judgement.fields))
    judgement = replace(judgement, kept={**judgement.kept, **_supports(found, judgement)})
    fates = tuple(judgement.fate(*it) for it in found)
    return ForgetPlan(fates=fates, judgement=judgement, seen={memory.id: memory for memory, _ in found})


def _of_profile(memories: Sequence[Memory], fields: dict[str, str]) -> dict[str, str]:
    """Return by id what has a place in the profile: it is shown in every turn, which counts as no use of it."""
    name = name_in(sorted(memories, key=lambda it: it.created_at, reverse=True))
    return {
        it.id: "profile"
        for it in memories
        if field_of(it) is not None or (it.kind != "preference" and claim_of(it, fields, name) is not None)
    }


def _supports(found: Iterable[tuple[Memory, Trace]], judgement: Judgement) -> dict[str, str]:
    """Return by id the outcomes on which a conclusion rests that is to stand."""
    conclusions = [it for it in found if REPEATED in it[0].tags and it[0].status in LIVE_STATUSES]
    standing = [memory for memory, trace in conclusions if judgement.fate(memory, trace).move != "archive"]
    return {id_: "supports" for memory in standing for id_ in memory.links}


def _under(fate: Fate, rule: str) -> Fate:
    """Return a fate that another rule decides."""
    return replace(
        fate,
        move="archive" if rule in CROWDED else None,
        rule=rule,
        reason=REASONS[rule],
        saved_by=SAVED_BY[rule],
        next_move=None,
        next_rule=None,
        next_at=None,
    )

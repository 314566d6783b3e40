"""What comes back meets what was said since it went: they are judged as if it had never been away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeAlias

from langchain_agentmem.english.people.since import ended, held_until
from langchain_agentmem.ledger.base import LedgerReader
from langchain_agentmem.ledger.lives import ENDINGS, read_life
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.write.lifting import MAX_FACTS
from langchain_agentmem.long_term.write.outdating import doubted
from langchain_agentmem.long_term.write.revising import candidate_of
from langchain_agentmem.long_term.write.similar import compare
from langchain_agentmem.long_term.write.weighing import is_live, joined
from langchain_agentmem.policies.settling import Settling
from langchain_agentmem.types import Event, Memory
from langchain_agentmem.types.memories import LIVE_STATUSES

Said: TypeAlias = tuple[datetime, int]
"""When something was said, and the number of the event."""

_AWAY: Final = ENDINGS | {"reverted"}
"""Events by which a memory goes."""

_BACK: Final = frozenset({"remembered", "activated", "approved", "revised", "restored", "reverted"})
"""Events by which a memory comes to hold, or its words do."""

_SAYS: Final = {"revised": "content", "approved": "content", "confirmed": "confidence"}
"""What events change by which a memory is said once more; a claim that confirms it changes no confidence."""


class Rules(NamedTuple):
    """By what two statements are held against each other.

    Attributes:
        functional: Relations of which a subject has one object at a time; `several`: of which it may have many.
        settling: Which of two stands.
    """

    functional: frozenset[str]
    several: frozenset[str]
    settling: Settling

    @classmethod
    def of(cls, parts: Parts) -> Rules:
        """Return those of a memory."""
        return cls(parts.relations.functional, parts.relations.several, parts.settling)


class Met(NamedTuple):
    """What comes back, and what it contradicts of what was said since.

    Attributes:
        said: When it was said last, or what ends it was.
        by: The first that would have ended it: it comes back as what is over, and nothing else is asked.
        ended: What it would have ended. `beside`: where none ends the other.
        sources: What it was merged from, and stands for again.
    """

    back: Memory
    said: datetime
    by: Memory | None = None
    ended: tuple[Memory, ...] = ()
    beside: tuple[Memory, ...] = ()
    sources: tuple[Memory, ...] = ()

    def changes(self, at: datetime) -> dict[str, Any]:
        """Return what comes of what comes back."""
        if self.by is not None:
            return {**ended(self.back, self.by, self.said), "expired_at": at}
        return _in_place(self.back, self.ended, self.beside)

    def others(self, at: datetime) -> Iterator[tuple[Memory, Mapping[str, Any]]]:
        """Yield what comes of each other one."""
        if self.by is not None:
            yield self.by, _in_place(self.by, [self.back])
        for it in self.ended:
            yield it, {**ended(it, self.back, self.said), "expired_at": at}
        for it in self.sources:
            ends = held_until(it, self.back.valid_at or at)
            yield it, {"status": "superseded", "invalid_at": ends, "expired_at": at}
        for it in self.beside:
            if may_name(it, self.back):
                yield it, {"contradicts": joined(it.contradicts, (self.back.id,))}

    def why(self) -> str:
        """Say what came of it, for the log; nothing, where nothing did."""
        if self.by is not None:
            return f"memory {self.by.id}, said since, stands for it"
        told = {"stands for memory": (*self.ended, *self.sources), "contradicts memory": self.beside}
        return "; ".join(f"it {does} {', '.join(it.id for it in met)}" for does, met in told.items() if met)


def went(events: Iterable[Event]) -> int:
    """Return the last event before a memory went, of all its events, and before what went or came back with it.

    What came as what was gone already was away from the beginning.
    """
    since: int | None = None
    for it in events:
        status = (it.payload or {}).get("status")
        if status in LIVE_STATUSES:
            since = None
        elif since is None and it.type in _AWAY and (status or it.payload is None):
            since = int(it.note.get("batch", it.seq)) - 1
    return since or 0


def risen(reader: LedgerReader, since: int) -> list[Memory]:
    """Return the memories that came to hold after an event, or other words of them; of many, those changed last."""
    changed = sorted(reader.changed(since), key=lambda it: it.revision, reverse=True)
    live = [it for it in changed if it.status == "active"][:MAX_FACTS]
    return [it for it in live if any(e.type in _BACK for e in reader.events(memory_id=it.id, after=since))]


def meet(reader: LedgerReader, rules: Rules, back: Memory, others: Iterable[Memory], at: datetime) -> Met:
    """Hold what comes back against others in force: as a write of whichever was said last would be."""
    said = _said(reader, back)
    over, under, beside = list[tuple[Said, Memory]](), list[Memory](), list[Memory]()
    known = [it for it in others if it.id != back.id and is_live(it, at)]
    sources = [it for it in known if _is_source(reader, it, back)]
    for other in (it for it in known if it not in sources and _is_news(back, it)):
        later = _said(reader, other)
        new, old = (other, back) if later > said else (back, other)
        stands = _stands(new, old, rules)
        if stands and new is other:
            over.append((later, other))
        elif stands is not None:
            (under if stands else beside).append(other)
    if over:
        (moment, _), by = min(over, key=lambda it: it[0])
        return Met(back, moment, by)
    return Met(back, said[0], None, tuple(under), tuple(beside), tuple(sources))


def _is_source(reader: LedgerReader, memory: Memory, merge: Memory) -> bool:
    """Whether a memory is there again that was merged, and nothing happened to it since it came back."""
    if merge.source != "merged" or memory.id not in merge.supersedes:
        return False
    if read_life(reader, memory.id).back_with is not None:
        return True
    done = [it.type for it in reader.events(memory_id=memory.id) if it.type != "cleaned"]
    return done[-1] in {"restored", "reverted"}


def _stands(new: Memory, old: Memory, rules: Rules) -> bool | None:
    """Whether a statement ends one that was said before it, all of it; `None`: it contradicts nothing.

    What was said in place of another one contradicts that, whatever the words of either; a merge says the same. So does
    what was marked before, and what the signs of a change tell.
    """
    candidate, is_of_one = candidate_of(new, {}), new.scope.agent_id == old.scope.agent_id
    similar = compare(candidate, [old], {}, (), rules.functional)
    if similar.conflicts:
        return is_of_one and not similar.left and rules.settling(candidate, old) == "replace"
    if old.id in new.supersedes:
        return is_of_one if new.source != "merged" else None
    if new.id in old.supersedes and old.source == "merged":
        return None
    if new.id in (*old.supersedes, *old.contradicts) or old.id in new.contradicts:
        return False
    is_judged = similar.duplicates or similar.narrower
    is_doubted = not is_judged and doubted(candidate, [old], new.scope.user_id, rules.several)
    return False if is_doubted else None


def _said(reader: LedgerReader, memory: Memory) -> Said:
    """Return when a memory was said last, in the words that it has."""
    for it in reversed(reader.events(memory_id=memory.id)):
        told = it.payload or {}
        is_said = it.type in {"remembered", "activated"} or _SAYS.get(it.type) in told
        if is_said and told.get("content", memory.content) == memory.content:
            return memory.created_at if it.type == "remembered" else it.at, it.seq
    return memory.created_at, 0


def _is_news(back: Memory, other: Memory) -> bool:
    """Whether one of two is not marked yet as contradicting the other."""
    pairs = ((back, other), (other, back))
    return any(may_name(one, it) and it.id not in one.contradicts for one, it in pairs)


def may_name(memory: Memory, other: Memory) -> bool:
    """Whether a memory may name another one: what agents share learns nothing of what one of them has."""
    return other.scope.agent_id in {None, memory.scope.agent_id}


def _in_place(memory: Memory, replaced: Iterable[Memory], beside: Iterable[Memory] = ()) -> dict[str, Any]:
    """Return what changes of a memory that replaces some and contradicts others."""
    ids = tuple(it.id for it in replaced)
    named = tuple(it.id for it in beside if may_name(memory, it))
    against = tuple(it for it in joined(memory.contradicts, named) if it not in ids)
    found = {"supersedes": joined(memory.supersedes, ids), "contradicts": against}
    return {name: it for name, it in found.items() if it != getattr(memory, name)}

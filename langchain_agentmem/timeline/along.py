"""What was written, went or came along with an event, and what stands on a memory alone: it is taken back with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from langchain_agentmem.errors import GovernanceError
from langchain_agentmem.ledger.base import LedgerReader
from langchain_agentmem.ledger.lives import read_life
from langchain_agentmem.long_term.write.merges import REMAINS, left_of, merges_of
from langchain_agentmem.types import Event, Memory

BEGINNINGS: Final = frozenset({"remembered", "activated", "approved"})
"""Events by which a memory begins to hold, and takes the place of others."""

GOING: Final = frozenset({"forgotten", "restored"})
"""Events by which a memory goes or comes back, and what rests on it along with it."""

_BESIDE: Final = 256
"""Events looked at on either side of one for those that were written with it: more than one write can replace."""


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


def gone_with(reader: LedgerReader, event: Event, seq: int) -> list[Event]:
    """Return the events behind that of a memory by which others went or came back because of it.

    Raises:
        GovernanceError: What one of them said is deleted; the opposite of what was done needs no word of it.
    """
    of = str(event.memory_id)

    def is_along(it: Event) -> bool:
        if it.type not in {*GOING, "superseded", "contradicted"} or it.memory_id == of:
            return False
        if it.payload is not None or it.type == "contradicted":
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


def came_with(reader: LedgerReader, event: Event) -> list[Event]:
    """Return what was written with a memory's beginning, and the beginnings of what it left of those that it ended."""
    written = _written_with(reader, event)
    ended = [str(it.memory_id) for it in written if it.type == "superseded"]
    rests = [rest.id for memory_id in ended for rest in left_of(reader, memory_id) if event.memory_id in rest.links]
    begun = [it for rest_id in rests for it in reader.events(memory_id=rest_id) if it.type == "remembered"]
    return [*written, *begun]


def batch(reader: LedgerReader, event: Event) -> Iterator[Event]:
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


def parted_with(reader: LedgerReader, event: Event) -> list[Event]:
    """Return the beginnings of what was kept of a memory as a part of it was forgotten; of a goal, see `goals_left`."""
    of = str(event.memory_id)

    def is_rest(it: Event) -> bool:
        rest = reader.memory(str(it.memory_id)) if it.type == "remembered" and it.rule == REMAINS else None
        return rest is not None and rest.kind != "goal" and of in rest.links

    return _beside(reader, event, 1, is_rest) if event.note.get("in_part") else []


def standing_on(reader: LedgerReader, memory_id: str) -> Iterator[Event]:
    """Yield what has no word of its own beside a memory: beginnings of merges of it, and what was written with these.

    What remained of it was made of it alone, too.
    """
    made = [memory_id]
    for _, merged in merges_of(reader, memory_id):
        made.append(merged.id)
        for begun in reader.events(memory_id=merged.id, limit=1):
            yield begun
            yield from (it for it in came_with(reader, begun) if it.memory_id not in made)
    for rest in left_of(reader, memory_id):
        yield from reader.events(memory_id=rest.id, limit=1)


def taken_over(reader: LedgerReader, memory: Memory) -> list[Event]:
    """Return the events by which a memory came to end what came back after it was said, by an undo or restored."""
    found = []
    for old in reader.memories(memory.supersedes).values():
        if old.status == "superseded" and read_life(reader, old.id).ended_by == memory.id:
            life = [it for it in reader.events(memory_id=old.id) if it.note.get("by") == memory.id]
            found += [it for it in life[-1:] if it.type in {"reverted", "restored"}]
    return found

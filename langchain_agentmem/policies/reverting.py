"""What was believed at a time, what differs between two times, and what takes a memory back to what it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any, Final, NamedTuple

from langchain_agentmem.types import Memory, Status

FIELDS: Final = tuple(field.name for field in fields(Memory) if field.name not in {"id", "scope", "revision"})
"""Fields of a memory that an event can change; where it belongs and its number in the log are no belief."""

WEIGHING: Final = frozenset({"confidence", "sightings", "provenance", "links", "contradicts"})
"""Fields that only weigh a memory: what moved them since does not build upon its having been remembered."""

TIES: Final = frozenset({"supersedes", "contradicts"})
"""Fields by which memories name each other: several events may each have brought some of them."""

_HELD_TRUE: Final[frozenset[Status]] = frozenset({"active", "superseded"})


class Changed(NamedTuple):
    """What a field said, and what it says then."""

    before: Any
    after: Any


def is_believed(memory: Memory, at: datetime, valid_at: datetime | None = None) -> bool:
    """Whether a memory, as it was at a time, is believed then; with `valid_at`: held to be true of that time.

    What was replaced is no longer believed of the present, but still of the past in which it was true.
    """
    if memory.expires_at is not None and memory.expires_at <= at:
        return False
    if valid_at is None:
        return memory.status == "active"
    is_begun = memory.valid_at is None or memory.valid_at <= valid_at
    return memory.status in _HELD_TRUE and is_begun and (memory.invalid_at is None or valid_at < memory.invalid_at)


def differences(before: Memory, after: Memory) -> dict[str, Changed]:
    """Return the fields in which two states of a memory differ."""
    pairs = ((name, getattr(before, name), getattr(after, name)) for name in FIELDS)
    return {name: Changed(old, new) for name, old, new in pairs if old != new}


def back_to(now: Memory, before: Memory | None, at: datetime) -> dict[str, Changed]:
    """Return what makes a memory what it was before; what was not there then is forgotten, and can be restored."""
    if before is not None:
        return differences(now, before)
    if now.status == "archived":
        return {}
    return {"status": Changed(now.status, "archived"), "expired_at": Changed(now.expired_at, at)}


def taken_back(done: Mapping[str, Changed], now: Memory) -> dict[str, Changed]:
    """Return what takes one change back, as far as it still stands."""
    whole = {name: Changed(it.after, it.before) for name, it in done.items() if getattr(now, name) == it.after}
    return {**untied(done, now), **whole}


def untied(done: Mapping[str, Changed], now: Memory) -> dict[str, Changed]:
    """Return what takes back the ties of one change, and no other ones."""
    ties = ((name, it, getattr(now, name)) for name, it in done.items() if name in TIES)
    found = {name: Changed(tied, _without(it, tied)) for name, it, tied in ties}
    return {name: it for name, it in found.items() if it.before != it.after}


def _without(done: Changed, now: Sequence[str]) -> tuple[str, ...]:
    """Return ids without those that a change brought, and with those that it took away."""
    if now == done.after:
        return tuple(done.before)
    kept = (it for it in now if it in done.before or it not in done.after)
    return tuple(dict.fromkeys((*kept, *(it for it in done.before if it not in done.after))))


def overwritten(done: Mapping[str, Changed], now: Memory) -> frozenset[str]:
    """Return the fields of a change that say by now neither what it made of them, nor what they said before it."""
    return frozenset(name for name, it in done.items() if getattr(now, name) not in (it.before, it.after))


def built_upon(remembered: Memory, now: Memory) -> frozenset[str]:
    """Return the fields of a memory, those that only weigh it apart, that changed since it was remembered."""
    return frozenset(differences(remembered, now)) - WEIGHING

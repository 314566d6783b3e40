"""What time travel answers."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, TypeAlias, TypeVar, overload

from langchain_agentmem.policies.reverting import Changed
from langchain_agentmem.types import Memory, Status
from langchain_agentmem.types.showing import briefly

T = TypeVar("T")

Moment: TypeAlias = datetime | int
"""A time, or the number of an event: the state it left."""

UNTOUCHED: Final = (
    "consent",
    "erasures",
    "legal holds",
    "receipts",
    "conversations, threads and working state",
    "statistics of use",
)
"""What no rollback and no undo ever changes."""


class _Tuple(Sequence[T]):
    """A sequence over one of its fields."""

    __slots__ = ()

    @property
    def _all(self) -> tuple[T, ...]:
        raise NotImplementedError

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        """Return one, or several."""
        return self._all[index]

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._all)

    def __iter__(self) -> Iterator[T]:
        """Iterate in order."""
        return iter(self._all)


@dataclass(frozen=True, kw_only=True)
class Snapshot(_Tuple[Memory]):
    """The memories that were believed at a time, the one learned last first.

    Attributes:
        seq: The last event that counts.
        at: For which time.
        erased: Ids of memories that were there then and were erased since: what they said is nowhere any more.
    """

    __repr__ = briefly("memories")

    memories: tuple[Memory, ...] = ()
    seq: int = 0
    at: datetime
    erased: tuple[str, ...] = ()

    @property
    def _all(self) -> tuple[Memory, ...]:
        return self.memories


@dataclass(frozen=True, slots=True, kw_only=True)
class Appeared:
    """A memory that is believed at the later time and was not at the earlier one, and the event that made it so."""

    __repr__ = briefly()

    memory: Memory
    event: int | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Vanished:
    """A memory, as it was, that was believed at the earlier time and is not at the later one; `None`: it expired."""

    __repr__ = briefly()

    memory: Memory
    event: int | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """A field of a memory that is believed at both times; `event` changed it last."""

    memory_id: str
    field: str
    before: Any = dataclasses.field(repr=False)
    after: Any = dataclasses.field(repr=False)
    event: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What changed between two times.

    Attributes:
        erased: Ids of memories that were there at the earlier time and are erased by now.
    """

    __repr__ = briefly("added", "changed", "ended")

    since: int
    until: int
    added: tuple[Appeared, ...] = ()
    changed: tuple[FieldChange, ...] = ()
    ended: tuple[Vanished, ...] = ()
    erased: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether anything changed."""
        return bool(self.added or self.changed or self.ended or self.erased)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reverted:
    """A memory that was taken back.

    Attributes:
        changes: By field, what it said and what it says then.
        undoes: Numbers of the events whose effect is gone.
        event: The compensating event; `None` where nothing was written.
        by: What it is replaced by then, where that is another memory than before.
    """

    memory_id: str
    changes: Mapping[str, Changed] = field(repr=False)
    undoes: tuple[int, ...]
    event: int | None = None
    by: str | None = None

    @property
    def status(self) -> Status | None:
        """What the memory is then; `None`: what it was."""
        changed = self.changes.get("status")
        return None if changed is None else changed.after

    def also(self, **changes: Changed) -> Reverted:
        """Return it with further changes."""
        return dataclasses.replace(self, changes={**self.changes, **changes})

    @property
    def is_forgotten(self) -> bool:
        """Whether the memory is forgotten by it."""
        return self.status == "archived"


@dataclass(frozen=True, kw_only=True)
class Reversal(_Tuple[Reverted]):
    """What a rollback or an undo did, or would do.

    Attributes:
        to: A rollback: the last event whose effect stays. An undo: the event before the one that was undone.
        erased: Ids of memories that were to be taken back and are erased: they stay erased.
        notes: In words, what did not come back, and what differs from what might be expected.
        untouched: What no reversal changes.
    """

    __repr__ = briefly("reverted")

    to: int
    reason: str
    reverted: tuple[Reverted, ...] = ()
    erased: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    is_dry_run: bool = False
    untouched: tuple[str, ...] = field(default=UNTOUCHED)

    @property
    def _all(self) -> tuple[Reverted, ...]:
        return self.reverted

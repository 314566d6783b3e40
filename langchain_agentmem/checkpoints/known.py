"""What this process knows of threads it used lately, so that a hot put is one round trip.

Nothing here is ever asked for the truth: a number is used only in the generation it was learned in, and what is missing
is read again. A change that failed is never learned.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from langchain_agentmem.checkpoints.base import Key, ThreadState
from langchain_agentmem.checkpoints.content import SplitList
from langchain_agentmem.checkpoints.header import Header
from langchain_agentmem.checkpoints.versions import Version
from langchain_agentmem.types.scope import Owner

MAX_ITEMS: Final = 200_000
"""Digests kept in all: some 30 MB."""

MAX_THREADS: Final = 2_000
"""Threads kept; what is known of one without its digests takes some 20 KB at most."""

MAX_HEADERS: Final = 16
"""Checkpoints of one thread whose references are kept: a run puts on top of what it put or read last."""

MAX_LIST_BYTES: Final = 64 * 2**20
"""Lists of messages kept in all, to compare the next version with."""

_NEVER: Final = -1

Place: TypeAlias = tuple[str, str, str]
"""Thread, namespace and channel."""


class Outline(NamedTuple):
    """What the next checkpoint takes over from its parent."""

    parent_id: str | None
    versions: Mapping[str, Version]
    refs: Mapping[str, bytes]


def outline(header: Header, parent_id: str | None) -> Outline:
    """Return what a header passes on; whoever put it may change its own dict of versions afterwards."""
    return Outline(parent_id, dict(header.versions), header.refs)


@dataclass(slots=True)
class Known:
    """One thread in one generation.

    Attributes:
        next_no: Every digest below is in `numbers`, unless it was learned in an older generation.
        labels: Labels that the thread has for sure.
    """

    generation: int = _NEVER
    next_no: int = 1
    owner: Owner | None = None
    numbers: dict[bytes, int] = field(default_factory=dict)
    outlines: OrderedDict[Key, Outline] = field(default_factory=OrderedDict)
    labels: set[bytes] = field(default_factory=set)

    @property
    def has_root(self) -> bool:
        """Whether a checkpoint of the graph itself is among those it knows."""
        return any(not ns for ns, _ in self.outlines)

    def keep_outline(self, key: Key, found: Outline) -> None:
        """Keep it in place of the one that was used longest ago."""
        self.outlines[key] = found
        self.outlines.move_to_end(key)
        while len(self.outlines) > MAX_HEADERS:
            self.outlines.popitem(last=False)


class Cache:
    """Threads that were used lately, bounded in size, safe in several threads of execution."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads: OrderedDict[str, Known] = OrderedDict()
        self._items = 0
        self._deleted: OrderedDict[str, None] = OrderedDict()
        self._lists: OrderedDict[Place, SplitList] = OrderedDict()
        self._places: dict[str, set[Place]] = {}
        self._list_bytes = 0

    def of(self, thread_id: str) -> Known:
        """Return what is known of a thread; nothing, if it was not used lately."""
        with self._lock:
            known = self._threads.get(thread_id)
            return Known() if known is None else known

    def was_begun(self, thread_id: str) -> bool:
        """Return whether runs of this process have put or read something of a thread since it was last found gone."""
        with self._lock:
            known = self._threads.get(thread_id)
            return thread_id in self._deleted or (known is not None and known.has_root)

    def learn(self, thread_id: str, state: ThreadState, lesson: Lesson) -> None:
        """Take in what was read or written of a thread in a state."""
        with self._lock:
            known = self._current(thread_id, state.generation)
            known.owner = state.owner
            known.labels |= lesson.labels
            for key, found in lesson.outlines:
                known.keep_outline(key, found)
            if lesson.since <= known.next_no < lesson.next_no:
                before = len(known.numbers)
                known.numbers.update(lesson.numbers)
                self._items += len(known.numbers) - before
                known.next_no = lesson.next_no
            self._shrink()

    def forget(self, thread_id: str) -> None:
        """Know nothing of a thread any more."""
        with self._lock:
            known = self._threads.pop(thread_id, None)
            self._items -= 0 if known is None else len(known.numbers)
            for place in self._places.pop(thread_id, ()):
                self._list_bytes -= len(self._lists.pop(place).body)

    def delete(self, thread_id: str) -> None:
        """Know of a thread only that it was there, for the runs that do not know yet that it is not."""
        was_begun = self.was_begun(thread_id)
        self.forget(thread_id)
        with self._lock:
            self._deleted |= {thread_id: None} if was_begun else {}
            while len(self._deleted) > MAX_THREADS:
                self._deleted.popitem(last=False)

    def begin(self, thread_id: str) -> None:
        """Know nothing of a thread any more, also not that it was there: somebody found it gone, and may begin it."""
        self.forget(thread_id)
        with self._lock:
            self._deleted.pop(thread_id, None)

    def list_at(self, place: Place) -> SplitList | None:
        """Return the list of messages that a channel held last."""
        with self._lock:
            return self._lists.get(place)

    def keep_list(self, place: Place, split: SplitList) -> None:
        """Keep the list of messages that a channel holds, in place of the one it held."""
        with self._lock:
            before = self._lists.pop(place, None)
            self._lists[place] = split
            self._places.setdefault(place[0], set()).add(place)
            self._list_bytes += len(split.body) - (0 if before is None else len(before.body))
            while self._list_bytes > MAX_LIST_BYTES:
                self._drop_oldest_list()

    def _drop_oldest_list(self) -> None:
        place, oldest = self._lists.popitem(last=False)
        self._list_bytes -= len(oldest.body)
        of_thread = self._places[place[0]]
        of_thread.remove(place)
        if not of_thread:
            del self._places[place[0]]

    def _current(self, thread_id: str, generation: int) -> Known:
        known = self._threads.get(thread_id)
        if known is None or known.generation != generation:
            self._items -= 0 if known is None else len(known.numbers)
            known = self._threads[thread_id] = Known(generation)
        self._threads.move_to_end(thread_id)
        return known

    def _shrink(self) -> None:
        while self._items > MAX_ITEMS or len(self._threads) > MAX_THREADS:
            _, known = self._threads.popitem(last=False)
            self._items -= len(known.numbers)


class Lesson(NamedTuple):
    """What there is to learn.

    Attributes:
        since: The numbers are complete from here …
        next_no: … up to here.
    """

    outlines: Sequence[tuple[Key, Outline]] = ()
    numbers: Mapping[bytes, int] = {}
    since: int = 1
    next_no: int = 0
    labels: frozenset[bytes] = frozenset()

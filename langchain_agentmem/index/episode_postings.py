"""Which episodes hold a term: the postings of one scope's conversations."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from langchain_agentmem.index.bm25 import MIN_TAIL, Counts, Hashes, Slots
from langchain_agentmem.index.growing import with_room

TAIL_SHARE: Final = 16
"""The unsorted part is put in order when it has more than one part in so many of the sorted one: a search looks all of
it through."""


class EpisodePostings:
    """A sorted part, each hash once with the slots that hold it, and a short unsorted tail of what came since.

    A word's postings take 6 bytes each and a turn has some sixty: hashes that repeat are not repeated here.
    """

    def __init__(self) -> None:
        self._keys: Hashes = np.empty(0, np.uint64)
        self._starts: NDArray[np.int64] = np.zeros(1, np.int64)
        self._slots: NDArray[np.int32] = np.empty(0, np.int32)
        self._counts: Counts = np.empty(0, np.uint16)
        self._tail = _Tail()

    @property
    def nbytes(self) -> int:
        """Return the bytes held."""
        head = (self._keys, self._starts, self._slots, self._counts)
        return sum(it.nbytes for it in head) + self._tail.nbytes

    def add(self, hashes: Hashes, slots: NDArray[Any], counts: Counts) -> None:
        """Append postings; a slot must not hold one of these hashes yet."""
        self._tail.append(hashes, slots, counts)
        if self._tail.size > max(MIN_TAIL, self._slots.size // TAIL_SHARE):
            self._sort()

    def remap(self, new_slot_of: Slots) -> None:
        """Move every posting to its slot's new number; those of slots that map to -1 are removed for good."""
        self._tail.remap(new_slot_of)
        moved = new_slot_of[self._slots].astype(np.int32)
        kept = moved >= 0
        if kept.all():
            self._slots = moved
            return
        starts = np.concatenate([[0], np.cumsum(kept)])[self._starts]
        is_used = starts[1:] > starts[:-1]
        self._keys = self._keys[is_used]
        self._starts = np.append(starts[:-1][is_used], starts[-1])
        self._slots, self._counts = moved[kept], self._counts[kept]

    def find(self, hashes: Hashes) -> list[tuple[Slots, Counts]]:
        """Return, for each hash, the slots that hold it and its count in each."""
        places = np.searchsorted(self._keys, hashes)
        return [self._one(*args) for args in zip(hashes, places.tolist(), strict=True)]

    def _one(self, key: np.uint64, place: int) -> tuple[Slots, Counts]:
        is_here = place < self._keys.size and self._keys[place] == key
        start, end = self._starts[place : place + 2].tolist() if is_here else (0, 0)
        slots, counts = self._tail.find(key)
        head = self._slots[start:end].astype(np.intp)
        return np.concatenate([head, slots]), np.concatenate([self._counts[start:end], counts])

    def _sort(self) -> None:
        hashes, slots, counts = self._tail.arrays
        self._tail = _Tail()
        hashes = np.concatenate([np.repeat(self._keys, np.diff(self._starts)), hashes])
        order = np.argsort(hashes)
        hashes = hashes[order]
        firsts = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]]))
        self._keys, self._starts = hashes[firsts], np.append(firsts, hashes.size)
        self._slots = np.concatenate([self._slots, slots])[order]
        self._counts = np.concatenate([self._counts, counts])[order]


class _Tail:
    """Postings in the order in which they came, with room for more."""

    def __init__(self) -> None:
        self.size = 0
        self._hashes: Hashes = np.empty(0, np.uint64)
        self._slots: NDArray[np.int32] = np.empty(0, np.int32)
        self._counts: Counts = np.empty(0, np.uint16)

    @property
    def arrays(self) -> tuple[Hashes, NDArray[np.int32], Counts]:
        return self._hashes[: self.size], self._slots[: self.size], self._counts[: self.size]

    @property
    def nbytes(self) -> int:
        return self._hashes.nbytes + self._slots.nbytes + self._counts.nbytes

    def append(self, hashes: Hashes, slots: NDArray[Any], counts: Counts) -> None:
        first, self.size = self.size, self.size + hashes.size
        self._hashes = with_room(self._hashes, self.size)
        self._slots = with_room(self._slots, self.size)
        self._counts = with_room(self._counts, self.size)
        self._hashes[first : self.size] = hashes
        self._slots[first : self.size] = slots
        self._counts[first : self.size] = counts

    def find(self, key: np.uint64) -> tuple[Slots, Counts]:
        found = np.flatnonzero(self._hashes[: self.size] == key)
        return self._slots[found].astype(np.intp), self._counts[found]

    def remap(self, new_slot_of: Slots) -> None:
        hashes, slots, counts = self.arrays
        moved = new_slot_of[slots]
        kept = moved >= 0
        before, self.size = self.size, int(np.count_nonzero(kept))
        for array, values in ((self._hashes, hashes), (self._slots, moved), (self._counts, counts)):
            array[: self.size] = values[kept]
            array[self.size : before] = 0

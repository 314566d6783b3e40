"""What stands around each episode in its conversation: its block of neighbours, and what was said before it."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from langchain_agentmem.index.bm25 import Mask, Slots
from langchain_agentmem.index.unit_vectors import UnitVectors

BLOCK_TERMS: Final = 60
"""Terms of neighbours that a block takes at most, so that short turns have neighbours and long ones stand alone."""

BLOCK_STEPS: Final = 6
"""Neighbours on either side at most."""

_SHIFTS: Final = tuple(shift for steps in range(1, BLOCK_STEPS + 1) for shift in (-steps, steps))
"""Where neighbours may stand, nearest first, before and after in turn. Each has a bit of its own."""

_IS_CUT: Final = np.uint16(1 << len(_SHIFTS))
_HAS_PREVIOUS: Final = np.uint16(1 << len(_SHIFTS) + 1)
_BITS: Final = tuple(np.uint16(1 << place) for place in range(len(_SHIFTS)))

_ROWS_AT_ONCE: Final = 128
"""Blocks of vectors that are summed at a time: they stay in the cache of one core."""


class Said(NamedTuple):
    """What tells the order of conversations, and how long a turn is, by slot.

    Attributes:
        talks: The conversation.
        at: When it was said. `place`: at which place it was kept; decides among what was said at one moment.
        lengths: Its terms.
    """

    talks: NDArray[np.int32]
    at: NDArray[np.int64]
    place: NDArray[np.int64]
    lengths: NDArray[Any]


class Surroundings:
    """Neighbours of every slot, kept up to date: what changes touches those that stand near it, and no others.

    A slot has bits that say which of the places around it are its neighbours; the order says who stands there.
    """

    def __init__(self) -> None:
        self._order: Slots = np.empty(0, np.intp)
        self._ranks: Slots = np.empty(0, np.intp)
        self._bits: NDArray[np.uint16] = np.empty(0, np.uint16)

    @property
    def nbytes(self) -> int:
        """Return the bytes of all arrays."""
        return self._order.nbytes + self._ranks.nbytes + self._bits.nbytes

    @property
    def is_cut(self) -> Mask:
        """Return by slot whether its conversation ends before its block is full."""
        mask: Mask = (self._bits & _IS_CUT) != 0
        return mask

    # ------------------------------------------------------------------------------------------------------- change
    def put(self, slots: Slots, said: Said) -> Slots:
        """Take in slots that are new or have changed, and return those whose block may have changed.

        Args:
            slots: New ones follow those that are here without a gap.
            said: Of every slot.
        """
        size, before = said.talks.size, self._ranks.size
        is_put, is_near = np.zeros(size, np.bool_), np.zeros(size, np.bool_)
        is_put[slots] = True
        is_near[self._beside(self._ranks[slots[slots < before]])] = True
        order = np.concatenate([self._order[~is_put[self._order]], slots])
        self._bits = np.concatenate([self._bits, np.zeros(size - before, np.uint16)])
        self._arrange(order[np.lexsort((said.place[order], said.at[order], said.talks[order]))])
        is_near[self._beside(self._ranks[slots])] = True
        return self._fit(is_near, said)

    def remap(self, new_slot_of: Slots, said: Said) -> Slots:
        """Move every slot to its new number, without those that map to -1; return whose block may have changed.

        Args:
            new_slot_of: Of each slot that was here.
            said: Of the slots that are left.
        """
        near, kept = new_slot_of[self._beside(self._ranks[new_slot_of < 0])], new_slot_of >= 0
        bits = np.zeros(said.talks.size, np.uint16)
        bits[new_slot_of[kept]] = self._bits[kept]
        order, self._bits = new_slot_of[self._order], bits
        self._arrange(order[order >= 0])
        is_near = np.zeros(said.talks.size, np.bool_)
        is_near[near[near >= 0]] = True
        return self._fit(is_near, said)

    def _arrange(self, order: Slots) -> None:
        self._order, self._ranks = order, np.empty(order.size, np.intp)
        self._ranks[order] = np.arange(order.size)

    def _beside(self, ranks: Slots) -> Slots:
        """Return the slots at some places and near them."""
        near = (ranks[:, None] + np.arange(-BLOCK_STEPS, BLOCK_STEPS + 1)).ravel()
        beside: Slots = self._order[near[(near >= 0) & (near < self._order.size)]]
        return beside

    def _fit(self, is_near: Mask, said: Said) -> Slots:
        """Find neighbours anew: nearest first, before and after in turn, while their terms fit into the block."""
        slots: Slots = np.flatnonzero(is_near)
        ranks, talks = self._ranks[slots], said.talks[slots]
        left, bits = np.full(slots.size, BLOCK_TERMS, np.int64), np.zeros(slots.size, np.uint16)
        fitted = np.zeros(slots.size, np.int64)  # the last step in which any did
        for bit, shift in zip(_BITS, _SHIFTS, strict=True):
            here = np.flatnonzero(fitted >= abs(shift) - 1)
            there = ranks[here] + shift
            other = self._order[there.clip(0, self._order.size - 1)]
            inside = (there >= 0) & (there < self._order.size) & (said.talks[other] == talks[here])
            bits[here[~inside]] |= _IS_CUT
            if shift == -1:
                bits[here[inside]] |= _HAS_PREVIOUS
            here, lengths = here[inside], said.lengths[other[inside]]
            fits = lengths <= left[here]
            here, lengths = here[fits], lengths[fits]
            left[here] -= lengths
            fitted[here] = abs(shift)
            bits[here] |= bit
        self._bits[slots] = bits
        return slots

    # --------------------------------------------------------------------------------------------------------- sums
    def near(self, slot: int, count: int) -> Slots:
        """Return so many slots on either side of one, in order and without it, of whichever conversation they are."""
        at = int(self._ranks[slot])
        return np.concatenate([self._order[max(0, at - count) : at], self._order[at + 1 : at + 1 + count]])

    def block(self, slot: int) -> list[int]:
        """Return the neighbours of a slot."""
        rank, bits = int(self._ranks[slot]), self._bits[slot]
        return [int(self._order[rank + shift]) for bit, shift in zip(_BITS, _SHIFTS, strict=True) if bits & bit]

    def before(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for every slot the value of what was said just before in its conversation, 0 where nothing was."""
        found, later = np.zeros(self._order.size), self._order[1:]
        has_previous = (self._bits[later] & _HAS_PREVIOUS) != 0
        found[later] = np.where(has_previous, values[self._order[:-1]], 0.0)
        return found

    def summed(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return for every slot the sum of its neighbours' values."""
        size = self._order.size
        ranked, bits, total = values[self._order].astype(np.float64), self._bits[self._order], np.zeros(size)
        for bit, shift in zip(_BITS, _SHIFTS, strict=True):
            first, last = min(size, max(0, -shift)), max(0, size - max(0, shift))
            if first < last:
                total[first:last] += ranked[first + shift : last + shift] * ((bits[first:last] & bit) != 0)
        sums = np.empty(size)
        sums[self._order] = total
        return sums

    def spread(self, slots: Slots, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return for every slot the sum over those neighbours that are named, by way of them: few are named."""
        size, ranks = self._order.size, self._ranks[slots]
        owners, weights = [], []
        for bit, shift in zip(_BITS, _SHIFTS, strict=True):
            there = ranks - shift
            inside = (there >= 0) & (there < size)
            owner = self._order[there[inside]]
            has_it = (self._bits[owner] & bit) != 0
            owners.append(owner[has_it])
            weights.append(values[inside][has_it])
        return np.bincount(np.concatenate(owners), np.concatenate(weights), size).astype(np.float64)

    def block_norms(self, slots: Slots, vectors: UnitVectors, share: float) -> NDArray[np.float64]:
        """Return the length of the vector of some slots together with a share of each of their neighbours'."""
        norms = np.empty(slots.size)
        for start in range(0, slots.size, _ROWS_AT_ONCE):
            some = slots[start : start + _ROWS_AT_ONCE]
            blocks, ranks, bits = vectors.of(some), self._ranks[some], self._bits[some]
            for bit, shift in zip(_BITS, _SHIFTS, strict=True):
                here = np.flatnonzero(bits & bit)
                blocks[here] += np.float32(share) * vectors.of(self._order[ranks[here] + shift])
            norms[start : start + _ROWS_AT_ONCE] = np.sqrt(np.vecdot(blocks, blocks))
        return norms

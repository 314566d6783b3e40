"""What stands around each episode in its conversation: its block of neighbours, and what was said before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from langchain_agentmem.index.bm25 import Mask, Slots

BLOCK_TERMS: Final = 60
"""Terms of neighbours that a block takes at most, so that short turns have neighbours and long ones stand alone."""

BLOCK_STEPS: Final = 6
"""Neighbours on either side at most."""


class Said(NamedTuple):
    """What tells the order of a conversation: when each slot was said, and at which place it was kept."""

    at: NDArray[np.int64]
    place: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Neighbours of every slot, as pairs and as an index from a neighbour to those who have it.

    Attributes:
        order: Slots as they were said, conversation by conversation. `ranks`: where each stands in it.
        previous: Slot said just before in the same conversation, -1 where there is none.
        owners: Slots that have a neighbour; `neighbours`: that neighbour, pair by pair.
        starts: Where in `back` the owners of a neighbour begin (one more than slots); `back`: owners by neighbour.
        is_cut: Whether the conversation ends before the block is full.
    """

    order: Slots
    ranks: Slots
    previous: Slots
    owners: Slots
    neighbours: Slots
    starts: Slots
    back: Slots
    is_cut: Mask

    @classmethod
    def of(cls, talks: NDArray[np.int32], said: Said, lengths: NDArray[np.int64]) -> Surroundings:
        """Find the neighbours: nearest first, before and after in turn, while their terms fit into the block.

        Args:
            talks: The conversation of each slot.
            said: When it was said; of one moment, the place decides.
            lengths: Its terms.
        """
        size = talks.size
        order = np.lexsort((said.place, said.at, talks))
        talk, length = talks[order], lengths[order]
        left = np.full(size, BLOCK_TERMS, np.int64)
        is_open = np.ones(size, np.bool_)
        is_cut = np.zeros(size, np.bool_)
        owners, neighbours = [], []
        for steps in range(1, BLOCK_STEPS + 1):
            has_fitted = np.zeros(size, np.bool_)
            for shift in (-steps, steps):
                here = np.flatnonzero(is_open)
                there = here + shift
                inside = (there >= 0) & (there < size) & (talk[here] == talk[there.clip(0, size - 1)])
                is_cut[order[here[~inside]]] = True
                here, there = here[inside], there[inside]
                fits = length[there] <= left[here]
                here, there = here[fits], there[fits]
                left[here] -= length[there]
                has_fitted[here] = True
                owners.append(order[here])
                neighbours.append(order[there])
            is_open &= has_fitted
        previous = np.full(size, -1, np.intp)
        same = np.flatnonzero(talk[1:] == talk[:-1]) + 1
        previous[order[same]] = order[same - 1]
        return cls._linked(order, previous, (_joined(owners), _joined(neighbours)), is_cut)

    @classmethod
    def _linked(cls, order: Slots, previous: Slots, pairs: tuple[Slots, Slots], is_cut: Mask) -> Surroundings:
        owners, neighbours = pairs
        by_neighbour = np.argsort(neighbours, kind="stable")
        starts = np.searchsorted(neighbours[by_neighbour], np.arange(previous.size + 1))
        return cls(order, np.argsort(order), previous, owners, neighbours, starts, owners[by_neighbour], is_cut)

    @property
    def nbytes(self) -> int:
        """Return the bytes of all arrays."""
        pairs = (self.owners, self.neighbours, self.starts, self.back)
        return sum(it.nbytes for it in (self.order, self.ranks, self.previous, *pairs, self.is_cut))

    def near(self, slot: int, count: int) -> Slots:
        """Return so many slots on either side of one, in order and without it, of whichever conversation they are."""
        at = int(self.ranks[slot])
        return np.concatenate([self.order[max(0, at - count) : at], self.order[at + 1 : at + 1 + count]])

    def summed(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return for every slot the sum of its neighbours' values."""
        return np.bincount(self.owners, values[self.neighbours], self.previous.size).astype(np.float64)

    def spread(self, slots: Slots, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return for every slot the sum over those neighbours that are named, by way of the index: few are named."""
        counts = self.starts[slots + 1] - self.starts[slots]
        total = int(counts.sum())
        if not total:
            return np.zeros(self.previous.size)
        at = np.repeat(self.starts[slots] - np.cumsum(counts) + counts, counts) + np.arange(total)
        return np.bincount(self.back[at], np.repeat(values, counts), self.previous.size).astype(np.float64)

    def block_norms(self, vectors: NDArray[np.float32], share: float) -> NDArray[np.float64]:
        """Return the length of every slot's vector together with a share of each of its neighbours'."""
        blocks = vectors.copy()
        np.add.at(blocks, self.owners, np.float32(share) * vectors[self.neighbours])
        norms: NDArray[np.float64] = np.linalg.norm(blocks, axis=1).astype(np.float64)
        return norms


def _joined(parts: list[Slots]) -> Slots:
    return np.concatenate(parts).astype(np.intp) if parts else np.empty(0, np.intp)

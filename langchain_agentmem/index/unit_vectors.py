"""The vectors of conversations, by slot, in half the memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from langchain_agentmem._vectors import Vector
from langchain_agentmem.index.bm25 import Slots
from langchain_agentmem.index.growing import closed, with_room

_ONE: Final = np.float32(32_767)
"""What stands for 1. Of vectors of length 1, cosines differ from those of float32 by 0.000005 (standard deviation; by
0.00004 at most among 40,000 with 384 numbers), and take as long: half the bytes come from memory."""

_ROWS_AT_ONCE: Final = 128
"""Rows brought to float32 at a time: they stay in the cache of one core until they are multiplied."""

_FLOAT32: Final = np.dtype("<f4")


class UnitVectors:
    """Rows of length 1 as 16-bit fixed point; 0 where a slot has none.

    Args:
        dim: Numbers per vector.
    """

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self._rows: NDArray[np.int16] = np.zeros((0, dim), np.int16)

    @property
    def nbytes(self) -> int:
        """Return the bytes held, spare room included."""
        return self._rows.nbytes

    def put(self, slots: Slots, packed: Sequence[bytes | None], size: int) -> None:
        """Overwrite the rows of some slots with vectors as they are stored; there are so many rows then."""
        self._rows = with_room(self._rows, size)
        empty = bytes(self.dim * _FLOAT32.itemsize)
        for start in range(0, len(packed), _ROWS_AT_ONCE):
            some = b"".join(empty if it is None else it for it in packed[start : start + _ROWS_AT_ONCE])
            values = np.frombuffer(some, _FLOAT32).reshape(-1, self.dim)
            self._rows[slots[start : start + _ROWS_AT_ONCE]] = np.rint(values * _ONE)

    def close(self, holes: Slots, movers: Slots, sizes: tuple[int, int]) -> None:
        """Move rows into holes, and overwrite what is free then."""
        closed(self._rows, holes, movers, sizes)

    def of(self, slots: Slots) -> NDArray[np.float32]:
        """Return the vectors of some slots."""
        return self._rows[slots].astype(np.float32) / _ONE

    def products(self, vector: Vector, size: int) -> NDArray[np.float64]:
        """Return the product of each of the first so many rows with a vector."""
        found = np.empty(size, np.float64)
        wanted, rows = vector.astype(np.float32, copy=False), np.empty((_ROWS_AT_ONCE, self.dim), np.float32)
        for start in range(0, size, _ROWS_AT_ONCE):
            end = min(size, start + _ROWS_AT_ONCE)
            rows[: end - start] = self._rows[start:end]
            found[start:end] = np.vecdot(rows[: end - start], wanted)
        found /= _ONE
        return found

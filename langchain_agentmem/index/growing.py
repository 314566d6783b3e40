"""Arrays with room for more, so that one more row costs no copy of all of them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_SPARE_SHARE: Final = 8
"""One part in eight is kept free: copies come to about nine times what is put, and little memory waits."""

_MIN_SPARE: Final = 16


def with_room(array: NDArray[Any], wanted: int) -> NDArray[Any]:
    """Return the array where it has room for so many rows; else a larger copy, and the old one overwritten.

    Freed memory keeps no rows; those not in use yet are 0.
    """
    if wanted <= len(array):
        return array
    larger = np.zeros((wanted + wanted // _SPARE_SHARE + _MIN_SPARE, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    if array.size:
        array[...] = 0
    return larger


def closed(array: NDArray[Any], holes: NDArray[np.intp], movers: NDArray[np.intp], sizes: tuple[int, int]) -> None:
    """Move rows into holes, and overwrite what is free then.

    Args:
        array: What is changed.
        holes: Where rows are gone below the new size.
        movers: Those that take their places.
        sizes: Rows before, and rows that are left.
    """
    before, left = sizes
    array[holes] = array[movers]
    array[left:before] = 0

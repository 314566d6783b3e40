"""What a vector store holds, held against what was brought: read around what cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from langchain_agentmem._away import is_out_of_reach
from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import StorageError
from langchain_agentmem.index.dialect import Held
from langchain_agentmem.index.probing import until

BATCH_ROWS: Final = 1_000
"""Rows written with one call; Chroma refuses more than about 5,000."""

SAME_COSINE: Final = 0.999
"""Cosine of a vector with itself as a store gives it back: 16-bit floats lose about 0.0001."""

_SAME_DISTANCE: Final = (2 - 2 * SAME_COSINE) ** 0.5
"""How far apart unit vectors of that cosine are."""

T = TypeVar("T")
ReadHeld: TypeAlias = Callable[[list[str]], Flow[dict[str, Held]]]


def batched(items: list[T]) -> Iterator[list[T]]:
    """Return items in order, as many at a time as any store takes."""
    return (items[start : start + BATCH_ROWS] for start in range(0, len(items), BATCH_ROWS))


def read_around(read: ReadHeld, ids: list[str], absent: str) -> Flow[dict[str, Held]]:
    """Return what is held under some ids, but for rows that cannot be read: one of them must not hide the others.

    Args:
        read: Reads rows of the store.
        ids: The rows.
        absent: An id that no row has: a store that fails there, too, is gone as a whole.

    Raises:
        StorageError: The store is gone or out of reach.
    """
    try:
        return (yield from read(ids))
    except StorageError as error:
        if is_out_of_reach(error):
            raise
    yield from read([absent])
    return (yield from _by_halves(read, ids))


def _by_halves(read: ReadHeld, ids: list[str]) -> Flow[dict[str, Held]]:
    found: dict[str, Held] = {}
    middle = len(ids) // 2
    for half in (ids[:middle], ids[middle:]) if middle else ():
        try:
            found |= yield from read(half)
        except StorageError as error:
            if is_out_of_reach(error):
                raise
            found |= yield from _by_halves(read, half)
    return found


def delete_around(delete: Callable[[list[str]], Flow[None]], read: ReadHeld, ids: list[str]) -> Flow[None]:
    """Delete rows, also from a store that deletes none where one of them is not there.

    Raises:
        StorageError: It fails to delete what it has, or to say what that is: a row that cannot be read is not gone.
    """
    try:
        yield from delete(ids)
    except StorageError as error:
        if is_out_of_reach(error):
            raise
        if held := (yield from read(ids)):
            yield from delete(list(held))


def check_gone(read: Callable[[], Flow[dict[str, Held]]], store: object) -> Flow[None]:
    """Look for rows that were deleted.

    Raises:
        StorageError: Some are still there, or cannot be read.
    """
    if left := (yield from until(read, lambda found: not found)):
        msg = f"{type(store).__name__} still has {len(left)} of the rows that it was told to delete"
        raise StorageError(msg)


def has_metadata(held: Held, wanted: Mapping[str, Any]) -> bool:
    """Whether a row has all that was written of it, whatever else it has."""
    if not isinstance(held.metadata, Mapping):
        return False
    return {name: held.metadata.get(name) for name in wanted} == wanted


def is_same_vector(own: NDArray[Any], held: Sequence[float] | NDArray[Any], *, of_any_length: bool) -> bool:
    """Whether a vector that a store gives back is the one that was brought, or one of its direction."""
    try:
        other = np.asarray(held, np.float64)
    except (TypeError, ValueError):  # no numbers
        return False
    if of_any_length:
        return cosine_of(own, other) > SAME_COSINE
    return own.shape == other.shape and bool(np.linalg.norm(own - other) <= _SAME_DISTANCE * np.linalg.norm(own))


def cosine_of(one: NDArray[Any], other: Sequence[float] | NDArray[Any]) -> float:
    """Return the cosine of two vectors, -1 where their sizes differ."""
    second = np.asarray(other, np.float64)
    if one.shape != second.shape:
        return -1.0
    return float(one @ second / (np.linalg.norm(one) * np.linalg.norm(second) or 1.0))

"""What must be known of a class of vector store, before it can hold an index."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from numpy.typing import NDArray

from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.index.filters import FilterCompiler

Cosine: TypeAlias = Callable[[float], float]


class Held(NamedTuple):
    """What a store holds under an id: its metadata, and the vector where the store gives it back."""

    metadata: Mapping[str, Any]
    vector: Sequence[float] | NDArray[Any] | None


def _nothing(_store: object) -> Flow[None]:
    yield from ()


def _never(*_: object) -> bool:
    return False


def _always(_store: object) -> bool:
    return True


def _as_given(metadata: dict[str, Any]) -> dict[str, Any]:
    return metadata


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreDialect:
    """How to speak to one class of vector store. A class of your own names its dialect as `agentmem_dialect`.

    Args:
        compile: Turns clauses into the store's filter.
        to_cosine: Of a store: the function from its score to a cosine.
        metadata: How a document's metadata is written, for a store that knows no lists, or compares loosely.
        dim: Of a store: the size of the vectors that it takes as it is now, `None` where it takes any. Without it, the
            first vector decides.
        is_cosine: Of a store: whether it compares by direction alone, so that a vector may come back of another length.
        check: Raises a `ConfigurationError` where a store is made in a way that would lose or leak rows. It is asked
            when the store is opened (of one that can only be awaited, by the first call), and before it is emptied.
        empty: Removes everything from a store, also where it was lost, and makes it ready for vectors of a size
            (`None`: as before). Without it, the index cannot be rebuilt.
        read: What a store holds under some ids. Without it, `get_by_ids` is asked, which gives no vectors.
        gives_vectors: Whether `read` gives the vector of every row that has one, so that a row without one has lost it.
        few: Every row that a filter admits, where they are not more than a number, else `None`. For a store whose
            search is approximate, so that what others wrote cannot hide a row of a user who has few.
        reopen: Of a store and an error: whether what had been replaced by others was found again, so that the call that
            failed is worth another try.
        count: How many rows there are, of everybody; for `doctor`.
        holds: Whether a filter admits at least so many rows (1 or more), found out without reading them. Without it,
            only what is looked at is noticed to be lost.
        is_awaited_only: Whether a store can be awaited but not called.
    """

    compile: FilterCompiler
    to_cosine: Callable[[Any], Cosine]
    metadata: Callable[[dict[str, Any]], dict[str, Any]] = _as_given
    dim: Callable[[Any], int | None] | None = None
    is_cosine: Callable[[Any], bool] = _always
    check: Callable[[Any], Flow[None]] = _nothing
    empty: Callable[[Any, int | None], Flow[None]] | None = None
    read: Callable[[Any, list[str]], Flow[dict[str, Held]]] | None = None
    gives_vectors: bool = False
    few: Callable[[Any, Any, int], Flow[list[Held] | None]] | None = None
    reopen: Callable[[Any, BaseException | None], bool] = _never
    count: Callable[[Any], Flow[int]] | None = None
    holds: Callable[[Any, Any, int], Flow[bool]] | None = None
    is_awaited_only: Callable[[Any], bool] = _never


def from_cosine_distance(distance: float) -> float:
    """Return the cosine that a cosine distance stands for."""
    return 1 - distance


def from_squared_distance(distance: float) -> float:
    """Return the cosine of unit vectors from the square of their distance: |a - b|² = 2 - 2 cos."""
    return 1 - distance / 2


def from_distance(distance: float) -> float:
    """Return the cosine of unit vectors from their distance."""
    return 1 - distance * distance / 2


def refuse_to_block(store: object) -> Any:  # noqa: ANN401  (it never returns)
    """Raise the error of a blocking call to a store that can only be awaited."""
    raise awaited_only(store)


def awaited_only(store: object) -> ConfigurationError:
    """Return the error of a blocking call to a store that can only be awaited."""
    msg = (
        f"this {type(store).__name__} can only be awaited, for it was made around an async engine; await the method of "
        "the same name with an `a` before it, or make the store of a URL: PGEngine.from_connection_string(url)"
    )
    return ConfigurationError(msg)

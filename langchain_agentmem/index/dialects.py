"""What must be known of a vector store's class: its filter language, what its scores mean, how it is emptied."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from langchain_core.vectorstores import VectorStore

from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.index.filters import FilterCompiler, chroma_where, document_predicate

SEARCH_METHODS: Final = (
    "similarity_search_by_vector_with_relevance_scores",
    "similarity_search_with_score_by_vector",
)
"""Names under which stores search by a vector and return (document, score) pairs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreDialect:
    """How to speak to one class of vector store.

    Args:
        compile: Turns clauses into the store's filter.
        to_cosine: Of a store: the function from its score to a cosine.
        dim: Of a store: the size of the vectors in it, `None` while unknown.
        empty: Removes everything from a store; `None`: it offers no way.
    """

    compile: FilterCompiler
    to_cosine: Callable[[Any], Callable[[float], float]]
    dim: Callable[[Any], int | None] = lambda _: None
    empty: Callable[[Any], None] | None = None


def dialect_of(
    store: VectorStore, filter: FilterCompiler | None, cosine: Callable[[float], float] | None
) -> StoreDialect:
    """Return the dialect of a store's class or of its nearest known base, changed by what the caller gave.

    Raises:
        ConfigurationError: The class is unknown and `filter` or `cosine` is missing, or the store cannot be searched by
            a vector with scores.
    """
    name = type(store).__name__
    known = next((DIALECTS[base.__name__] for base in type(store).__mro__ if base.__name__ in DIALECTS), None)
    if known is None and (filter is None or cosine is None):
        msg = (
            f"{name} is not among the vector stores whose filters are known ({', '.join(sorted(DIALECTS))}); pass "
            "filter=, a function from clauses to its filter, and cosine=, a function from its score to a cosine"
        )
        raise ConfigurationError(msg)
    search_method_of(store)
    return StoreDialect(
        compile=filter or known.compile,  # type: ignore[union-attr]  # known is None only if both were given
        to_cosine=(lambda _: cosine) if cosine else known.to_cosine,  # type: ignore[union-attr]
        dim=known.dim if known else lambda _: None,
        empty=known.empty if known else None,
    )


def search_method_of(store: VectorStore) -> str:
    """Return the name of the store's search by a vector with scores.

    Raises:
        ConfigurationError: It has none.
    """
    for name in SEARCH_METHODS:
        if hasattr(store, name):
            return name
    msg = f"{type(store).__name__} has none of {', '.join(SEARCH_METHODS)}; use a store that has, such as Chroma"
    raise ConfigurationError(msg)


def _chroma_cosine(store: Any) -> Callable[[float], float]:  # noqa: ANN401  (langchain-chroma is an extra)
    settings = store._collection.configuration_json  # noqa: SLF001  (it has no public way to its collection)
    space = (settings.get("hnsw") or settings.get("spann") or {}).get("space")
    if space in {"cosine", "ip"}:
        return _from_cosine_distance
    if space == "l2":
        return _from_squared_distance
    msg = f"Chroma's distance {space!r} is unknown; pass collection_configuration={{'hnsw': {{'space': 'cosine'}}}}"
    raise ConfigurationError(msg)


def _chroma_dim(store: Any) -> int | None:  # noqa: ANN401
    dim: int | None = getattr(store._collection._model, "dimension", None)  # noqa: SLF001
    return dim


def _from_cosine_distance(distance: float) -> float:
    return 1 - distance


def _from_squared_distance(distance: float) -> float:
    return 1 - distance / 2  # of unit vectors |a - b|² = 2 - 2 cos


def _same(score: float) -> float:
    return score


DIALECTS: Final[Mapping[str, StoreDialect]] = {
    "Chroma": StoreDialect(
        compile=chroma_where,
        to_cosine=_chroma_cosine,
        dim=_chroma_dim,
        empty=lambda store: store.reset_collection(),
    ),
    "InMemoryVectorStore": StoreDialect(
        compile=document_predicate,
        to_cosine=lambda _: _same,
        empty=lambda store: store.store.clear(),
    ),
}
"""By class name, so that no store needs to be installed."""

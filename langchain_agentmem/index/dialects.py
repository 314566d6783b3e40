"""The vector stores whose dialects are known, and how one is found for a store at hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from langchain_core.vectorstores import VectorStore

from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.index.dialect import StoreDialect
from langchain_agentmem.index.filters import FilterCompiler
from langchain_agentmem.index.stores.chroma import CHROMA
from langchain_agentmem.index.stores.in_memory import IN_MEMORY
from langchain_agentmem.index.stores.postgres import POSTGRES
from langchain_agentmem.index.stores.redis import REDIS

SEARCH_METHODS: Final = (
    "similarity_search_by_vector_with_relevance_scores",
    "similarity_search_with_score_by_vector",
)
"""Names under which stores search by a vector and return (document, score) pairs."""

DIALECT_ATTRIBUTE: Final = "agentmem_dialect"
"""Where a store's class names a dialect of its own."""

DIALECTS: Final[Mapping[str, StoreDialect]] = {
    "AsyncPGVectorStore": POSTGRES,
    "Chroma": CHROMA,
    "InMemoryVectorStore": IN_MEMORY,
    "PGVectorStore": POSTGRES,
    "RedisVectorStore": REDIS,
}
"""By class name, so that no store needs to be installed."""


def dialect_of(
    store: VectorStore, filter: FilterCompiler | None, cosine: Callable[[float], float] | None
) -> StoreDialect:
    """Return the dialect of a store's class or of its nearest known base, changed by what the caller gave.

    Raises:
        ConfigurationError: The class is unknown and `filter` or `cosine` is missing, the store cannot be searched by a
            vector with scores, or lacks the deletion of rows.
    """
    dialect = _known(store)
    if dialect is None and filter is not None and cosine is not None:
        dialect = StoreDialect(compile=filter, to_cosine=lambda _: cosine)
    if dialect is None:
        msg = (
            f"{type(store).__name__} is not among the vector stores whose filters are known "
            f"({', '.join(sorted(DIALECTS))}); pass filter=, a function from clauses to its filter, and cosine=, a "
            f"function from its score to a cosine, or name a StoreDialect in its class as {DIALECT_ATTRIBUTE}"
        )
        raise ConfigurationError(msg)
    search_method_of(store)
    if not _has_own(store, "delete", "adelete"):
        msg = f"{type(store).__name__} cannot delete rows, and nobody could be erased from it; take another store"
        raise ConfigurationError(msg)
    return replace(
        dialect, compile=filter or dialect.compile, to_cosine=(lambda _: cosine) if cosine else dialect.to_cosine
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


def gives_rows(store: VectorStore, dialect: StoreDialect) -> bool:
    """Whether a store can be asked what it has under an id."""
    return dialect.read is not None or _has_own(store, "get_by_ids", "aget_by_ids")


def is_known(store: VectorStore) -> bool:
    """Whether a store's class, or a base of it, is among those that were tried beforehand, and speaks as they do."""
    return _known(store) in DIALECTS.values()


def _has_own(store: VectorStore, *names: str) -> bool:
    """Whether a store's class has one of these methods, which LangChain's own only refuses, or runs the other."""
    return any(getattr(type(store), name) is not getattr(VectorStore, name) for name in names)


def _known(store: VectorStore) -> StoreDialect | None:
    own = getattr(type(store), DIALECT_ATTRIBUTE, None)
    if own is None:
        return next((DIALECTS[base.__name__] for base in type(store).__mro__ if base.__name__ in DIALECTS), None)
    if not isinstance(own, StoreDialect):
        msg = f"{type(store).__name__}.{DIALECT_ATTRIBUTE} must be a StoreDialect, got {type(own).__name__}"
        raise ConfigurationError(msg)
    return own

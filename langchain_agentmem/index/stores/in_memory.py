"""LangChain's `InMemoryVectorStore`: for tests and trials, gone with the process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from langchain_core.documents import Document

from langchain_agentmem._flow import Flow
from langchain_agentmem.index.dialect import Held, StoreDialect
from langchain_agentmem.index.filters import document_predicate


def _same(score: float) -> float:
    return score


def _dim(store: Any) -> int | None:  # noqa: ANN401  (a dialect knows its store by its methods)
    first = next(iter(store.store.values()), None)
    return None if first is None else len(first["vector"])


def _empty(store: Any, _dim: int | None) -> Flow[None]:  # noqa: ANN401
    yield from ()
    store.store.clear()


def _count(store: Any) -> Flow[int]:  # noqa: ANN401
    yield from ()
    return len(store.store)


def _holds(store: Any, wanted: Callable[[Document], bool], count: int) -> Flow[bool]:  # noqa: ANN401
    yield from ()
    return sum(wanted(Document(row["text"], metadata=row["metadata"])) for row in store.store.values()) >= count


def _read(store: Any, ids: list[str]) -> Flow[dict[str, Held]]:  # noqa: ANN401
    yield from ()
    found = {document_id: store.store[document_id] for document_id in ids if document_id in store.store}
    return {document_id: Held(row["metadata"], row["vector"]) for document_id, row in found.items()}


IN_MEMORY: Final = StoreDialect(
    compile=document_predicate,
    to_cosine=lambda _: _same,
    dim=_dim,
    empty=_empty,
    read=_read,
    gives_vectors=True,
    count=_count,
    holds=_holds,
)

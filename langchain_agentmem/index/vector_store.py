"""An index in any LangChain vector store, for scopes that outgrow a view."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, ClassVar, Final, TypeVar

import numpy as np
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore

from langchain_agentmem._flow import Flow, step, work
from langchain_agentmem._search import Proposal, SearchQuery, SearchRow
from langchain_agentmem.errors import AgentMemError, ConfigurationError, StorageError
from langchain_agentmem.index.base import Index
from langchain_agentmem.index.dialects import dialect_of, search_method_of
from langchain_agentmem.index.documents import OpaqueNames, clauses_of, metadata_of
from langchain_agentmem.index.filters import FilterCompiler
from langchain_agentmem.index.relevance import Relevance
from langchain_agentmem.index.shim import PreparedEmbeddings
from langchain_agentmem.types import Scope

BATCH_ROWS: Final = 1_000
"""Rows written with one call; Chroma refuses more than about 5,000."""

_DIGITS: Final = 6
_VECTOR_BYTES: Final = 4

T = TypeVar("T")
Rows = Sequence[SearchRow]


class VectorStoreIndex(Index):
    """Proposes by vectors alone, from a LangChain `VectorStore`; there is no lexical part here.

    The store holds an opaque id as the text, the vector, and metadata without text or clear ids. The filter is compiled
    to the store's own language, and the subject is checked again on every hit. Approximate where the store is. A
    deleted row is not found any more; when its vector leaves the store's files is up to the store.

    Args:
        build: Makes the store from an `Embeddings`: `lambda embeddings: Chroma(embedding_function=embeddings, …)`.
            Configure cosine distance where the store lets you choose.
        model: Name of the embedding model; vectors of another model in the same store are never compared.
        filter: For a class that is not known: from clauses to the store's filter.
        cosine: For a class that is not known: from the store's score to a cosine.
        relevance: How a cosine becomes a relevance.
        key: Secret that makes the names of users and memories in the store unguessable.

    Raises:
        ConfigurationError: The store's class is unknown and `filter` or `cosine` is missing, or it lacks search by
            vector with scores, or its distance is unknown.
        StorageError: The store could not be opened.
    """

    name: ClassVar[str] = "vector_store"
    is_fed: ClassVar[bool] = True

    def __init__(
        self,
        build: Callable[[Embeddings], VectorStore],
        model: str,
        *,
        filter: FilterCompiler | None = None,
        cosine: Callable[[float], float] | None = None,
        relevance: Relevance | None = None,
        key: bytes | None = None,
    ) -> None:
        self._embeddings = PreparedEmbeddings()
        self._store = _translating(build, self._embeddings)
        self._dialect = dialect_of(self._store, filter, cosine)
        self._to_cosine = self._dialect.to_cosine(self._store)
        self._relevance = relevance or Relevance()
        self._names = OpaqueNames(key)
        self._model = model
        self._dim = self._dialect.dim(self._store)

    @property
    def model(self) -> str:
        """Return the name of the embedding model."""
        return self._model

    @property
    def dim(self) -> int | None:
        """Return the size of the vectors, `None` before the first."""
        return self._dim

    def search(self, scope: Scope, query: SearchQuery) -> Flow[list[Proposal]]:
        """Return proposals by vector; none for a query without one."""
        if query.vector is None or query.filter.kinds == () or not query.filter.statuses:
            return []  # nothing to compare, or a filter that admits no row (stores refuse an empty list)
        self._check_size(query.vector.size, "the query's vector")
        method = search_method_of(self._store)
        wanted = self._dialect.compile(clauses_of(self._names, scope, self._model, query.filter))
        blocking = partial(getattr(self._store, method), query.vector.tolist(), k=query.limit, filter=wanted)
        native = getattr(self._store, f"a{method}", None)
        found = yield from _call(
            blocking, native and partial(native, query.vector.tolist(), k=query.limit, filter=wanted)
        )
        return self._proposals(scope, found, query.limit)

    def upsert(self, scope: Scope, rows: Rows) -> Flow[None]:
        """Write rows that have a vector; remove those that are erased or have none."""
        present = [row for row in rows if row.vector is not None and row.status != "erased"]
        gone = [row.memory_id for row in rows if row.vector is None or row.status == "erased"]
        vectors = self._vectors(present)
        yield from self.delete(scope, gone)
        for batch in _batches(list(zip(present, vectors, strict=True))):
            yield from self._write(scope, batch)

    def delete(self, scope: Scope, memory_ids: Sequence[str]) -> Flow[None]:
        """Remove rows by id."""
        for batch in _batches([self._names.document(scope, memory_id) for memory_id in memory_ids]):
            yield from _call(partial(self._store.delete, batch), partial(self._store.adelete, batch))

    def reset(self) -> Flow[None]:
        """Empty the store.

        Raises:
            ConfigurationError: The store's class offers no known way; empty it with its own tools.
        """
        if self._dialect.empty is None:
            msg = f"how to empty a {type(self._store).__name__} is unknown; drop its collection with its own tools"
            raise ConfigurationError(msg)
        yield from _call(partial(self._dialect.empty, self._store), None)
        self._dim = None

    def _write(self, scope: Scope, batch: Sequence[tuple[SearchRow, list[float]]]) -> Flow[None]:
        ids = [self._names.document(scope, row.memory_id) for row, _ in batch]
        metadatas = [metadata_of(self._names, scope, self._model, row) for row, _ in batch]
        vectors = dict(zip(ids, [vector for _, vector in batch], strict=True))
        with self._embeddings.prepared(vectors):
            yield from _call(
                partial(self._store.add_texts, ids, metadatas=metadatas, ids=ids),
                partial(self._store.aadd_texts, ids, metadatas=metadatas, ids=ids),
            )

    def _vectors(self, rows: Rows) -> list[list[float]]:
        packed = [row.vector for row in rows if row.vector is not None]
        for vector in packed:
            self._check_size(len(vector) // _VECTOR_BYTES, "a stored vector")
        if packed and self._dim is None:
            self._dim = len(packed[0]) // _VECTOR_BYTES
        return [np.frombuffer(vector, "<f4").tolist() for vector in packed]

    def _check_size(self, size: int, what: str) -> None:
        if self._dim is not None and size != self._dim:
            msg = (
                f"{what} has {size} numbers where the store's have {self._dim}; run reindex() with one embedding "
                "model, or give each model a collection of its own"
            )
            raise ConfigurationError(msg)

    def _proposals(self, scope: Scope, found: Iterable[tuple[Document, float]], limit: int) -> list[Proposal]:
        subject = self._names.subject(scope)
        own = [(doc.metadata, score) for doc, score in found if doc.metadata.get("subject") == subject]
        cosines = np.clip([self._to_cosine(score) for _, score in own], 0, 1)
        relevance = self._relevance.fuse(cosines, None)
        proposals = [
            Proposal(
                memory_id=metadata["memory"],
                relevance=round(float(score), _DIGITS),
                parts={"vector": round(float(cosine), _DIGITS)},
            )
            for (metadata, _), score, cosine in zip(own, [] if relevance is None else relevance, cosines, strict=True)
        ]
        ranked = sorted(proposals, key=lambda proposal: (-proposal.relevance, proposal.memory_id))
        return [proposal for proposal in ranked if proposal.relevance > 0][:limit]


def _batches(items: list[T]) -> Iterator[list[T]]:
    return (items[start : start + BATCH_ROWS] for start in range(0, len(items), BATCH_ROWS))


def _call(blocking: Callable[[], T], awaitable: Callable[[], Awaitable[T]] | None) -> Flow[T]:
    """Call the store; where it has no awaitable form, awaiting runs the blocking one in the executor."""
    if awaitable is None:
        return (yield from work(partial(_translating, blocking)))
    return (yield from step(partial(_translating, blocking), partial(_atranslating, awaitable)))


def _translating(call: Callable[..., T], *args: Any) -> T:
    try:
        return call(*args)
    except AgentMemError:
        raise
    except Exception as error:  # every store has errors of its own: here they become ours
        raise _storage_error(error) from error


async def _atranslating(call: Callable[[], Awaitable[T]]) -> T:
    try:
        return await call()
    except AgentMemError:
        raise
    except Exception as error:  # every store has errors of its own: here they become ours
        raise _storage_error(error) from error


def _storage_error(error: Exception) -> StorageError:
    """Say what failed without the store's own words, which may quote what it was given."""
    msg = f"the vector store failed with {type(error).__name__}; see the cause, and repeat the call if it is passing"
    return StorageError(msg, is_retryable=not isinstance(error, (TypeError, ValueError, LookupError)))

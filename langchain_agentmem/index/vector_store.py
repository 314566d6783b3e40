"""An index in any LangChain vector store, for scopes that outgrow a view."""

from __future__ import annotations

import logging
import threading
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import Any, ClassVar, Final, TypeAlias, TypeVar

import numpy as np
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore

from langchain_agentmem._away import is_out_of_reach
from langchain_agentmem._flow import Flow, run, step, work
from langchain_agentmem._search import Proposal, SearchQuery, SearchRow
from langchain_agentmem._vectors import Vector
from langchain_agentmem.errors import ConfigurationError, StorageError
from langchain_agentmem.index.base import Index
from langchain_agentmem.index.dialect import Held, refuse_to_block
from langchain_agentmem.index.dialects import dialect_of, gives_rows, is_known, search_method_of
from langchain_agentmem.index.documents import OpaqueNames, clauses_of, clauses_of_user, metadata_of
from langchain_agentmem.index.filters import FilterCompiler
from langchain_agentmem.index.guarding import guarded, translating
from langchain_agentmem.index.held_rows import (
    batched,
    check_gone,
    cosine_of,
    delete_around,
    has_metadata,
    is_same_vector,
    read_around,
)
from langchain_agentmem.index.probing import Near, Store, Trial
from langchain_agentmem.index.ranked import is_tied, ranked_of
from langchain_agentmem.index.relevance import Relevance
from langchain_agentmem.index.shim import PreparedEmbeddings, check_builder
from langchain_agentmem.types import Scope

MAX_PROPOSALS: Final = 1_000_000
"""Rows asked of a store at most, however many are wanted; Redis refuses more."""

EXACT_ROWS: Final = 300
"""Rows that are compared one by one where the store's own search is approximate: reading them takes Chroma no longer
than its search does (20 to 40 ms)."""

_VECTOR_BYTES: Final = 4

LOGGER: Final = logging.getLogger("langchain_agentmem")

T = TypeVar("T")
Rank: TypeAlias = Callable[[Iterable[Near]], list[Proposal]]
Rows = Sequence[SearchRow]


class VectorStoreIndex(Index):
    """Proposes by vectors alone, from a LangChain `VectorStore`; there is no lexical part here.

    The store holds an opaque id as the text, the vector, and metadata without text or clear ids. The filter is compiled
    to the store's own language, and the subject is checked again on every hit. Approximate where the store is. A
    deleted row is not found any more; when its vector leaves the store's files is up to the store.

    A store that is out of reach is opened by the first call that reaches it; until then each call fails. One of a class
    that is not known proves with the first write, by a row of nobody's, that it finds, gives back and deletes what it
    was given; else it is refused from then on, by a `ConfigurationError`, and holds nothing of anybody.

    Args:
        build: Makes the store from an `Embeddings`: `lambda embeddings: Chroma(embedding_function=embeddings, …)`.
            Configure cosine distance where the store lets you choose. A store that only a coroutine can make is made
            beforehand, around a `PreparedEmbeddings()` of its own, and returned here.
        model: Name of the embedding model; vectors of another model in the same store are never compared.
        filter: For a class that is not known: from clauses to the store's filter.
        cosine: For a class that is not known: from the store's score to a cosine.
        relevance: How a cosine becomes the relevance that a row is proposed with.
        key: Secret that makes the names of users and memories in the store unguessable. Under a vault, a memory gives
            one of the vault's where there is none.

    Raises:
        ConfigurationError: `build` takes no embeddings, or the store's class is unknown and `filter` or `cosine` is
            missing, or it lacks search by vector with scores or the deletion of rows, or its distance is unknown, or it
            is laid out so that it would lose or leak rows.
        StorageError: The store could not be opened, and not because it is out of reach.
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
        check_builder(build)
        self._build = build
        self._dialect_for = partial(dialect_of, filter=filter, cosine=cosine)
        self._relevance = relevance or Relevance()
        self._names = OpaqueNames(key)
        self._model = model
        self._dim: int | None = None
        self._trial = Trial()
        self._is_open = False
        self._opening = threading.Lock()
        try:
            self._open_store()
        except StorageError as error:
            if not is_out_of_reach(error):
                raise
            LOGGER.warning("%s; it is opened when it is back, and the ledger is searched meanwhile", error)

    @property
    def is_guessable(self) -> bool:
        """Whether who knows a user's id can tell which rows are theirs: no key was given."""
        return self._names.is_guessable

    def name_by(self, key: Callable[[], bytes]) -> None:
        """Name users and memories by a secret from now on; what is there under other names is not found any more.

        It is asked for with the first use: before that, nobody knows whether the database and its keys belong together.
        """
        self._names = OpaqueNames(key)

    def _open_store(self) -> None:
        with self._opening:
            if self._is_open:
                return
            prepared = PreparedEmbeddings()
            self._store = translating(self._build, prepared)
            if not isinstance(self._store, VectorStore):
                msg = f"index must build a LangChain VectorStore, got {type(self._store).__name__}"
                raise ConfigurationError(msg)
            own = self._store.embeddings
            self._embeddings = own if isinstance(own, PreparedEmbeddings) else prepared
            self._dialect = translating(self._dialect_for, self._store)
            self._is_checked = not self._dialect.is_awaited_only(self._store)
            if self._is_checked:
                run(guarded(self._dialect.check(self._store)))
            self._to_cosine = translating(self._dialect.to_cosine, self._store)
            self._takes_any_length = translating(self._dialect.is_cosine, self._store)
            self._gives_rows, self._is_known = gives_rows(self._store, self._dialect), is_known(self._store)
            self._look_at_size()
            self._is_open = True

    def _reach(self) -> Flow[None]:
        """Open a store that was out of reach, or look at one that could not be waited for, when this index was made."""
        if not self._is_open:
            yield from work(self._open_store)
        if not self._is_checked:
            yield from guarded(self._dialect.check(self._store))
            self._is_checked = True

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
        yield from self._reach()
        self._trial.check()
        self._check_size(query.vector.size, "the query's vector")
        end = min(query.offset + query.limit, MAX_PROPOSALS - 1)
        wanted = self._dialect.compile(clauses_of(self._names, scope, self._model, query.filter))
        subject, fuse = self._names.subject(scope), partial(self._relevance.fuse, is_of_oneself=query.is_of_oneself)
        rank = partial(ranked_of, subject, fuse)
        ranked = yield from self._compared(rank, query.vector, wanted)
        if ranked is None:
            ranked = yield from self._nearest(rank, query.vector, wanted, end)
        return [proposal for proposal in ranked if proposal.relevance > 0][query.offset : end]

    def _compared(self, rank: Rank, vector: Vector, wanted: Any) -> Flow[list[Proposal] | None]:  # noqa: ANN401
        """Rank every row that is admitted; `None` where they are many, or the store's own search is exact."""
        if self._dialect.few is None:
            return None
        few = self._dialect.few
        rows = yield from self._again(lambda: few(self._store, wanted, EXACT_ROWS))
        if rows is None:
            return None
        return rank([(it.metadata, cosine_of(vector, () if it.vector is None else it.vector)) for it in rows])

    def _nearest(self, rank: Rank, vector: Vector, wanted: Any, end: int) -> Flow[list[Proposal]]:  # noqa: ANN401
        """Rank the nearest rows, up to the cut and as far beyond as they are worth the same."""
        count = end + 1
        while True:
            found = yield from self._ask(vector.tolist(), count, wanted)
            ranked = rank([(document.metadata, self._to_cosine(score)) for document, score in found])
            if len(found) < count and not self._is_known:
                yield from self._check_whole(wanted, len(found))
            if len(found) < count or count == MAX_PROPOSALS or not is_tied(ranked, end):
                return ranked
            count = min(2 * count, MAX_PROPOSALS)

    def _check_whole(self, wanted: Any, count: int) -> Flow[None]:  # noqa: ANN401
        """Raise `StorageError` where a store that was asked for more rows than it gave has more, and can tell."""
        holds = self._dialect.holds
        if holds is not None and (yield from self._again(lambda: holds(self._store, wanted, count + 1))):
            msg = f"{type(self._store).__name__} gives no more than {count} rows, however many it has and is asked for"
            raise StorageError(msg)

    def _ask(self, vector: list[float], count: int, wanted: Any) -> Flow[list[tuple[Document, float]]]:  # noqa: ANN401
        method, asked = search_method_of(self._store), {"k": count, "filter": wanted}
        native = getattr(self._store, f"a{method}", None)
        blocking = partial(getattr(self._store, method), vector, **asked)
        return list((yield from self._call(blocking, native and partial(native, vector, **asked))))

    def upsert(self, scope: Scope, rows: Rows) -> Flow[None]:
        """Write rows that have a vector; remove those that are erased or have none."""
        yield from self._reach()
        present = [row for row in rows if row.vector is not None and row.status != "erased"]
        gone = [row.memory_id for row in rows if row.vector is None or row.status == "erased"]
        vectors = self._vectors(present)
        yield from self.delete(scope, gone)
        if vectors and not self._is_known:
            yield from self._trial.pass_(self._tried, len(vectors[0]))
        yield from self._put(scope, present, vectors)

    def _put(self, scope: Scope, present: Rows, vectors: list[list[float]]) -> Flow[None]:
        for batch in batched(list(zip(present, vectors, strict=True))):
            yield from self._bring(scope, batch)

    def _tried(self) -> Store:
        return Store(
            name=type(self._store).__name__,
            put=lambda scope, rows: self._put(scope, rows, self._vectors(rows)),
            delete=self.delete,
            damaged=self.damaged,
            look=self._look,
            subject=self._names.subject,
            gives_rows=self._gives_rows,
        )

    def _look(self, scope: Scope, vector: list[float]) -> Flow[list[Near]]:
        wanted = self._dialect.compile(clauses_of_user(self._names, scope, self._model))
        found = yield from self._ask(vector, 2, wanted)
        return [(document.metadata, self._to_cosine(score)) for document, score in found]

    def _bring(self, scope: Scope, batch: Sequence[tuple[SearchRow, list[float]]]) -> Flow[None]:
        """Write rows, in place of what is there: what a store cannot read it may not take a change of, either."""
        try:
            yield from self._write(scope, batch)
        except StorageError as error:
            if is_out_of_reach(error):
                raise
            yield from self.delete(scope, [row.memory_id for row, _ in batch])
            yield from self._write(scope, batch)

    def delete(self, scope: Scope, memory_ids: Sequence[str]) -> Flow[None]:
        """Remove rows by id, and look whether they are gone where the store's class is not known."""
        yield from self._reach()
        for batch in batched([self._names.document(scope, memory_id) for memory_id in memory_ids]):
            if not self._gives_rows:
                yield from self._delete(batch)
                continue
            yield from delete_around(self._delete, self._held, batch)
            if not self._is_known:
                yield from check_gone(partial(self._held, batch), self._store)

    def _delete(self, ids: list[str]) -> Flow[None]:
        yield from self._call(partial(self._store.delete, ids), partial(self._store.adelete, ids))

    def reset(self, dim: int | None = None) -> Flow[None]:
        """Empty the store, and make it again where it was lost or holds vectors of another size.

        Raises:
            ConfigurationError: The store's class offers no known way; empty it with its own tools.
        """
        yield from self._reach()
        if self._dialect.empty is None:
            msg = f"how to empty a {type(self._store).__name__} is unknown; drop its collection with its own tools"
            raise ConfigurationError(msg)
        yield from guarded(self._dialect.check(self._store))
        yield from guarded(self._dialect.empty(self._store, dim))
        self._dim = dim
        self._look_at_size()

    def count(self) -> Flow[int | None]:
        """Return how many rows the store holds, of everybody; `None` where that is not known of its class.

        Raises:
            StorageError: The store failed.
        """
        yield from self._reach()
        count = self._dialect.count
        return None if count is None else (yield from self._again(lambda: count(self._store)))

    def holds(self, scope: Scope, count: int) -> Flow[bool]:
        """Return whether the store has so many rows of a user, with vectors of this model; yes where it cannot tell."""
        yield from self._reach()
        holds = self._dialect.holds
        if holds is None or count < 1:
            return True
        wanted = self._dialect.compile(clauses_of_user(self._names, scope, self._model))
        return (yield from self._again(lambda: holds(self._store, wanted, count)))

    def tells_what_it_holds(self) -> Flow[bool]:
        """Return whether its dialect can tell how many rows of a user there are."""
        yield from self._reach()
        return self._dialect.holds is not None

    def tells_damage(self) -> Flow[bool]:
        """Return whether the store can be asked what it has under an id."""
        yield from self._reach()
        return self._gives_rows

    def damaged(self, scope: Scope, rows: Rows) -> Flow[list[str]]:
        """Return the ids of rows that are lost, unreadable, held otherwise, or held though they are erased."""
        yield from self._reach()
        if not self._gives_rows:
            return [row.memory_id for row in rows]
        absent = self._names.document(scope, "")
        wrong: list[str] = []
        for batch in batched([row for row in rows if row.vector is not None or row.status == "erased"]):
            ids = [self._names.document(scope, row.memory_id) for row in batch]
            held = yield from read_around(self._held, ids, absent)
            wrong += [
                row.memory_id
                for row, name in zip(batch, ids, strict=True)
                if not self._is_held(scope, row, held.get(name))
            ]
        return wrong

    def _held(self, ids: list[str]) -> Flow[dict[str, Held]]:
        if self._dialect.read is not None:
            read = self._dialect.read
            return (yield from self._again(lambda: read(self._store, ids)))
        documents = yield from self._call(partial(self._store.get_by_ids, ids), partial(self._store.aget_by_ids, ids))
        return {document.page_content: Held(document.metadata, None) for document in documents}

    def _is_held(self, scope: Scope, row: SearchRow, held: Held | None) -> bool:
        if row.status == "erased":
            return held is None
        if held is None or row.vector is None or not has_metadata(held, self._metadata(scope, row)):
            return False
        if held.vector is None:
            return not self._dialect.gives_vectors
        return is_same_vector(np.frombuffer(row.vector, "<f4"), held.vector, of_any_length=self._takes_any_length)

    def _metadata(self, scope: Scope, row: SearchRow) -> dict[str, Any]:
        return self._dialect.metadata(metadata_of(self._names, scope, self._model, row))

    def _write(self, scope: Scope, batch: Sequence[tuple[SearchRow, list[float]]]) -> Flow[None]:
        ids = [self._names.document(scope, row.memory_id) for row, _ in batch]
        metadatas = [self._metadata(scope, row) for row, _ in batch]
        vectors = dict(zip(ids, [vector for _, vector in batch], strict=True))
        with self._embeddings.prepared(vectors):
            yield from self._call(
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
            self._look_at_size()  # another process may have emptied it meanwhile
        if self._dim is not None and size != self._dim:
            msg = (
                f"{what} has {size} numbers where the store's have {self._dim}; run reindex() with one embedding "
                "model, or give each model a collection of its own"
            )
            raise ConfigurationError(msg)

    def _look_at_size(self) -> None:
        if self._dialect.dim is not None:
            self._dim = translating(self._dialect.dim, self._store)

    def _call(self, blocking: Callable[[], T], awaitable: Callable[[], Awaitable[T]] | None) -> Flow[T]:
        """Call the store; where it has no awaitable form, awaiting runs the blocking one in the executor."""
        if self._dialect.is_awaited_only(self._store):
            blocking = partial(refuse_to_block, self._store)
        return (yield from self._again(lambda: work(blocking) if awaitable is None else step(blocking, awaitable)))

    def _again(self, call: Callable[[], Flow[T]]) -> Flow[T]:
        """Call the store, once more where it says that what was open here has been replaced by others."""
        try:
            return (yield from guarded(call()))
        except StorageError as error:
            if not (yield from guarded(work(self._dialect.reopen, self._store, error.__cause__))):
                raise
        return (yield from guarded(call()))

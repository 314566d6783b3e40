"""Views kept in memory, and the index that searches them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar, Final, Generic, Protocol, TypeAlias, TypeVar

from langchain_agentmem._flow import Flow, work
from langchain_agentmem._held_texts import forget_texts
from langchain_agentmem._search import Proposal, SearchColumns, SearchQuery, SearchRow
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.index import snapshot
from langchain_agentmem.index.base import Index
from langchain_agentmem.index.cached_view import CachedView, taking
from langchain_agentmem.index.relevance import Relevance
from langchain_agentmem.index.scope_view import ScopeView
from langchain_agentmem.types import Scope

DEFAULT_MAX_BYTES: Final = 256 * 2**20
"""About 140,000 memories with vectors of 384 numbers."""

INLINE_ROWS: Final = 2_000
"""Up to this many rows a search takes less (0.1 to 0.3 ms) than the way to a worker thread and back under load."""

ViewKey: TypeAlias = tuple[str, str, str | None]
Load: TypeAlias = Callable[[Scope, int, str | None], Flow[tuple[int, SearchColumns]]]
Keep: TypeAlias = Callable[[Scope, str | None, int, bytes], Flow[None]]


class View(Protocol):
    """What is kept of one user: as of a revision, and of a size."""

    @property
    def revision(self) -> int:
        """The revision that was applied last."""
        ...

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes; more than none where it is empty, or the empty ones would never go."""
        ...

    def __len__(self) -> int:
        """Return the number of rows."""
        ...


V = TypeVar("V", bound=View)
T = TypeVar("T")


class ViewCache(Generic[V]):
    """Views by (tenant, user, model), least recently used ones dropped beyond a number of bytes. Thread-safe.

    One that is spoilt goes when it is met: whoever asks next has an empty one, which reads all.

    The view used last always stays, even where it alone is larger: else every search would build it anew.

    Args:
        new_view: Makes an empty view.
        max_bytes: Bound on the sum of the views' `nbytes`.

    Raises:
        ConfigurationError: `max_bytes` is not positive.
    """

    def __init__(self, new_view: Callable[[], V], *, max_bytes: int = DEFAULT_MAX_BYTES) -> None:
        if max_bytes < 1:
            msg = f"max_bytes must be at least 1, got {max_bytes!r}; for example {DEFAULT_MAX_BYTES}"
            raise ConfigurationError(msg)
        self._new_view = new_view
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._entries: OrderedDict[ViewKey, CachedView[V]] = OrderedDict()
        self._nbytes = 0

    def __len__(self) -> int:
        """Return the number of views held."""
        return len(self._entries)

    @property
    def nbytes(self) -> int:
        """Return the bytes of all views held."""
        return self._nbytes

    def get(self, key: ViewKey) -> CachedView[V]:
        """Return the view of a key, a new and empty one where there is none, and count it as just used."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is not None and entry.is_spoilt:
                self._drop(key)
                entry = None
            if entry is None:
                entry = self._entries[key] = CachedView(self._new_view())
                self._measure(entry)
            self._entries.move_to_end(key)
            return entry

    def peek(self, tenant_id: str, user_id: str) -> list[CachedView[V]]:
        """Return the views that are held of a user, of every model."""
        with self._lock:
            for key in [key for key, entry in self._entries.items() if entry.is_spoilt]:
                self._drop(key)
            return [entry for key, entry in self._entries.items() if key[:2] == (tenant_id, user_id)]

    def charge(self, key: ViewKey, entry: CachedView[V]) -> None:
        """Take note of a view's size after use, and drop others until all fit."""
        with self._lock:
            if self._entries.get(key) is not entry:
                return  # forgotten meanwhile: it goes with its last user
            self._measure(entry)

    def forget(self, tenant_id: str, user_id: str) -> None:
        """Drop the views of a user, of every model."""
        with self._lock:
            for key in [key for key in self._entries if key[:2] == (tenant_id, user_id)]:
                self._drop(key)

    def discard(self, key: ViewKey, entry: CachedView[V]) -> None:
        """Drop one view, unless another has taken its place already."""
        with self._lock:
            if self._entries.get(key) is entry:
                self._drop(key)

    def clear(self) -> None:
        """Drop every view."""
        with self._lock:
            self._entries.clear()
            self._nbytes = 0

    def _measure(self, entry: CachedView[V]) -> None:
        size = entry.view.nbytes
        self._nbytes += size - entry.nbytes
        entry.nbytes = size
        while self._nbytes > self._max_bytes and len(self._entries) > 1:
            self._drop(next(iter(self._entries)))

    def _drop(self, key: ViewKey) -> None:
        self._nbytes -= self._entries.pop(key).nbytes


class ScopeViewIndex(Index):
    """Exact search in one view per user, read from the ledger and brought up to date before every search.

    Each search first loads what changed since the view's revision, so that it is right also when another process
    writes; nothing has to be fed, rebuilt or repaired.

    Args:
        load: `load(scope, since_revision, model)` returns the content revision of the scope's (tenant, user) and all
            rows of it, of every agent and status, that changed after `since_revision` (0: all but the erased), erased
            ones included, with the vectors of `model`; where its `renewed_at` has changed, all rows are asked for.
        keep: `keep(scope, model, revision, data)` keeps a view that took long to build, which `load` then begins with;
            it may leave that. `None`: every process builds its own.
        model: Name of the embedding model, `None` where there is none.
        relevance: How cosine and BM25 are fused.
        max_bytes: Bound on the views held.
    """

    name: ClassVar[str] = "scope_view"
    is_fed: ClassVar[bool] = False

    def __init__(
        self,
        load: Load,
        *,
        keep: Keep | None = None,
        model: str | None = None,
        relevance: Relevance | None = None,
        max_bytes: int = DEFAULT_MAX_BYTES,
    ) -> None:
        self._load = load
        self._keep = keep
        self._model = model
        self._views = ViewCache(partial(ScopeView, relevance), max_bytes=max_bytes)

    @property
    def views(self) -> ViewCache[ScopeView]:
        """Return the views held, for watching their size."""
        return self._views

    def search(self, scope: Scope, query: SearchQuery) -> Flow[list[Proposal]]:
        """Return proposals from the view as of now."""
        _, proposals = yield from self.search_at(scope, query)
        return proposals

    def search_at(self, scope: Scope, query: SearchQuery) -> Flow[tuple[int, list[Proposal]]]:
        """Return the content revision that was searched, and the proposals."""
        return (yield from self.ask(scope, lambda view: (view.revision, view.search(query))))

    def ask(self, scope: Scope, question: Callable[[ScopeView], T]) -> Flow[T]:
        """Return the answer of the scope's view as of now; nobody else changes it meanwhile."""
        key = (scope.tenant_id, scope.user_id, self._model)
        entry = self._views.get(key)
        since, renewed_at = entry.view.revision, entry.view.renewed_at
        revision, rows = yield from self._load(scope, since, self._model)
        # Restored from an older copy, the ledger knows nothing of what the view knows; and a vector that an old row got
        # is in no delta, since nothing happened to the memory.
        is_older = revision < since
        if is_older or (since and rows.renewed_at != renewed_at):
            self._views.discard(key, entry)
            entry = self._views.get(key)
            revision, rows = yield from self._load(scope, 0, self._model)
        if is_older or (since and rows.erased):
            forget_texts()  # whoever erased them may be another process
        answer = partial(_refresh_and_ask, entry, rows, revision, question)
        if max(len(entry.view), len(rows)) <= INLINE_ROWS:
            found = answer()
        else:
            found = yield from work(answer)
        self._views.charge(key, entry)
        if self._keep is not None and not since and len(rows.memory_id) >= snapshot.KEPT_FROM:
            yield from self._keep_view(self._keep, scope, entry, len(rows.memory_id))
        return found

    def _keep_view(self, keep: Keep, scope: Scope, entry: CachedView[ScopeView], read: int) -> Flow[None]:
        """Keep a view of which many rows had to be read."""
        if snapshot.KEPT_SHARE * read >= len(entry.view):
            revision, data = yield from work(_dumped, entry)
            if revision:
                yield from keep(scope, self._model, revision, data)

    def upsert(self, scope: Scope, rows: Sequence[SearchRow]) -> Flow[None]:
        """Do nothing: the next search reads the ledger."""
        yield from ()

    def delete(self, scope: Scope, memory_ids: Sequence[str]) -> Flow[None]:
        """Remove rows from the views in memory now, and the words this process remembers from texts."""
        yield from ()
        for entry in self._views.peek(scope.tenant_id, scope.user_id):
            with entry.alone() as view:
                view.discard(memory_ids)
        forget_texts()

    def reset(self, dim: int | None = None) -> Flow[None]:
        """Drop every view; the next searches build them anew."""
        yield from ()
        self._views.clear()

    def forget(self, scope: Scope) -> None:
        """Drop the views of the scope's user, and the words this process remembers from texts."""
        self._views.forget(scope.tenant_id, scope.user_id)
        forget_texts()


def _dumped(entry: CachedView[ScopeView]) -> tuple[int, bytes]:
    with entry.alone() as view:
        return view.revision, snapshot.dump(view.snapshot())


def _refresh_and_ask(
    entry: CachedView[ScopeView], rows: SearchColumns, revision: int, question: Callable[[ScopeView], T]
) -> T:
    with entry.alone() as view:
        with taking("memory", rows.rows, lambda some: ScopeView().apply(some, 1)):
            view.apply_columns(rows, revision)
        return question(view)

"""Search by a query: views of prefixes kept in memory, and the rows of what they rank."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from langchain_agentmem._flow import Flow, work
from langchain_agentmem.index.cached_view import CachedView
from langchain_agentmem.items.base import Delta, Fresh, ItemRow, Items, News, Range, Take
from langchain_agentmem.items.sealing import Keys, terms_name, with_keys
from langchain_agentmem.items.view import PrefixView, Question, Ranked

DEFAULT_MAX_BYTES: Final = 128 * 2**20
"""About 60,000 items with one vector of 384 numbers each."""

INLINE_ROWS: Final = 2_000
"""Up to this many rows a search takes less (0.1 to 0.3 ms) than the way to a worker thread and back under load."""

MAX_TRIES: Final = 4
"""How often a search begins anew because items changed while it ran; the last answer leaves out what is gone."""

PAGE: Final = 100
PAGE_GROWTH: Final = 4
"""Items ranked at first where a filter decides which of them count, and how many times more with each turn."""


class Found(NamedTuple):
    """An item that was found, as `take` made it, with its score."""

    row: ItemRow
    answer: Any
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """One search.

    Args:
        paths: Where.
        question: What for.
        take: Makes of a row what the caller wants, or returns `None` for a row that it does not want: such a row counts
            neither for `offset` nor for `limit`.
        takes_all: `take` wants every row.
    """

    paths: Range
    question: Question
    take: Take
    takes_all: bool
    limit: int
    offset: int


_Entry: TypeAlias = CachedView[PrefixView]


class Views:
    """Views by prefix, least recently used ones dropped beyond a number of bytes. Thread-safe.

    The view used last always stays, even where it alone is larger: else every search would build it anew.

    Args:
        model: Number of the embedding model.
        max_bytes: Bound on the sum of `PrefixView.nbytes`.
    """

    def __init__(self, model: int = 0, *, max_bytes: int = DEFAULT_MAX_BYTES) -> None:
        self._model = model
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._entries: OrderedDict[tuple[Range, int], _Entry] = OrderedDict()

    def __len__(self) -> int:
        """Return the number of views held."""
        return len(self._entries)

    @property
    def nbytes(self) -> int:
        """Return the bytes of all views held."""
        with self._lock:
            return sum(entry.nbytes for entry in self._entries.values())

    def get(self, paths: Range, dim: int = 0) -> _Entry:
        """Return the view of a prefix, a new and empty one where there is none, and count it as just used.

        Args:
            paths: The prefix.
            dim: The numbers of a question's vector; 0: it has none.
        """
        name = paths, dim
        with self._lock:
            entry = self._entries.get(name)
            if entry is None or entry.is_spoilt:
                entry = self._entries[name] = CachedView(PrefixView(self._model, dim=dim))
            self._entries.move_to_end(name)
            return entry

    def charge(self, entry: _Entry) -> None:
        """Take note of a view's size after use, and drop others until all fit."""
        with self._lock:
            entry.nbytes = entry.view.nbytes
            total = sum(it.nbytes for it in self._entries.values())
            while total > self._max_bytes and len(self._entries) > 1:
                _, dropped = self._entries.popitem(last=False)
                total -= dropped.nbytes

    def clear(self) -> None:
        """Drop every view."""
        with self._lock:
            self._entries.clear()


class ItemSearch:
    """Searches items by words and vectors.

    Before every search the view of the prefix takes in what has changed since, so that it is right also when another
    process writes; nothing has to be fed, rebuilt or repaired.

    Args:
        items: Where items are.
        views: What is kept in memory.
    """

    def __init__(self, items: Items, views: Views) -> None:
        self._items = items
        self._views = views

    def search(self, search: Search, keys: Keys) -> Flow[list[Found]]:
        """Return what is found, best first, after the offset and up to the limit.

        Raises:
            ConfigurationError: Items have vectors, and none has the size of the query's.
            IntegrityError: What is stored of an item is damaged.
            StorageError: The database failed.
        """
        wanted = search.offset + search.limit
        found: list[Found] = []
        for _ in range(MAX_TRIES if search.limit else 0):
            found, has_changed = yield from self._try(search, wanted, keys)
            if not has_changed:
                break
        return found[search.offset : wanted]

    def _try(self, search: Search, wanted: int, keys: Keys) -> Flow[tuple[list[Found], bool]]:
        """Rank as many as may be needed, and more while what was ranked is not enough; tell whether any has changed."""
        size = wanted if search.takes_all or search.question.labels is not None else max(wanted, PAGE)
        seen: dict[int, Found | None] = {}
        while True:
            ranked = yield from self._rank(search.paths, replace(search.question, limit=size), keys)
            has_changed = yield from self._read(search, [it for it in ranked if it.ref not in seen], seen, keys)
            found = [it for one in ranked if (it := seen.get(one.ref)) is not None]
            if has_changed or search.takes_all or len(found) >= wanted or len(ranked) < size:
                return found, has_changed
            size *= PAGE_GROWTH

    def _rank(self, paths: Range, question: Question, keys: Keys) -> Flow[list[Ranked]]:
        entry = self._views.get(paths, 0 if question.vector is None else question.vector.size)
        with entry.alone() as view:
            known = dict(view.known)
        delta = yield from with_keys(keys, partial(self._items.delta, paths, known, keys))
        answer = partial(_refresh_and_rank, entry, _opened(delta, keys), question)
        if max(len(entry.view), *(len(it.items) for it in delta.news), 0) <= INLINE_ROWS:
            ranked = answer()
        else:
            ranked = yield from work(answer)
        if delta.news:
            self._views.charge(entry)
        return ranked

    def _read(self, search: Search, ranked: Sequence[Ranked], seen: dict[int, Found | None], keys: Keys) -> Flow[bool]:
        """Read rows, and note what `take` made of each; tell whether some have changed since they were ranked."""
        if not ranked:
            return False
        refs = [it.ref for it in ranked]
        rows = yield from with_keys(keys, partial(self._items.rows, refs, search.question.at, keys))
        by_ref = {row.ref: row for row in rows}
        has_changed = False
        for it in ranked:
            row = by_ref.get(it.ref)
            has_changed = has_changed or row is None or row.revision != it.revision
            answer = None if row is None else search.take(row)
            seen[it.ref] = None if row is None or answer is None else Found(row, answer, it.score)
        return has_changed


def _opened(delta: Delta, keys: Keys) -> Delta:
    """Return what has changed with its terms in the clear."""
    if keys.is_plain:
        return delta
    return replace(delta, news=[_opened_news(it, keys) for it in delta.news])


def _opened_news(news: News, keys: Keys) -> News:
    opens = keys.cipher(news.owner).open

    def opened(item: Fresh) -> Fresh:
        if item.terms is None:
            return item
        return item._replace(terms=opens(item.terms, terms_name(news.path, item.key)))

    return replace(news, items=[opened(it) for it in news.items])


def _refresh_and_rank(entry: _Entry, delta: Delta, question: Question) -> list[Ranked]:
    with entry.alone() as view:
        view.apply(delta)
        return view.rank(question)

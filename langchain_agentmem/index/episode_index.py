"""Views of conversations kept in memory, and how they are searched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple, TypeAlias, TypeVar

from langchain_agentmem._flow import Flow, work
from langchain_agentmem._held_texts import forget_texts
from langchain_agentmem._search import EpisodeQuery, EpisodeRow, Period, Proposal
from langchain_agentmem.index.cached_view import CachedView, taking
from langchain_agentmem.index.claim_view import ClaimView
from langchain_agentmem.index.episode_signals import EpisodeWeights
from langchain_agentmem.index.episode_view import EpisodeView
from langchain_agentmem.index.view_cache import DEFAULT_MAX_BYTES, ViewCache
from langchain_agentmem.types import Scope

T = TypeVar("T")

INLINE_ROWS: Final = 1_000
"""Up to this many rows a search takes less than the way to a worker thread and back under load."""

MAX_BYTES: Final = 2 * DEFAULT_MAX_BYTES
"""About 320,000 turns of forty words with vectors of 384 numbers: two users of 100,000, and a hundred of 1,000.
Users who do not fit beside each other are read anew whenever they take turns."""

LoadEpisodes: TypeAlias = Callable[[Scope, int, str | None], Flow[tuple[int, Sequence[EpisodeRow]]]]


class Opened(NamedTuple):
    """A user's view as of now, for one agent's search.

    Attributes:
        view: Held on to, whatever the cache drops meanwhile.
        speakers: Hashes of the names of those who speak in what the agent may see.
        any_rows: Whether it may see anything.
        days: From when to when it was said.
    """

    view: CachedView[EpisodeView]
    speakers: frozenset[int]
    any_rows: bool
    days: Period | None = None


class EpisodeIndex:
    """Exact search in one view per user, read from the ledger and brought up to date before every search.

    Args:
        load: `load(scope, since, model)` returns the revision of the user's episodes, and all rows of it, of every
            agent, that changed after `since`, with the vectors of `model`.
        model: Name of the embedding model, `None` where there is none.
        weights: What each signal counts.
        max_bytes: Bound on the views held; on those of what was stated, half as much.
    """

    def __init__(
        self,
        load: LoadEpisodes,
        *,
        model: str | None = None,
        weights: EpisodeWeights | None = None,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._load = load
        self._model = model
        self._views = ViewCache(partial(EpisodeView, weights), max_bytes=max_bytes)
        self._claims = ViewCache(ClaimView, max_bytes=max(1, max_bytes // 2))

    @property
    def views(self) -> ViewCache[EpisodeView]:
        """Return the views held, for watching their size."""
        return self._views

    @property
    def claims(self) -> ViewCache[ClaimView]:
        """Return the views of what was stated, by which a new statement finds what it updates."""
        return self._claims

    def open(self, scope: Scope, utc_offset: int = 0) -> Flow[Opened]:
        """Bring a user's view up to date, and return it with who speaks in it; for `utc_offset`, see `EpisodeQuery`."""
        key = (scope.tenant_id, scope.user_id, self._model)
        entry = self._views.get(key)
        since = entry.view.revision
        revision, rows = yield from self._load(scope, since, self._model)
        is_older = revision < since
        if is_older:  # the ledger was restored from an older copy: what the view knows never happened
            self._views.discard(key, entry)
            entry = self._views.get(key)
            revision, rows = yield from self._load(scope, 0, self._model)
        if is_older or (since and any(row.is_gone for row in rows)):
            forget_texts()  # whoever erased them may be another process
        size = max(len(rows), len(entry.view)) if rows else 0
        yield from _locked(entry, size, partial(_refresh, rows, revision))
        self._views.charge(key, entry)
        with entry.alone() as view:
            speakers, days = view.speakers(scope.agent_id), view.days(scope.agent_id, utc_offset)
        return Opened(view=entry, speakers=speakers or frozenset(), any_rows=speakers is not None, days=days)

    def search(self, opened: Opened, query: EpisodeQuery) -> Flow[list[Proposal]]:
        """Return proposals, best first.

        Raises:
            ConfigurationError: The query's vector has another size than the rows' vectors.
        """
        return (yield from _locked(opened.view, len(opened.view.view), lambda view: view.search(query)))

    def marks(self, scope: Scope, episode_ids: Sequence[str], query: EpisodeQuery) -> Flow[list[Proposal]]:
        """Return what some episodes surely update, and what updated them, as the asker sees it; nothing is ranked."""
        opened = yield from self.open(scope)
        return (yield from _locked(opened.view, len(episode_ids), lambda view: view.marks(episode_ids, query)))

    def around(
        self, scope: Scope, episode_ids: Sequence[str], count: int, now: int
    ) -> Flow[dict[str, tuple[str, ...]]]:
        """Return, by id, what was said around some episodes: so many on either side, in order, of the same agent."""
        opened = yield from self.open(scope)
        return (yield from _locked(opened.view, len(episode_ids), lambda view: view.around(episode_ids, count, now)))

    def linked(self, scope: Scope, episode_id: str) -> Flow[frozenset[str]]:
        """Return the ids of those that an episode may update, and that may update it."""
        opened = yield from self.open(scope)
        with opened.view.alone() as view:
            return view.linked(episode_id, scope.agent_id)

    def delete(self, scope: Scope, episode_ids: Sequence[str]) -> None:
        """Remove rows from the views in memory now, and the words this process remembers from texts."""
        for entry in self._views.peek(scope.tenant_id, scope.user_id):
            with entry.alone() as view:
                view.discard(episode_ids)
        self._claims.forget(scope.tenant_id, scope.user_id)
        forget_texts()

    def forget(self, scope: Scope) -> None:
        """Drop the views of the scope's user, and the words this process remembers from texts."""
        self._views.forget(scope.tenant_id, scope.user_id)
        self._claims.forget(scope.tenant_id, scope.user_id)
        forget_texts()

    def reset(self) -> None:
        """Drop every view; the next searches build them anew."""
        self._views.clear()
        self._claims.clear()


def _refresh(rows: Sequence[EpisodeRow], revision: int, view: EpisodeView) -> None:
    with taking("episode", lambda: rows, lambda some: EpisodeView().apply(some, 1)):
        view.apply(rows, revision)


def _locked(entry: CachedView[EpisodeView], size: int, body: Callable[[EpisodeView], T]) -> Flow[T]:
    """Run `body` alone on a view; beside the event loop where it may take long."""

    def locked() -> T:
        with entry.alone() as view:
            return body(view)

    if size <= INLINE_ROWS:
        return locked()
    return (yield from work(locked))

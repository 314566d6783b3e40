"""What a new statement updates of what was said before, here and in other conversations: found by rule, as it is kept.

Time decides, not the order of ingestion: an older conversation that comes late is held against what was said since.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from langchain_agentmem._search import ClaimRow, EpisodeLink
from langchain_agentmem.index.cached_view import CachedView, taking
from langchain_agentmem.index.claim_view import ClaimView, FoundUpdate
from langchain_agentmem.index.view_cache import ViewCache
from langchain_agentmem.ledger.base import LedgerReader, LedgerWriter
from langchain_agentmem.policies.updates import LATER_VALUE
from langchain_agentmem.types import Scope

MAX_LINKS: Final = 3
"""Earlier statements that one updates at most: those that share most with it, the latest of them first. BEAM: with 4 to
8 there are more links, and the same answers."""


class Linking:
    """Finds and keeps the links of new episodes, in the transaction that keeps those.

    A view is never locked while the database is asked: on an event loop another task of the same user would wait for
    the lock, and the loop with it, so that the answer never came.

    Args:
        views: What was stated, by user.
    """

    def __init__(self, views: ViewCache[ClaimView]) -> None:
        """Compose."""
        self._views = views

    def refresh(self, reader: LedgerReader, scope: Scope) -> None:
        """Bring a user's view up to date before it is needed, so that no write waits for it."""
        entry, revision = self._entry(scope), reader.episodes.revision
        if revision > entry.view.revision:
            changed = reader.episodes.claims(entry.view.revision)
            with entry.alone() as view:
                if revision > view.revision:  # else somebody else was faster, and may know more
                    _apply(view, changed, revision)
        self._charge(scope, entry)

    def link(self, writer: LedgerWriter, scope: Scope, before: int) -> int:
        """Link the episodes that this transaction has kept, and return how many update others.

        Args:
            writer: Of the transaction.
            scope: Whose.
            before: Revision of the user's episodes when it began: the view never learns what may be rolled back.
        """
        entry = self._entry(scope)
        if before < entry.view.revision:  # restored from an older copy: what the view knows never happened
            self._views.discard(_key(scope), entry)
            entry = self._entry(scope)
        changed = writer.episodes.claims(entry.view.revision)
        with entry.alone() as view:
            _apply(view, [it for it in changed if it.revision <= before], before)
            batch, found = _found(view, [it for it in changed if it.revision > before and it.claims])
        self._charge(scope, entry)
        known = writer.episodes.links(found)
        with entry.alone() as view:
            links = _links(found, known, (batch, view))
        writer.episodes.supersede(links, LATER_VALUE)
        return len(links)

    def _entry(self, scope: Scope) -> CachedView[ClaimView]:
        return self._views.get(_key(scope))

    def _charge(self, scope: Scope, entry: CachedView[ClaimView]) -> None:
        self._views.charge(_key(scope), entry)


def _key(scope: Scope) -> tuple[str, str, None]:
    return scope.tenant_id, scope.user_id, None


def _apply(view: ClaimView, rows: Sequence[ClaimRow], revision: int) -> None:
    with taking("episode", lambda: rows, lambda some: ClaimView().apply(some, 1)):
        view.apply(rows, revision)


def _found(view: ClaimView, fresh: Sequence[ClaimRow]) -> tuple[ClaimView, dict[str, list[FoundUpdate]]]:
    """Return new episodes as a view, and, of every episode that updates anything new, all that it updates."""
    batch = ClaimView()
    batch.apply(fresh, 0)
    found: dict[str, list[FoundUpdate]] = {}
    for row in fresh:
        earlier = [*batch.updated_by(row, MAX_LINKS), *view.updated_by(row, MAX_LINKS)]
        for it in (*earlier, *(it for it in view.updating(row) if batch.row(it.new.episode_id) is None)):
            found.setdefault(it.new.episode_id, []).append(it)
    return batch, found


def _links(
    found: Mapping[str, Sequence[FoundUpdate]],
    known: Mapping[str, Sequence[EpisodeLink]],
    views: tuple[ClaimView, ClaimView],
) -> dict[str, list[EpisodeLink]]:
    """Return the links of every episode that has a new one."""
    linked = {new_id: _best(known.get(new_id, ()), updates, views) for new_id, updates in found.items()}
    return {new_id: links for new_id, links in linked.items() if any(not it.event_seq for it in links)}


def _best(
    known: Iterable[EpisodeLink], found: Iterable[FoundUpdate], views: tuple[ClaimView, ClaimView]
) -> list[EpisodeLink]:
    """Return the links that are kept, those there were among them."""
    links = {it.old.episode_id: EpisodeLink(it.old.episode_id, it.update.kind, it.update.terms) for it in found}
    links |= {it.old_id: it for it in known if it.terms == links.get(it.old_id, it).terms}
    placed = ((_row(link.old_id, views), link) for link in links.values())
    ranked = sorted((_order(row, link), link) for row, link in placed if row is not None)
    return [link for _, link in ranked[:MAX_LINKS]]


def _row(episode_id: str, views: tuple[ClaimView, ClaimView]) -> ClaimRow | None:
    return views[0].row(episode_id) or views[1].row(episode_id)


def _order(row: ClaimRow, link: EpisodeLink) -> tuple[int, int, int, str]:
    return -len(link.terms), -row.at, -row.place, row.episode_id

"""The view as an index that is written directly: what a package of one's own would bring."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import ClassVar

from langchain_agentmem._flow import Flow
from langchain_agentmem._search import Proposal, SearchQuery, SearchRow
from langchain_agentmem.index.base import Index
from langchain_agentmem.index.scope_view import ScopeView
from langchain_agentmem.types import Scope


class ViewIndex(Index):
    """One view per user, in this process only."""

    name: ClassVar[str] = "views"
    is_fed: ClassVar[bool] = True

    def __init__(self, *, label: str = "") -> None:
        self.label = label
        self._views: defaultdict[tuple[str, str], ScopeView] = defaultdict(ScopeView)
        self._revision = 0

    def search(self, scope: Scope, query: SearchQuery) -> Flow[list[Proposal]]:
        yield from ()
        return self._view(scope).search(query)

    def upsert(self, scope: Scope, rows: Sequence[SearchRow]) -> Flow[None]:
        yield from ()
        self._revision += 1
        self._view(scope).apply([it if it.vector else it._replace(status="erased") for it in rows], self._revision)

    def delete(self, scope: Scope, memory_ids: Sequence[str]) -> Flow[None]:
        yield from ()
        self._view(scope).discard(memory_ids)

    def reset(self, dim: int | None = None) -> Flow[None]:
        yield from ()
        self._views.clear()

    def _view(self, scope: Scope) -> ScopeView:
        return self._views[scope.tenant_id, scope.user_id]

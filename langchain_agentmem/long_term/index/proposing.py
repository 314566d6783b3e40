"""Rank a scope that has outgrown its view as the view would: a store proposes by vector, a view of words by word."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from langchain_agentmem._flow import Flow, work
from langchain_agentmem._search import Proposal, SearchQuery, SearchRow
from langchain_agentmem.index.base import Index
from langchain_agentmem.index.relevance import Relevance
from langchain_agentmem.index.scope_view import ScopeView
from langchain_agentmem.index.view_cache import INLINE_ROWS, ScopeViewIndex
from langchain_agentmem.long_term.index.still_indexed import answer_of
from langchain_agentmem.types import Scope

FIRST_LOOK: Final = 50
"""Rows that each of the two proposes at first, where fewer are wanted: of 60 questions about LoCoMo (2,760 turns as
memories, 15 wanted) 59 needed no second look, and all were answered as by the view."""

LOOKS: Final = 3
WIDER: Final = 4
"""So many times as many rows with each further look, while a row that nobody proposed might rank among the best."""

CROWDED: Final = (
    "most that the index finds is not in the ledger, as after a restored copy; a job deletes what was found, "
    "long_term.rebuild_index() all of it"
)

ReadRows: TypeAlias = Callable[[Scope, list[str]], Flow[list[SearchRow]]]
HasVectors: TypeAlias = Callable[[Scope], Flow[bool]]


class Ranked(NamedTuple):
    """Proposals, best first.

    Attributes:
        trouble: Why the store has proposed nothing, so that somebody else has to; empty where it has.
        unknown: Ids that the store proposed and the ledger does not have, where they took the places of those it has.
    """

    proposals: list[Proposal]
    trouble: str = ""
    unknown: Sequence[str] = ()


class _Look(NamedTuple):
    """What was ranked, and the most that a row can be worth which neither of the two proposed.

    Attributes:
        unknown: Ids that the ledger does not have, where most that the store proposed are such.
    """

    ranked: list[Proposal]
    unseen: float
    unknown: Sequence[str]


class Proposing:
    """Ids come from a fed index, scores from the ledger's own rows.

    The index proposes by vector. A view without vectors, a fraction of the size, proposes by word, and knows each row's
    BM25 share of the whole scope. What either proposes is read from the ledger, and ranked there like in a view that
    holds everything: the same filter, cosines and fusion, hence the same scores. Neither list is longer than needed to
    know that no row beyond both ranks higher (Fagin, Lotem and Naor, "Optimal aggregation algorithms for middleware",
    2003), or than the last look allows.

    Args:
        index: Proposes by vector; what it says of a row but its id counts only for how far it looked.
        words: Proposes by word.
        rows: Reads rows of the ledger by id, with their vectors.
        has_vectors: Tells whether any row that a scope sees has a vector; asked where none of those proposed has one.
        timeout_s: How long the index may take for an answer; `None`: for ever.
    """

    def __init__(
        self,
        index: Index,
        words: ScopeViewIndex,
        rows: ReadRows,
        has_vectors: HasVectors,
        *,
        timeout_s: float | None = None,
    ) -> None:
        """Nothing is read yet."""
        self._index = index
        self._words = words
        self._rows = rows
        self._has_vectors = has_vectors
        self._timeout_s = timeout_s
        self._relevance = Relevance()

    def search(self, scope: Scope, query: SearchQuery, waiting: Collection[str]) -> Flow[Ranked]:
        """Return what is relevant, as a view of the whole scope does.

        Args:
            scope: Whose.
            query: What is looked for.
            waiting: Ids of rows that the index holds as they were, or not at all.
        """
        if query.vector is None:
            return Ranked((yield from self._words.search(scope, query)))
        end = query.offset + query.limit
        count = max(end, FIRST_LOOK)
        for _ in range(LOOKS):
            asked = replace(query, offset=0, limit=count)
            wider = replace(asked, limit=count + len(waiting))
            near = yield from answer_of(self._index, partial(self._index.search, scope, wider), self._timeout_s)
            if isinstance(near, str):
                return Ranked([], near)
            look = yield from self._look(scope, asked, near, waiting)
            if not look.unseen or (len(look.ranked) >= end and look.ranked[end - 1].relevance > look.unseen):
                return Ranked(look.ranked[query.offset : end])
            count *= WIDER
        return Ranked([], CROWDED, look.unknown) if look.unknown else Ranked(look.ranked[query.offset : end])

    def _look(self, scope: Scope, query: SearchQuery, near: list[Proposal], waiting: Collection[str]) -> Flow[_Look]:
        ids = {*waiting, *(it.memory_id for it in near)}

        def ask(view: ScopeView) -> tuple[list[Proposal], dict[str, float] | None]:
            by_word = view.search(replace(query, vector=None))
            return by_word, view.shares_of(query, ids | {it.memory_id for it in by_word})

        by_word, shares = yield from self._words.ask(scope, ask)
        rows = yield from self._rows(scope, sorted(ids | {it.memory_id for it in by_word}))
        is_compared = yield from self._is_compared(scope, query, rows)
        ranking = partial(_ranked, rows, query if is_compared else replace(query, vector=None), shares)
        ranked = ranking() if len(rows) <= INLINE_ROWS else (yield from work(ranking))
        cosine = _cut(near, "vector", query.limit) if is_compared else None
        unseen = self._most(query, cosine, _cut(by_word, "lexical", query.limit))
        return _Look(ranked, unseen, _crowding({it.memory_id for it in near} - {*waiting}, rows))

    def _is_compared(self, scope: Scope, query: SearchQuery, rows: list[SearchRow]) -> Flow[bool]:
        """Whether vectors count: where no row that is seen has one, words alone decide, here as in a view."""
        seen_by = {None, query.filter.agent_id}
        if not rows or any(it.vector is not None and it.agent_id in seen_by for it in rows):
            return True
        return (yield from self._has_vectors(scope))

    def _most(self, query: SearchQuery, cosine: float | None, share: float) -> float:
        """Return the relevance of a row with this cosine, `None` where vectors do not count, and this share."""
        cosines = None if cosine is None else np.array([cosine])
        fused = self._relevance.fuse(cosines, np.array([share]), is_of_oneself=query.is_of_oneself)
        return 0.0 if fused is None else float(fused[0])

    def drop(self, scope: Scope, memory_ids: Sequence[str]) -> Flow[None]:
        """Take erased memories out of memory now."""
        yield from self._words.delete(scope, memory_ids)

    def refresh(self) -> Flow[None]:
        """Drop what is cached of every user."""
        yield from self._words.reset()


def _ranked(rows: list[SearchRow], query: SearchQuery, shares: dict[str, float] | None) -> list[Proposal]:
    pool = ScopeView()
    pool.apply(rows, 1)
    return pool.search(query, shares)


def _crowding(near: set[str], rows: list[SearchRow]) -> list[str]:
    """Return the ids that no row has, where they are the most; a few were erased by others just now."""
    unknown = near - {it.memory_id for it in rows if it.status != "erased"}
    return sorted(unknown) if 2 * len(unknown) > len(near) else []


def _cut(proposals: list[Proposal], part: str, wanted: int) -> float:
    """Return what a row has at most that is not on a list: 0 where all that are anything are on it."""
    if len(proposals) < wanted:
        return 0.0
    return min(it.parts.get(part, 1.0) for it in proposals)

"""Whether a fed index still holds what was brought to it: looked at with each search, at a bounded cost."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from functools import partial
from random import sample
from typing import Final, NamedTuple, TypeVar

from langchain_agentmem._flow import Flow
from langchain_agentmem._patience import flow_within
from langchain_agentmem._search import SearchRow
from langchain_agentmem.errors import AgentMemError
from langchain_agentmem.index.base import Index
from langchain_agentmem.index.view_cache import ScopeViewIndex
from langchain_agentmem.ledger.base import Ledger, LedgerReader
from langchain_agentmem.types import Scope

SAMPLE: Final = 32
"""Rows that are held against the ledger with each search."""

MAX_KNOWN: Final = 10_000
"""Users of whom something is remembered, some hundred bytes each."""

LOGGER: Final = logging.getLogger("langchain_agentmem")

T = TypeVar("T")


class Expected(NamedTuple):
    """What the ledger has: of how many rows of a user a vector, and some of the rows; as of a revision or later."""

    number: int
    rows: list[SearchRow]
    revision: int


class Holding:
    """Looks for rows that a fed index has lost, or holds otherwise than they were brought.

    One that is lost is missed in the number of rows. One that was altered is noticed when it is among some that are
    chosen anew each time; an index that does not know how many rows it has may notice no more of one that is lost.

    Args:
        index: The index.
        words: Knows the ids of all rows of a user.
        ledger: Has the rows, with vectors of `model`.
        timeout_s: How long the index may take for an answer; `None`: for ever.
    """

    def __init__(
        self, index: Index, words: ScopeViewIndex, ledger: Ledger, model: str | None, *, timeout_s: float | None
    ) -> None:
        """Nothing is read yet."""
        self._index = index
        self._words = words
        self._ledger = ledger
        self._model = model
        self._timeout_s = timeout_s
        self._whole: dict[tuple[str, str], int] = {}
        """Up to which revision every row of a user has a vector."""

    def ids(self, scope: Scope) -> Flow[list[str]]:
        """Return the ids of all rows of a user, in their order."""
        return (yield from self._words.ask(scope, lambda view: sorted(view.ids)))

    def choose(self, scope: Scope) -> Flow[list[str]]:
        """Return the ids of the rows that are looked at next."""
        if (yield from self._answer(self._index.tells_damage)) is not True:
            return []
        return (yield from self._words.ask(scope, lambda view: sample(view.ids, min(SAMPLE, len(view.ids)))))

    def expect(self, scope: Scope, memory_ids: list[str]) -> Flow[Expected]:
        """Return what the ledger has, to be read before what waits for the index: so nothing new seems to be lost."""
        of_user, model = (scope.tenant_id, scope.user_id), self._model
        revision, count = yield from self._words.ask(scope, lambda view: (view.revision, len(view)))
        since = self._whole.get(of_user, 0)

        def read(reader: LedgerReader) -> tuple[int | None, Expected]:
            seq, rows = reader.head.seq, reader.search_rows_of(memory_ids, model)
            if reader.lacks_vectors(model, since if since <= seq else 0):  # restored from an older copy
                return None, Expected(reader.count_vectors(model), rows, revision)
            return seq, Expected(count, rows, revision)

        whole, expected = yield from self._ledger.read(scope, read)
        self._note(of_user, whole)
        return expected

    def is_still(self, scope: Scope, expected: Expected) -> Flow[bool]:
        """Whether nothing has changed since: in the middle of a look, others may take away what they erased."""
        return (yield from self._words.ask(scope, lambda view: view.revision == expected.revision))

    def _note(self, of_user: tuple[str, str], whole: int | None) -> None:
        """Remember up to where nothing of a user lacks a vector, so that only what changed is looked at next."""
        if whole is None:
            self._whole.pop(of_user, None)
            return
        if len(self._whole) >= MAX_KNOWN:
            self._whole.clear()
        self._whole[of_user] = whole

    def has_lost(self, scope: Scope, expected: Expected, waiting: Collection[str]) -> Flow[bool | str]:
        """Return whether the index lacks rows or holds them otherwise, or why it does not say.

        Args:
            scope: Whose.
            expected: What the ledger had.
            waiting: Ids of rows that the index holds as they were, or not at all.
        """
        least = expected.number - len(waiting)
        is_whole = yield from self._answer(partial(self._index.holds, scope, least))
        if is_whole is not True:
            return is_whole or True
        damaged = yield from self._answer(partial(self.damaged, scope, expected.rows, waiting))
        return damaged if isinstance(damaged, str) else bool(damaged)

    def _answer(self, question: Callable[[], Flow[T]]) -> Flow[T | str]:
        return (yield from answer_of(self._index, question, self._timeout_s))

    def damaged(self, scope: Scope, rows: list[SearchRow], waiting: Collection[str] = ()) -> Flow[list[str]]:
        """Return the ids of those of some rows that the index lacks or holds otherwise; all where it cannot tell."""
        named = [it for it in rows if it.memory_id not in waiting]
        brought = [it for it in named if it.vector is not None or it.status == "erased"]
        return (yield from self._index.damaged(scope, brought)) if brought else []


def answer_of(index: Index, question: Callable[[], Flow[T]], timeout_s: float | None) -> Flow[T | str]:
    """Return what an index answers, or why it does not."""
    try:
        return (yield from flow_within(timeout_s, question(), of=index))
    except Exception as error:  # noqa: BLE001  (an index of another package raises what it likes; the ledger answers)
        told = str(error) if isinstance(error, AgentMemError) else f"the index failed with {type(error).__name__}"
        LOGGER.warning("%s; the ledger is searched instead", told)
        return told

"""Ask the index, and keep an index that has to be fed in step with the ledger."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, NamedTuple, Protocol

from langchain_agentmem._flow import Flow
from langchain_agentmem._search import Proposal, SearchQuery, SearchRow
from langchain_agentmem.index.base import Index
from langchain_agentmem.index.scope_view import ScopeView
from langchain_agentmem.index.view_cache import Load
from langchain_agentmem.jobs import Jobs
from langchain_agentmem.ledger.base import Ledger, LedgerReader, LedgerWriter
from langchain_agentmem.ledger.sql.jobs import Job, SQLJobs
from langchain_agentmem.ledger.sql.models import SQLModels
from langchain_agentmem.policies.cached import forget_cached_texts
from langchain_agentmem.types import Scope

INDEX_JOB: Final = "index"
"""Brings the rows of one subject that it names to a fed index."""

SCRUB_JOB: Final = "scrub"
"""Finishes an erasure: no file of the database holds the text any more."""

REBUILD_JOB: Final = "rebuild"
"""Empties a fed index and queues every row of every subject for it."""


COPIES_JOB: Final = "copies"
"""Takes what was erased out of copies that are kept on a server beside the database."""


class Copies(Protocol):
    """Copies of what the ledger holds, made to be read faster: what is erased goes from them too.

    Attributes:
        are_remote: Whether some are kept on a server, so that dropping them may fail and is done by a durable job.
    """

    are_remote: bool

    def forget(self, scope: Scope) -> None:
        """Drop what this process holds of the scope's (tenant, user)."""
        ...

    def drop(self, scope: Scope) -> Flow[None]:
        """Drop what a server holds of the scope's (tenant, user), and take nothing older from anybody afterwards.

        Raises:
            StorageError: The server is away; the call is to be repeated.
        """
        ...


class Searched(NamedTuple):
    """What was proposed, and whether the index had to be left out because nobody knows any more what it lacks."""

    proposals: list[Proposal]
    is_degraded: bool = False


class Searching:
    """One search over all that was acknowledged, however far the index has come.

    Args:
        index: Proposes; `view` stands in for a fed index while that is rebuilt or another model's vectors are in it.
        model: Name of the embedding model in use.
        copies: What else holds words of the ledger.
    """

    def __init__(
        self,
        ledger: Ledger,
        indexes: tuple[Index, Index],
        queue: SQLJobs,
        models: SQLModels,
        model: str | None,
        *,
        copies: Copies | None = None,
    ) -> None:
        """Compose."""
        self.index, self._view = indexes
        self._copies = copies
        self._fed = {INDEX_JOB: self._feed, REBUILD_JOB: self._rebuild} if self.index.is_fed else {}
        remote = {COPIES_JOB: self._drop_copies} if copies is not None and copies.are_remote else {}
        self.jobs = Jobs(queue, {SCRUB_JOB: self._scrub, **remote, **self._fed}, self._withheld)
        self._is_behind = False
        self._ledger = ledger
        self._queue = queue
        self._models = models
        self._model = model

    def search(self, scope: Scope, query: SearchQuery) -> Flow[Searched]:
        """Return proposals, best first; rows that the index has not got yet are searched beside it.

        Where it cannot be told which those are, the index is not asked: the view stands in for it.
        """
        if not self.index.is_fed:
            return Searched((yield from self.index.search(scope, query)))
        if not (yield from self.is_ready()):
            return Searched((yield from self._view.search(scope, query)))
        unfinished = yield from self._queue.unfinished(scope, INDEX_JOB)  # first: a job may end during the search
        named = [None if payload is None else payload.get("ids") for payload in unfinished]
        waiting = {str(memory_id) for ids in named if isinstance(ids, list) for memory_id in ids}
        if not all(isinstance(ids, list) for ids in named):
            return Searched((yield from self._view.search(scope, query)), is_degraded=True)
        if not waiting:
            return Searched((yield from self.index.search(scope, query)))
        return Searched((yield from self._search_both(scope, query, waiting)))

    def _search_both(self, scope: Scope, query: SearchQuery, waiting: set[str]) -> Flow[list[Proposal]]:
        """Search the index, and beside it what waits for it: what the index has of those rows counts no more."""
        end = query.offset + query.limit
        known = yield from self.index.search(scope, replace(query, offset=0, limit=end + len(waiting)))
        fresh = yield from self._search_beside(scope, replace(query, offset=0, limit=end), waiting)
        kept = [proposal for proposal in known if proposal.memory_id not in waiting]
        ordered = sorted([*kept, *fresh], key=lambda proposal: (-proposal.relevance, proposal.memory_id))
        return ordered[query.offset : end]

    def queue(self, writer: LedgerWriter, memory_id: str, now: Callable[[], datetime]) -> None:
        """Queue the update of a fed index, in the transaction that makes it necessary."""
        if self.index.is_fed:
            writer.enqueue(INDEX_JOB, {"ids": [memory_id]}, now())

    def queue_erased(self, writer: LedgerWriter, now: Callable[[], datetime]) -> None:
        """Queue what finishes an erasure, in the transaction that begins it."""
        writer.enqueue(SCRUB_JOB, {}, now())
        self.queue_copies(writer, now)

    def queue_copies(self, writer: LedgerWriter, now: Callable[[], datetime]) -> None:
        """Queue that copies elsewhere are dropped, in the transaction after which none may be there."""
        if self._copies is not None and self._copies.are_remote:
            writer.enqueue(COPIES_JOB, {}, now())

    def drop_copies(self, scope: Scope) -> Flow[None]:
        """Drop the copies of a user here and, where that was queued, elsewhere."""
        if self._copies is not None:
            self._copies.forget(scope)
            if self._copies.are_remote:
                yield from self.catch_up()

    def follow(self) -> Flow[None]:
        """Run what a write queued, and what failed before; what fails again stays queued."""
        if self.index.is_fed or self._is_behind:
            yield from self.catch_up()

    def catch_up(self) -> Flow[None]:
        """Run every job that is due."""
        report = yield from self.jobs.run_flow()
        self._is_behind = report.failed > 0 or (self._is_behind and (yield from self._is_erasing()))

    def _is_erasing(self) -> Flow[bool]:
        """Whether something that was erased is still somewhere."""
        for kind in (SCRUB_JOB, COPIES_JOB):
            if (yield from self._queue.is_unfinished(kind)):
                return True
        return False

    def drop(self, scope: Scope, memory_ids: Sequence[str]) -> Flow[None]:
        """Take erased memories out of what is held in memory, and out of a fed index."""
        yield from self._view.delete(scope, memory_ids)
        forget_cached_texts()
        if self._copies is not None:
            self._copies.forget(scope)
        yield from self.catch_up()

    def refresh(self) -> Flow[None]:
        """Drop what is cached of every user, and run what is queued."""
        yield from self._view.reset()
        yield from self.catch_up()

    def _scrub(self, _job: Job) -> Flow[None]:
        """Take what was erased out of the files that only the database writes."""
        yield from self._ledger.scrub()

    def _drop_copies(self, job: Job) -> Flow[None]:
        """Take what was erased out of copies elsewhere; it waits for a process that knows where they are."""
        if job.scope is not None and self._copies is not None:
            yield from self._copies.drop(job.scope)

    def is_ready(self) -> Flow[bool]:
        """Whether a fed index holds vectors of the model in use."""
        if (yield from self._queue.is_unfinished(REBUILD_JOB)):
            return False
        return (yield from self._is_of_this_model())

    def rows(self, scope: Scope, memory_ids: list[str]) -> Flow[list[SearchRow]]:
        """Return rows of a user as the index has to hold them."""
        model = self._model
        return (yield from self._ledger.read(scope, lambda reader: reader.search_rows_of(memory_ids, model)))

    def _is_of_this_model(self) -> Flow[bool]:
        current = yield from self._models.current()
        return current is None or current.name == self._model

    def _withheld(self) -> Flow[Collection[str]]:
        """What this process must leave to others: once another model's vectors count, it has none to feed."""
        return () if not self._fed or (yield from self._is_of_this_model()) else self._fed

    def _rebuild(self, _job: Job) -> Flow[None]:
        """Empty the index and queue all rows; until each is in it, searches look at it beside the index."""
        current = yield from self._models.current()
        yield from self.index.reset(current.dimension if current else None)
        yield from self._models.queue_all(INDEX_JOB)

    def _search_beside(self, scope: Scope, query: SearchQuery, waiting: set[str]) -> Flow[list[Proposal]]:
        rows = yield from self.rows(scope, sorted(waiting))
        view = ScopeView()
        view.apply(rows, 0)
        return view.search(query)

    def _feed(self, job: Job) -> Flow[None]:
        """Bring the rows that a job names, as they are now: the order of jobs does not matter."""
        if job.scope is None:
            return
        memory_ids = [str(memory_id) for memory_id in job.payload["ids"]]
        rows = yield from self.rows(job.scope, memory_ids)
        gone = sorted(set(memory_ids) - {row.memory_id for row in rows if row.status != "erased"})
        if gone:
            yield from self.index.delete(job.scope, gone)
        live = [row for row in rows if row.status != "erased"]
        if live:
            yield from self.index.upsert(job.scope, live)


def load_from(ledger: Ledger) -> Load:
    """Return how a view reads what changed; while another model's vectors are current it reads all, every time."""

    def read(reader: LedgerReader, since: int, model: str | None) -> tuple[int, Sequence[SearchRow]]:
        is_building = model is not None and any(state.is_current and state.name != model for state in reader.models())
        if is_building:
            return 0, reader.search_rows(0, model)
        return reader.head.seq, reader.search_rows(since, model)

    def load(scope: Scope, since: int, model: str | None) -> Flow[tuple[int, Sequence[SearchRow]]]:
        return (yield from ledger.read(scope, lambda reader: read(reader, since, model)))

    return load

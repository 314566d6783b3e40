"""Ask the index, and keep an index that has to be fed in step with the ledger."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from langchain_agentmem._flow import Flow
from langchain_agentmem._held_texts import forget_texts
from langchain_agentmem._patience import flow_within
from langchain_agentmem._search import Proposal, SearchQuery, SearchRow
from langchain_agentmem.errors import StorageError
from langchain_agentmem.index.base import Index
from langchain_agentmem.index.view_cache import ScopeViewIndex
from langchain_agentmem.jobs import JobFlows
from langchain_agentmem.ledger.base import Ledger, LedgerWriter
from langchain_agentmem.ledger.sql.jobs import Job, SQLJobs
from langchain_agentmem.ledger.sql.models import SQLModels
from langchain_agentmem.long_term.index.proposing import Proposing, Ranked
from langchain_agentmem.long_term.index.still_indexed import Holding
from langchain_agentmem.types import Scope

T = TypeVar("T")

INDEX_JOB: Final = "index"
"""Brings the rows of one subject that it names to a fed index; or, as `ANY_LOST`, those that the index has lost."""

ANY_LOST: Final = {"lost": True}
"""What an index job carries that names no rows: the index has lost or altered some, and nobody knows which."""

SCRUB_JOB: Final = "scrub"
"""Finishes an erasure: no file of the database holds the text any more."""

LOG_JOB: Final = "empty_log"
"""Follows jobs that held words: no log of the database holds them any more, and the file some time later."""

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


UNREADABLE: Final = (
    "a job that tells what the index lacks of this user cannot be read; memory.jobs.list(status='failed') shows it, "
    "long_term.rebuild_index() ends it"
)

HAS_LOST: Final = (
    "the index has lost or altered rows of this user; a job brings them again, long_term.repair_index() does so at once"
)

UNFINDABLE: Final = "the index finds fewer rows than it holds; run long_term.rebuild_index()"

CHUNK: Final = 1_000
"""Rows held against the index at a time."""

LOOKS: Final = 4
"""Looks after which a loss is believed, though something changed in the middle of each of them."""


class Indexes(NamedTuple):
    """What there is to search with.

    Attributes:
        used: The index: a view, or one that has to be fed.
        view: Searches all of a scope that a fed index is not needed for, and stands in for it where it fails.
        words: A view without vectors, beside a fed index.
        above: Scopes of more memories than that are searched in a fed index. `timeout_s`: how long it may take.
    """

    used: Index
    view: ScopeViewIndex
    words: ScopeViewIndex
    above: int
    timeout_s: float | None


class Searched(NamedTuple):
    """What was proposed.

    Attributes:
        proposed_by: Name of the index, or of the view.
        trouble: Why the index had to be left out; empty where it had not.
    """

    proposals: list[Proposal]
    proposed_by: str
    trouble: str = ""


class Searching:
    """One search over all that was acknowledged, however far the index has come.

    Args:
        indexes: What to search with; the view stands in for a fed index also while that is rebuilt or another model's
            vectors are in it.
        model: Name of the embedding model in use.
        copies: What else holds words of the ledger.
    """

    def __init__(
        self,
        ledger: Ledger,
        indexes: Indexes,
        queue: SQLJobs,
        models: SQLModels,
        model: str | None,
        *,
        copies: Copies | None = None,
    ) -> None:
        """Compose."""
        self.index, self._view, words, self._above, self._timeout_s = indexes
        self._proposing = Proposing(self.index, words, self.rows, self._has_vectors, timeout_s=self._timeout_s)
        self._holding = Holding(self.index, words, ledger, model, timeout_s=self._timeout_s)
        self._copies = copies
        self._fed = {INDEX_JOB: self._feed, REBUILD_JOB: self._rebuild} if self.index.is_fed else {}
        remote = {COPIES_JOB: self._drop_copies} if copies is not None and copies.are_remote else {}
        self.jobs = JobFlows(
            queue, {SCRUB_JOB: self._scrub, LOG_JOB: self._empty_log, **remote, **self._fed}, self._withheld
        )
        self._is_behind = False
        self._ledger = ledger
        self._queue = queue
        self._models = models
        self._model = model

    def search(self, scope: Scope, query: SearchQuery) -> Flow[Searched]:
        """Return proposals, best first: of a scope that fits its view from there, else with the help of a fed index.

        Ids and scores are the same either way, but for rows that an approximate store has overlooked. Where a fed index
        cannot be asked, has lost or altered rows, or nobody can tell any more what it lacks, the view answers.
        """
        if not self.index.is_fed:
            return Searched((yield from self.index.search(scope, query)), self.index.name)
        trouble = ""
        if (yield from self._is_large(scope)) and (yield from self.is_ready()):
            found = yield from self._propose(scope, query)
            if not found.trouble:
                return Searched(found.proposals, self.index.name)
            trouble = found.trouble
        return Searched((yield from self._view.search(scope, query)), self._view.name, trouble)

    def _is_large(self, scope: Scope) -> Flow[bool]:
        return (yield from self._ledger.read_prepared(scope, lambda reader: reader.has_more_than(self._above)))

    def _propose(self, scope: Scope, query: SearchQuery) -> Flow[Ranked]:
        """Ask the index, unless it has lost or altered anything."""
        if query.vector is None:  # nothing to ask it
            return (yield from self._proposing.search(scope, query, ()))
        chosen = yield from self._holding.choose(scope)
        for _ in range(LOOKS):
            expected = yield from self._holding.expect(scope, chosen)
            waiting = yield from self._waiting(scope)  # before the search: a job may end during it
            if isinstance(waiting, str):
                return Ranked([], waiting)
            has_lost = yield from self._holding.has_lost(scope, expected, waiting)
            if isinstance(has_lost, str):
                return Ranked([], has_lost)
            if not has_lost:
                found = yield from self._proposing.search(scope, query, waiting)
                if found.unknown:
                    yield from self._models.queue_for(scope, INDEX_JOB, {"ids": list(found.unknown)})
                return found
            if (yield from self._holding.is_still(scope, expected)):
                break
        yield from self._models.queue_for(scope, INDEX_JOB, ANY_LOST)
        return Ranked([], HAS_LOST)

    def _waiting(self, scope: Scope) -> Flow[set[str] | str]:
        """Return the ids of rows that are to be brought to the index, or why those that it lacks are not known."""
        unfinished = yield from self._queue.unfinished(scope, INDEX_JOB)
        if ANY_LOST in unfinished:
            return HAS_LOST
        named = _named(unfinished)
        return UNREADABLE if named is None else named

    def queue(self, writer: LedgerWriter, memory_id: str) -> None:
        """Queue the update of a fed index, in the transaction that makes it necessary."""
        if self.index.is_fed:
            writer.enqueue(INDEX_JOB, {"ids": [memory_id]}, None)

    def queue_erased(self, writer: LedgerWriter) -> None:
        """Queue what finishes an erasure, in the transaction that begins it."""
        writer.enqueue(SCRUB_JOB, {}, None)
        self.queue_copies(writer)

    def queue_copies(self, writer: LedgerWriter) -> None:
        """Queue that copies elsewhere are dropped, in the transaction after which none may be there."""
        if self._copies is not None and self._copies.are_remote:
            writer.enqueue(COPIES_JOB, {}, None)

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
        report = yield from self.jobs.run()
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
        yield from self._proposing.drop(scope, memory_ids)
        forget_texts()
        if self._copies is not None:
            self._copies.forget(scope)
        yield from self.catch_up()

    def forget(self, scope: Scope) -> Flow[None]:
        """Drop all that this process holds of a user, and the copies elsewhere that it knows of."""
        self.index.forget(scope)
        self._view.forget(scope)
        yield from self._proposing.drop(scope, ())
        forget_texts()
        if self._copies is not None:
            self._copies.forget(scope)
            yield from self._copies.drop(scope)

    def refresh(self) -> Flow[None]:
        """Drop what is cached of every user, and run what is queued."""
        yield from self._view.reset()
        yield from self._proposing.refresh()
        yield from self.catch_up()

    def _scrub(self, _job: Job) -> Flow[None]:
        """Take what was erased out of the files that only the database writes."""
        yield from self._ledger.scrub()

    def _empty_log(self, _job: Job) -> Flow[None]:
        """Take what was done with out of the files that only the database writes."""
        yield from self._ledger.empty_log()

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
        """Return rows of a user as the index has to hold them, by id."""
        model = self._model
        found = yield from self._ledger.read(scope, lambda reader: reader.search_rows_of(memory_ids, model))
        return sorted(found, key=attrgetter("memory_id"))

    def _has_vectors(self, scope: Scope) -> Flow[bool]:
        """Whether anything that the scope sees can be compared by vector."""
        model = self._model
        return (yield from self._ledger.read(scope, lambda reader: reader.has_vectors(model)))

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

    def _feed(self, job: Job) -> Flow[None]:
        """Bring the rows that a job names, as they are now: the order of jobs does not matter."""
        if job.scope is None:
            return
        if job.payload == ANY_LOST:
            yield from self._mend(job.scope)
            return
        memory_ids = sorted({str(memory_id) for memory_id in job.payload["ids"]})
        brought, rows = None, (yield from self.rows(job.scope, memory_ids))
        while brought != rows:  # another worker may have brought newer ones first
            yield from self._bring(job.scope, memory_ids, rows)
            brought, rows = rows, (yield from self.rows(job.scope, memory_ids))

    def _bring(self, scope: Scope, memory_ids: list[str], rows: list[SearchRow]) -> Flow[None]:
        live = [row for row in rows if row.status != "erased"]
        gone = sorted(set(memory_ids) - {row.memory_id for row in live})
        if gone:
            yield from self._patiently(self.index.delete(scope, gone))
        if live:
            yield from self._patiently(self.index.upsert(scope, live))

    def _mend(self, scope: Scope) -> Flow[None]:
        """Queue what the index has lost or altered of a user; the rest it has to find."""
        ids = yield from self._holding.ids(scope)
        for start in range(0, len(ids), CHUNK):
            rows = yield from self.rows(scope, ids[start : start + CHUNK])
            yield from self.queue_damaged(scope, rows)
        expected = yield from self._holding.expect(scope, [])
        waiting = _named(it for it in (yield from self._queue.unfinished(scope, INDEX_JOB)) if it != ANY_LOST)
        least = 0 if waiting is None else expected.number - len(waiting)
        if not (yield from self._patiently(self.index.holds(scope, least))):
            raise StorageError(UNFINDABLE)

    def queue_damaged(self, scope: Scope, rows: list[SearchRow], *, dry_run: bool = False) -> Flow[list[str]]:
        """Return the ids of those of some rows that the index has lost or altered, and queue them for it."""
        damaged = yield from self._patiently(self._holding.damaged(scope, rows))
        if damaged and not dry_run:
            yield from self._models.queue_for(scope, INDEX_JOB, {"ids": damaged})
        return damaged

    def _patiently(self, call: Flow[T]) -> Flow[T]:
        """Wait for the index as long as it may take, and not at all while it answers nobody."""
        return (yield from flow_within(self._timeout_s, call, of=self.index))


def _named(payloads: Iterable[Mapping[str, Any] | None]) -> set[str] | None:
    """Return the ids that index jobs name; `None` where one cannot be read."""
    named = [None if payload is None else payload.get("ids") for payload in payloads]
    if not all(isinstance(ids, list) for ids in named):
        return None
    return {str(memory_id) for ids in named if isinstance(ids, list) for memory_id in ids}

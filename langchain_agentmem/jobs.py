"""Work that follows a write: run in order, retried, never lost with the process."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, Final, Protocol

from sqlalchemy import Select, bindparam, delete, select, tuple_

from langchain_agentmem._flow import Flow, arun, run, step
from langchain_agentmem.errors import AgentMemError, ConfigurationError
from langchain_agentmem.ledger.codec import to_micros
from langchain_agentmem.ledger.sql.jobs import Job, SQLJobs
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import EPISODES, RECEIPTS, SESSIONS, STORE_ITEMS, THREADS

LOGGER: Final = logging.getLogger("langchain_agentmem")
BATCH: Final = 100
MAX_BATCH: Final = 1_000
"""Jobs leased at once at most: a lease is for as long as one job takes, not for a whole queue."""


SWEEP_EVERY: Final = timedelta(hours=1)
"""As long as a write may wait for its checkpoint before it counts as left behind."""

RECEIPTS_AT_ONCE: Final = 1_000
"""Receipts deleted in one transaction, so that writers need not wait long for it."""

_EXPIRED_SESSION: Final = select(SESSIONS.c.session_ref).where(SESSIONS.c.expires_at <= bindparam("now")).limit(1)
_EXPIRED_EPISODE: Final = select(EPISODES.c.episode_id).where(EPISODES.c.expires_at <= bindparam("now")).limit(1)
_EXPIRED_ITEM: Final = select(STORE_ITEMS.c.item_ref).where(STORE_ITEMS.c.expires_at <= bindparam("now")).limit(1)
_ANY_THREAD: Final = select(THREADS.c.thread_ref).limit(1)
_RECEIPT: Final = tuple_(RECEIPTS.c.subject_id, RECEIPTS.c.receipt_id)
_OLD_RECEIPTS: Final = (
    select(RECEIPTS.c.subject_id, RECEIPTS.c.receipt_id)
    .where(RECEIPTS.c.at < bindparam("before"))
    .limit(RECEIPTS_AT_ONCE)
)
_DELETE_RECEIPTS: Final = delete(RECEIPTS).where(_RECEIPT.in_(_OLD_RECEIPTS))

Handler = Callable[[Job], Flow[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobReport:
    """What a run of the queue did."""

    done: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """Work that comes round again: one standing job, at each turn of which one process does it.

    Args:
        id: Of the job, below 0 and never another's.
        every: From the end of a turn to the next, and from the beginning of one whose worker ended without a word.
    """

    id: int
    kind: str
    do: Handler
    every: timedelta = SWEEP_EVERY


class Jobs:
    """Runs the durable jobs of one database; any number of processes may do so at once.

    A process runs the kinds it has a handler for: jobs of an external index wait for a process that was opened with it.
    """

    def __init__(
        self,
        queue: SQLJobs,
        handlers: Mapping[str, Handler],
        withheld: Callable[[], Flow[Collection[str]]] | None = None,
        rounds: Sequence[Round] = (),
        slow: Mapping[str, Handler] = MappingProxyType({}),
    ) -> None:
        """Compose.

        Args:
            queue: Where jobs wait.
            handlers: Who does which kind.
            withheld: Tells which kinds have to wait as things are now.
            rounds: What is done without being asked.
            slow: Who does kinds that may wait for a model: leased one at a time, those of each user in the order in
                which they were queued.
        """
        self._queue = queue
        self._handlers = handlers
        self._withheld = withheld
        self._rounds = tuple(rounds)
        self._slow = slow
        self._owner = uuid.uuid4().hex

    def with_rounds(self, rounds: Sequence[Round], slow: Mapping[str, Handler] = MappingProxyType({})) -> Jobs:
        """Return the same queue with rounds and slow kinds; who runs it after a write goes on without them."""
        return Jobs(self._queue, self._handlers, self._withheld, rounds, slow)

    def run(self, *, limit: int = BATCH) -> JobReport:
        """Run due jobs until none is left, `limit` at a time, then conversations handed over, and then the rounds.

        A job that fails is put back with a growing delay and its error, of which only the name is kept where it is none
        of ours: it may quote what somebody said. It stops no other. Once an hour, in whichever
        process comes first, expired conversations and threads are removed, what is left behind in threads, and receipts
        and copies of conversations that were kept long enough, and expired items of the store.

        Raises:
            ConfigurationError: `limit` is below 1.
            StorageError: The queue itself cannot be read or written.
        """
        return run(self.run_flow(limit))

    async def arun(self, *, limit: int = BATCH) -> JobReport:
        """Run due jobs; see `run`."""
        return await arun(self.run_flow(limit))

    def counts(self) -> dict[str, int]:
        """Return how many jobs are queued, running and failed; what is done is gone, and a round to come is none."""
        return run(self._queue.counts())

    async def acounts(self) -> dict[str, int]:
        """Return how many jobs are in each status; see `counts`."""
        return await arun(self._queue.counts())

    def run_flow(self, limit: int = BATCH) -> Flow[JobReport]:
        """Run due jobs as part of another flow."""
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MAX_BATCH:
            msg = f"limit must be an int from 1 to {MAX_BATCH}, got {limit!r}"
            raise ConfigurationError(msg)
        ends = yield from self._run_due(limit)
        slow = yield from self._run_slow()
        if slow:  # they may have queued something
            slow += yield from self._run_due(limit)
        ends += slow
        if self._rounds:
            yield from self._queue.stand({each.id: each.kind for each in self._rounds})
        for each in self._rounds:
            for job in (yield from self._queue.claim(self._owner, 1, [each.kind], each.every)):
                ends.append((yield from self._run_one(job, each.do, each.every)))
        return JobReport(done=ends.count(True), failed=ends.count(False))

    def _run_due(self, limit: int) -> Flow[list[bool]]:
        """Run quick jobs until none is left; return of each whether it is done."""
        ends: list[bool] = []
        while claimed := (yield from self._queue.claim(self._owner, limit, (yield from self._kinds()))):
            for job in claimed:
                ends.append((yield from self._run_one(job, self._handlers[job.kind])))  # noqa: PERF401  (it waits)
        return ends

    def _run_slow(self) -> Flow[list[bool]]:
        """Run slow jobs, one at a time."""
        ends: list[bool] = []
        while self._slow and (claimed := (yield from self._queue.claim(self._owner, 1, [*self._slow], in_order=True))):
            ends.append((yield from self._run_one(claimed[0], self._slow[claimed[0].kind])))
        return ends

    def _kinds(self) -> Flow[Sequence[str]]:
        withheld = () if self._withheld is None else (yield from self._withheld())
        return [kind for kind in self._handlers if kind not in withheld]

    def _run_one(self, job: Job, handler: Handler, every: timedelta | None = None) -> Flow[bool]:
        try:
            yield from handler(job)
        except Exception as error:  # noqa: BLE001  (whatever a rule, a model or an index of the application's raises)
            LOGGER.warning("job %s (%s) failed at attempt %s", job.id, job.kind, job.attempts)
            said = f": {error}" if isinstance(error, AgentMemError) else ""  # others may quote what somebody said
            yield from self._queue.fail(job, self._owner, type(error).__name__ + said)
            return False
        if every is None:
            yield from self._queue.finish(job, self._owner)
        else:
            yield from self._queue.again(job, self._owner, every)
        return True


class _Sessions(Protocol):
    """Conversations, or episodes of them, that can expire."""

    def sweep(self) -> Flow[int]:
        """Remove what is left of those that expired."""
        ...


class _Items(Protocol):
    """Items of a store that can expire."""

    def sweep(self, at: int) -> Flow[int]:
        """Delete what has expired by then."""
        ...


class _Saver(Protocol):
    """Threads that can expire."""

    def sweep(self) -> object:
        """Remove expired threads, and what is left behind in others."""
        ...

    async def asweep(self) -> object:
        """Remove expired threads, and what is left behind in others."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweeps:
    """Removes what has expired, in rounds; what stores it is only made where there may be something.

    Args:
        database: Where the ledger is.
        sessions: Gives what stores conversations.
        saver: Gives what stores threads.
        episodes: Gives what knows the turns of conversations that were copied for a time.
        items: Gives what keeps the items of LangGraph's store.
        is_apart: Whether those two are elsewhere than in the database: they are then asked in any case.
        receipts_for: How long receipts are kept; `None`: for ever.
    """

    database: Database
    sessions: Callable[[], _Sessions]
    saver: Callable[[], _Saver]
    episodes: Callable[[], _Sessions]
    items: Callable[[], _Items]
    is_apart: bool
    receipts_for: timedelta | None
    clock: Callable[[], datetime]

    def rounds(self) -> list[Round]:
        """Return what is to be done at each turn."""
        return [
            Round(id=-1, kind="sweep_sessions", do=self._sweep_sessions),
            Round(id=-2, kind="sweep_threads", do=self._sweep_threads),
            Round(id=-3, kind="sweep_receipts", do=self._sweep_receipts),
            Round(id=-4, kind="sweep_episodes", do=self._sweep_episodes),
            Round(id=-5, kind="sweep_store", do=self._sweep_store),
        ]

    def _sweep_sessions(self, _job: Job) -> Flow[None]:
        if self.is_apart or (yield from self._is_there(_EXPIRED_SESSION)):
            yield from self.sessions().sweep()

    def _sweep_threads(self, _job: Job) -> Flow[None]:
        if self.is_apart or (yield from self._is_there(_ANY_THREAD)):
            saver = self.saver()
            yield from step(saver.sweep, saver.asweep)

    def _sweep_episodes(self, _job: Job) -> Flow[None]:
        if (yield from self._is_there(_EXPIRED_EPISODE)):
            yield from self.episodes().sweep()

    def _sweep_store(self, _job: Job) -> Flow[None]:
        if (yield from self._is_there(_EXPIRED_ITEM)):
            yield from self.items().sweep(to_micros(self.clock()) or 0)

    def _sweep_receipts(self, _job: Job) -> Flow[None]:
        if self.receipts_for is None:
            return
        values = {"before": to_micros(self.clock() - self.receipts_for)}
        deleted = RECEIPTS_AT_ONCE
        while deleted >= RECEIPTS_AT_ONCE:
            deleted = yield from self.database.write(
                lambda connection: connection.execute(_DELETE_RECEIPTS, values).rowcount
            )

    def _is_there(self, statement: Select[Any]) -> Flow[bool]:
        values = {"now": to_micros(self.clock())}
        found = yield from self.database.read(lambda connection: connection.execute(statement, values).first())
        return found is not None

"""What comes round again: the removal of what has expired."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from math import inf
from typing import Any, Final, Protocol

from sqlalchemy import Select, bindparam, delete, select, tuple_

from langchain_agentmem._flow import Flow, step
from langchain_agentmem.jobs import Round
from langchain_agentmem.ledger.codec import from_micros, to_micros
from langchain_agentmem.ledger.sql.holds import is_unheld
from langchain_agentmem.ledger.sql.jobs import Job, SQLJobs
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import (
    EPISODES,
    RECEIPTS,
    REQUESTS,
    RUN_STEPS,
    SESSIONS,
    STATES,
    STORE_ITEMS,
    THREADS,
)

REWRITE_EVERY: Final = timedelta(days=1)
"""A large file of SQLite's from which something was erased is written anew so often."""

RECEIPTS_AT_ONCE: Final = 1_000
"""Receipts deleted in one transaction, so that writers need not wait long for it."""

_EXPIRED_SESSION: Final = select(SESSIONS.c.session_ref).where(SESSIONS.c.expires_at <= bindparam("now")).limit(1)
_EXPIRED_EPISODE: Final = select(EPISODES.c.episode_id).where(EPISODES.c.expires_at <= bindparam("now")).limit(1)
_EXPIRED_ITEM: Final = select(STORE_ITEMS.c.item_ref).where(STORE_ITEMS.c.expires_at <= bindparam("now")).limit(1)
_EXPIRED_STATE: Final = select(STATES.c.state_ref).where(STATES.c.expires_at <= bindparam("now")).limit(1)
_ANY_THREAD: Final = select(THREADS.c.thread_ref).limit(1)
_RECEIPT: Final = tuple_(RECEIPTS.c.subject_id, RECEIPTS.c.receipt_id)
_OLD_RECEIPTS: Final = (
    select(RECEIPTS.c.subject_id, RECEIPTS.c.receipt_id)
    .where(RECEIPTS.c.at < bindparam("before"), is_unheld(RECEIPTS))
    .limit(RECEIPTS_AT_ONCE)
)
_DELETE_RECEIPTS: Final = delete(RECEIPTS).where(_RECEIPT.in_(_OLD_RECEIPTS))
_DELETE_RUNS: Final = delete(RUN_STEPS).where(RUN_STEPS.c.at < bindparam("before"), is_unheld(RUN_STEPS))
_DELETE_REQUESTS: Final = delete(REQUESTS).where(REQUESTS.c.expires_at <= bindparam("now"), is_unheld(REQUESTS))


class _Sessions(Protocol):
    """Conversations, episodes of them, or states of tasks, that can expire."""

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

    def sweep(self, *, used_since: datetime | None = None) -> object:
        """Remove expired threads, and what is left behind in others that were used since."""
        ...

    async def asweep(self, *, used_since: datetime | None = None) -> object:
        """Remove expired threads, and what is left behind in others that were used since."""
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
        states: Gives what keeps working states.
        is_apart: Whether conversations and threads are elsewhere than in the database: they are then asked in any case.
        receipts_for: How long receipts are kept; `None`: for ever.
    """

    database: Database
    sessions: Callable[[], _Sessions]
    saver: Callable[[], _Saver]
    episodes: Callable[[], _Sessions]
    items: Callable[[], _Items]
    states: Callable[[], _Sessions]
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
            Round(id=-6, kind="sweep_states", do=self._sweep_states),
            Round(id=-8, kind="sweep_file", do=self._sweep_file, every=REWRITE_EVERY),
        ]

    def _sweep_sessions(self, _job: Job) -> Flow[None]:
        if self.is_apart or (yield from self._is_there(_EXPIRED_SESSION)):
            yield from self.sessions().sweep()

    def _sweep_threads(self, job: Job) -> Flow[None]:
        if self.is_apart or (yield from self._is_there(_ANY_THREAD)):
            saver, since = self.saver(), from_micros(job.payload.get("begun_at"))
            yield from step(partial(saver.sweep, used_since=since), partial(saver.asweep, used_since=since))

    def _sweep_episodes(self, _job: Job) -> Flow[None]:
        if (yield from self._is_there(_EXPIRED_EPISODE)):
            yield from self.episodes().sweep()

    def _sweep_store(self, _job: Job) -> Flow[None]:
        if (yield from self._is_there(_EXPIRED_ITEM)):
            yield from self.items().sweep(to_micros(self.clock()) or 0)

    def _sweep_states(self, _job: Job) -> Flow[None]:
        if (yield from self._is_there(_EXPIRED_STATE)):
            yield from self.states().sweep()
        yield from self.database.scrub_erased()  # where somebody was reading as something was erased

    def _sweep_file(self, _job: Job) -> Flow[None]:
        yield from self.database.scrub_erased(up_to=inf)

    def _sweep_receipts(self, _job: Job) -> Flow[None]:
        yield from SQLJobs(self.database, self.clock).sweep()  # keys of jobs are receipts, too
        now = {"now": to_micros(self.clock())}
        yield from self.database.write(lambda connection: connection.execute(_DELETE_REQUESTS, now).rowcount)
        if self.receipts_for is None:
            return
        values = {"before": to_micros(self.clock() - self.receipts_for)}
        yield from self.database.write(lambda connection: connection.execute(_DELETE_RUNS, values).rowcount)
        deleted = RECEIPTS_AT_ONCE
        while deleted >= RECEIPTS_AT_ONCE:
            deleted = yield from self.database.write(
                lambda connection: connection.execute(_DELETE_RECEIPTS, values).rowcount
            )

    def _is_there(self, statement: Select[Any]) -> Flow[bool]:
        values = {"now": to_micros(self.clock())}
        found = yield from self.database.read(lambda connection: connection.execute(statement, values).first())
        return found is not None

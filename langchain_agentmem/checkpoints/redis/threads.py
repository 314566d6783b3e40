"""Threads on Redis: a server or a cluster, with nothing but its own commands.

Nobody holds a thread while a draft is built. A change is built on what the thread was last known to be, remembered here
for threads in use, so that a change takes one round trip. A script applies it only if the thread is still the same, in
generation, next number, owner, and the heads that the draft names. Otherwise the script says what it is now, and the
draft builds again. Changes by one process take turns, so that they seldom have to. A removal is built on everything of
the thread, and done only if no change came between.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from langchain_agentmem._checks import utc_now
from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoints.base import Draft, Plan, Query, Reader, Removal, ThreadRow, Threads, ThreadState
from langchain_agentmem.checkpoints.redis import listing, reading, removing
from langchain_agentmem.checkpoints.redis.changing import Changing
from langchain_agentmem.checkpoints.redis.registry import Registry
from langchain_agentmem.checkpoints.redis.scripts import LEASE, RELEASE
from langchain_agentmem.checkpoints.redis.thread import Backend
from langchain_agentmem.ledger.codec import to_micros
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.types.scope import Owner


class RedisThreads(Threads):
    """Threads in one Redis.

    Durable as Redis is: with `appendfsync always` what was acknowledged survives the server, with its default all but
    the last second of it.

    Args:
        database: Where the keys are.
        clock: Gives the time, aware UTC, by which threads have expired; Redis removes them by its own.
    """

    def __init__(self, database: RedisDatabase, *, clock: Callable[[], datetime] = utc_now) -> None:
        """Nothing is opened yet."""
        self.database = database
        self._backend = Backend(database=database, registry=Registry(database), now=lambda: to_micros(clock()) or 0)

    def change(self, thread_id: str, draft: Draft, *, at: int, expires_at: int | None) -> Flow[ThreadState]:
        """Build on what is known, apply by a script, and again while others were faster."""
        return (yield from Changing(self._backend, thread_id, draft, at=at, expires_at=expires_at).run())

    def load(self, thread_id: str, query: Query, reader: Reader, *, expires_at: int | None = None) -> Flow[None]:
        """Read the rows in one script, then the items; begin again if items were removed in between."""
        yield from reading.load(self._backend, thread_id, query, reader, expires_at)

    def remove(self, thread_id: str, plan: Plan) -> Flow[Removal | None]:
        """Read everything, ask the plan, and do what it says by a script if nothing changed meanwhile."""
        return (yield from removing.remove(self._backend, thread_id, plan))

    def delete(self, thread_id: str, *, expired_by: int | None = None, with_lease: bool = False) -> Flow[bool]:
        """Remove every key in one step, see that none is left, then the entries in the registry."""
        return (yield from removing.delete(self._backend, thread_id, expired_by, with_lease=with_lease))

    def threads(
        self,
        *,
        owner: Owner | None = None,
        labels: frozenset[bytes] = frozenset(),
        used_since: int = 0,
        after: str | None = None,
        limit: int = 100,
    ) -> Flow[list[ThreadRow]]:
        """List one page, in the order of code points; what is listed is checked with each thread."""
        wanted = listing.Wanted(owner, tuple(sorted(labels)), used_since)
        return (yield from listing.threads(self._backend, wanted, after, limit))

    def last_use(self, owner: Owner) -> Flow[int | None]:
        """Ask each of the owner's threads, about a thousand in a round trip."""
        return (yield from listing.last_use(self._backend, owner))

    def expired(self, *, at: int, limit: int = 100) -> Flow[list[str]]:
        """List them: only where a clock runs ahead of Redis's, which removes threads by itself."""
        return (yield from listing.expired(self._backend, at, limit))

    def lease(self, thread_id: str, holder: str, *, at: int, until: int) -> Flow[bool]:
        """Set the key or take it over, with its expiry, in one script."""
        key = self._backend.lease_key(thread_id)
        return bool((yield from self.database.call(LEASE, [key], [holder, at, until], is_repeatable=True)))

    def release(self, thread_id: str, holder: str) -> Flow[None]:
        """Remove the key if it is the holder's, in one script."""
        yield from self.database.call(RELEASE, [self._backend.lease_key(thread_id)], [holder], is_repeatable=True)

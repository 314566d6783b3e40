"""Threads on SQLite and PostgreSQL.

Whoever changes a thread holds it until the transaction ends: in SQLite with the whole database, in PostgreSQL by a lock
on its row, which every change, removal and deletion takes first. So nobody has to try again. PostgreSQL changes a
thread that is in use by one statement where that is possible (see `at_once`). Ids of checkpoints are in
the order of their text, except that UUIDs come before all others (see `ids`).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from langchain_agentmem._checks import utc_now
from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoints.base import Draft, Plan, Query, Reader, Removal, ThreadRow, Threads, ThreadState
from langchain_agentmem.checkpoints.sql import changing, listing, reading, removing, rows
from langchain_agentmem.checkpoints.sql.optimistic import Optimistic
from langchain_agentmem.ledger.codec import to_micros
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.prepared import Transaction
from langchain_agentmem.types.scope import Owner


class SQLThreads(Threads):
    """Threads in one SQL database.

    Args:
        database: Where the tables are.
        clock: Gives the time, aware UTC, by which threads have expired.
    """

    def __init__(self, database: Database, *, clock: Callable[[], datetime] = utc_now) -> None:
        """Nothing is opened yet."""
        self.database = database
        self._clock = clock
        self._optimistic = None if database.is_sqlite else Optimistic(database)

    def change(self, thread_id: str, draft: Draft, *, at: int, expires_at: int | None) -> Flow[ThreadState]:
        """Read what the draft needs, and write what it builds, in one write transaction."""
        if self._optimistic is not None:
            return self._optimistic.change(thread_id, draft, at, expires_at)

        def body(connection: Transaction) -> ThreadState:
            return changing.apply(connection, thread_id, draft, at, expires_at).state()

        return self.database.write_prepared(body)

    def load(self, thread_id: str, query: Query, reader: Reader, *, expires_at: int | None = None) -> Flow[None]:
        """Read in one transaction; it writes only where a new `expires_at` is given."""
        at = self._now()
        if self._optimistic is not None:
            return self._optimistic.load(thread_id, query, reader, at, expires_at)

        def body(connection: Transaction) -> None:
            reading.load(connection, thread_id, query, reader, at, expires_at)

        return self.database.read_prepared(body) if expires_at is None else self.database.write_prepared(body)

    def remove(self, thread_id: str, plan: Plan) -> Flow[Removal | None]:
        """Ask the plan, and do what it says, in one write transaction."""
        at = self._now()
        return (yield from self.database.write(lambda it: removing.remove(it, thread_id, plan, at)))

    def delete(self, thread_id: str, *, expired_by: int | None = None, with_lease: bool = False) -> Flow[bool]:
        """Delete in one transaction, then empty the write-ahead log of SQLite, so that no file holds the content."""
        at = self._now()
        is_thread = yield from self.database.erase(
            lambda it: removing.delete(it, thread_id, at, expired_by, with_lease=with_lease)
        )
        yield from self.database.scrub_erased()
        return is_thread

    def threads(
        self,
        *,
        owner: Owner | None = None,
        labels: frozenset[bytes] = frozenset(),
        used_since: int = 0,
        after: str | None = None,
        limit: int = 100,
    ) -> Flow[list[ThreadRow]]:
        """List one page, in the order of code points."""
        values: dict[str, Any] = {"at": self._now(), "limit": limit, "after": after, "used_since": used_since}
        values |= {} if owner is None else {"tenant": owner.tenant_id, "user": owner.user_id}
        values |= {f"label_{place}": label for place, label in enumerate(sorted(labels))}

        def body(connection: Connection) -> list[ThreadRow]:
            shape = listing.Listing(
                dialect=connection.dialect.name,
                has_owner=owner is not None,
                labels=len(labels),
                is_recent=used_since > 0,
                is_continued=after is not None,
            )
            return [_thread(*row) for row in connection.execute(listing.listing(shape), values)]

        return (yield from self.database.read(body))

    def last_use(self, owner: Owner) -> Flow[int | None]:
        """Look at the owner's rows, which an index has together."""
        values = {"at": self._now(), "tenant": owner.tenant_id, "user": owner.user_id}
        found: int | None = yield from self.database.read(
            lambda it: it.execute(listing.LAST_USE, values).scalar_one_or_none()
        )
        return found

    def expired(self, *, at: int, limit: int = 100) -> Flow[list[str]]:
        """List them, the longest expired first."""
        values = {"at": at, "limit": limit}
        found = yield from self.database.read(lambda it: it.execute(listing.EXPIRED, values).scalars().all())
        return list(found)

    def lease(self, thread_id: str, holder: str, *, at: int, until: int) -> Flow[bool]:
        """Insert the row, or take it over, in one statement; what others left behind, who were killed, goes."""
        values = {"thread_id": thread_id, "holder": holder, "until": until, "at": at}

        def body(connection: Connection) -> bool:
            connection.execute(rows.DELETE_ENDED_LEASES, {"at": at})
            return bool(rows.LEASE.rows(connection, values))

        return (yield from self.database.write(body))

    def release(self, thread_id: str, holder: str) -> Flow[None]:
        """Delete the row if it is the holder's."""
        values = {"thread": thread_id, "by": holder}
        yield from self.database.write(lambda it: it.execute(rows.RELEASE, values).rowcount)

    def _now(self) -> int:
        return to_micros(self._clock()) or 0


def _thread(  # noqa: PLR0917  (a row, unpacked)
    thread_id: str, tenant_id: str, user_id: str | None, created_at: int, last_used_at: int, expires_at: int | None
) -> ThreadRow:
    owner = None if user_id is None else Owner(tenant_id, user_id)
    return ThreadRow(thread_id, owner, created_at, last_used_at, expires_at)

"""The contract of threads on a SQL database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, func, select

from langchain_agentmem._flow import run
from langchain_agentmem.checkpoints.sql import SQLThreads
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import CHECKPOINTS, ITEMS, LEASES, NAMESPACES, THREAD_LABELS, THREADS, WRITES
from tests.contracts.threads_contract import Holds, ThreadsContract
from tests.ledgers import Drive
from tests.threads import NOW, SECOND, Put, Removing, everything, put, remove, write

TABLES = (THREADS, LEASES, THREAD_LABELS, NAMESPACES, CHECKPOINTS, WRITES, ITEMS)


class SQLThreadsContract(ThreadsContract):
    """Laws of `Threads`, and those of SQL."""

    @pytest.fixture
    def threads(self, sql_url: str) -> Iterator[SQLThreads]:
        database = Database(sql_url)
        yield SQLThreads(database)
        database.close()

    @pytest.fixture
    def holds(self, threads: SQLThreads) -> Holds:
        def count(connection: Connection) -> int:
            return sum(connection.execute(select(func.count()).select_from(table)).scalar_one() for table in TABLES)

        return lambda: run(threads.database.read(count))

    async def test_a_sweep_leaves_what_was_begun_anew(self, threads: SQLThreads, drive: Drive, holds: Holds) -> None:
        """Whoever deletes what had expired deletes neither what somebody began since, nor a lease for it."""
        await drive(threads.change("t", Put("1", [b"x"]), at=NOW - 9, expires_at=NOW - 5))
        await drive(threads.lease("t", "holder", at=NOW, until=NOW + 36_000 * SECOND))
        assert await drive(threads.expired(at=NOW)) == ["t"]
        await drive(put(threads, Put("2")))
        assert await drive(threads.delete("t", expired_by=NOW)) is False
        assert [row.thread_id for row in await drive(threads.threads())] == ["t"]
        await drive(threads.change("t", Put("3"), at=NOW - 3, expires_at=NOW - 2))
        await drive(threads.delete("t", expired_by=NOW))
        assert holds() == 1
        assert not await drive(threads.lease("t", "other", at=NOW, until=NOW + 36_000 * SECOND))

    async def test_a_lease_that_ended_leaves_nothing(self, threads: SQLThreads, drive: Drive, holds: Holds) -> None:
        """Also where its holder was killed, and nobody ever asks for that thread again."""
        await drive(threads.lease("t", "one", at=NOW - 9 * SECOND, until=NOW - 5 * SECOND))
        await drive(threads.lease("u", "two", at=NOW, until=NOW + 36_000 * SECOND))
        await drive(threads.release("u", "two"))
        assert holds() == 0

    async def test_a_uuid_is_stored_in_17_bytes(self, threads: SQLThreads, drive: Drive) -> None:
        """Ids of checkpoints, parents and tasks that are UUIDs take half the bytes of their text."""
        first, second = (f"1f000000-0000-6000-8000-00000000000{digit}" for digit in "12")
        draft = Put(second, parent_id=first, writes=[write(second, task_id=first), write(second, task_id="task")])
        await drive(put(threads, draft))
        columns = (CHECKPOINTS.c.checkpoint_id, CHECKPOINTS.c.parent_id, NAMESPACES.c.head, WRITES.c.task_id)

        def lengths(connection: Connection) -> list[list[int]]:
            return [sorted(map(len, connection.execute(select(column)).scalars())) for column in columns]

        assert await drive(threads.database.read(lengths)) == [[17], [17], [17], [5, 17]]

    async def test_an_emptied_thread_is_one_row(self, threads: SQLThreads, drive: Drive, holds: Holds) -> None:
        """Namespaces go with their last row, also those that had writes only."""
        await drive(put(threads, Put("1", [b"x"], writes=[write("1"), write("2", ns="sub")])))
        await drive(remove(threads, Removing(everything)))
        assert holds() == 1

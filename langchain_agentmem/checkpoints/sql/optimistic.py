"""Threads on PostgreSQL in as few round trips as can be: one to change a thread that is in use, two to read it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoints.base import Draft, Query, Reader, ThreadState
from langchain_agentmem.checkpoints.seen import Seen
from langchain_agentmem.checkpoints.sql import at_once, changing, reading
from langchain_agentmem.checkpoints.sql.thread import OpenThread
from langchain_agentmem.checkpoints.turns import Turns
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.prepared import Transaction

MAX_NAMES: Final = 64
"""Namespaces of one thread that are remembered."""


class Optimistic:
    """Changes and reads what a thread was last seen as; what does not fit goes through a whole transaction.

    Args:
        database: Where the tables are, on PostgreSQL.
    """

    def __init__(self, database: Database) -> None:
        """Nothing is opened yet."""
        self._database = database
        self._seen = Seen(_together)
        self._turns = Turns()

    def change(self, thread_id: str, draft: Draft, at: int, expires_at: int | None) -> Flow[ThreadState]:
        """Change a thread; see `Threads.change`."""
        has_turn = yield from self._turns.wait(thread_id)
        try:
            thread = yield from self._change_at_once(thread_id, draft, at, expires_at)
            if thread is None:
                thread = yield from self._change_locked(thread_id, draft, at, expires_at)
        except BaseException:
            self._seen.drop(thread_id)
            raise
        finally:
            if has_turn:
                self._turns.end(thread_id)
        self._remember(thread_id, thread)
        return thread.state()

    def load(self, thread_id: str, query: Query, reader: Reader, at: int, expires_at: int | None) -> Flow[None]:
        """Read a thread; see `Threads.load`."""
        thread, is_whole = None, False
        if expires_at is None and reading.is_of_one(query):
            thread, is_whole = yield from self._load_singly(thread_id, query, reader, at)
        if not is_whole:
            thread = yield from self._load(thread_id, query, reader, at, expires_at)
        if thread is not None:
            self._remember(thread_id, thread)

    def _remember(self, thread_id: str, thread: OpenThread) -> None:
        if thread.version is not None:
            self._seen.put(thread_id, thread)

    def _change_at_once(self, thread_id: str, draft: Draft, at: int, expires_at: int | None) -> Flow[OpenThread | None]:
        seen = self._seen.get(thread_id)
        change = None if seen is None else at_once.draft_on(seen, draft, at)
        if seen is None or change is None:
            return None

        def body(connection: Transaction) -> OpenThread | None:
            return at_once.apply(connection, seen, change, at, expires_at)

        return (yield from self._database.write_prepared(body, singly=True))

    def _change_locked(self, thread_id: str, draft: Draft, at: int, expires_at: int | None) -> Flow[OpenThread]:
        def body(connection: Transaction) -> OpenThread:
            return changing.apply(connection, thread_id, draft, at, expires_at)

        return (yield from self._database.write_prepared(body))

    def _load_singly(
        self, thread_id: str, query: Query, reader: Reader, at: int
    ) -> Flow[tuple[OpenThread | None, bool]]:
        def body(connection: Transaction) -> tuple[OpenThread | None, bool]:
            return reading.load_singly(connection, thread_id, query, reader, at)

        return (yield from self._database.read_prepared(body, singly=True))

    def _load(
        self, thread_id: str, query: Query, reader: Reader, at: int, expires_at: int | None
    ) -> Flow[OpenThread | None]:
        def body(connection: Transaction) -> OpenThread | None:
            return reading.load(connection, thread_id, query, reader, at, expires_at)

        run = self._database.read_prepared if expires_at is None else self._database.write_prepared
        return (yield from run(body))


def _together(known: OpenThread, thread: OpenThread) -> OpenThread:
    """Return what a thread is, with what is known of other namespaces while it is of the same version."""
    if known.version != thread.version:
        return thread
    refs, heads = {**known.refs, **thread.refs}, {**known.heads, **thread.heads}
    return replace(thread, refs=refs, heads=heads) if len(refs) <= MAX_NAMES else thread

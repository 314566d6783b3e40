"""One SQL database: whole transactions, run sync or awaited.

A transaction body is an ordinary function of an SQLAlchemy `Connection`. Sync callers run it on their thread. Awaited,
it runs natively on PostgreSQL (the async driver of psycopg under SQLAlchemy's greenlet bridge) and in the executor on
SQLite, which has no network to wait for. A body is retried by nobody and spans no model call.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import StaticPool

from langchain_agentmem._checks import check_patience, check_timeout
from langchain_agentmem._flow import Flow, Step, arun, in_executor, run, step, work
from langchain_agentmem._marks import Marks, Owner, Standing
from langchain_agentmem._patience import DEFAULT_ANSWER_TIMEOUT_S, DEFAULT_BUSY_TIMEOUT_S, Breaker
from langchain_agentmem.errors import StorageError
from langchain_agentmem.sql import sqlite
from langchain_agentmem.sql.cancelling import check_cancelled, run_unless
from langchain_agentmem.sql.driver import DriverConnection, DriverConnections, Mode
from langchain_agentmem.sql.loops import WRITERS_LEVEL, loop_engines
from langchain_agentmem.sql.marks import holds_sealed, mark_if_empty, standing, unmarked
from langchain_agentmem.sql.patient import patient, unhurried
from langchain_agentmem.sql.postgres import Manner, PostgresConnections
from langchain_agentmem.sql.prepared import Transaction
from langchain_agentmem.sql.readers import fit, watch
from langchain_agentmem.sql.schema_version import ensure_schema, is_current
from langchain_agentmem.sql.scrubbing import REWRITTEN_AT_ONCE, is_in_log
from langchain_agentmem.sql.translate import is_written, translated
from langchain_agentmem.sql.url import parse_url, shown_url

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

T = TypeVar("T")
Body: TypeAlias = Callable[[Connection], T]
PreparedBody: TypeAlias = Callable[[Transaction], T]

POOL_SIZE: Final = 8


class Database:
    """A SQLite file, a SQLite database in memory, or a PostgreSQL database, with its schema brought up to date.

    Usable at once; the first transaction opens it and applies pending migrations under a lock. Usable from several
    threads, and from several event loops in one process.

    Args:
        url: `sqlite:///file.db`, `sqlite://` (in memory), or `postgresql://…`.
        durable: SQLite only: survive power loss for every acknowledged write (`synchronous=FULL`). Without it an
            acknowledged write survives the end of the process, and of the machine up to its last checkpoint.
        busy_timeout_s: How long a SQLite writer waits for another one before `StorageError(is_retryable=True)`; 0: not.
        answer_timeout_s: The same for PostgreSQL's answer to a statement, migrations apart; `None`: for ever.

    Raises:
        ConfigurationError: The URL is malformed, names another database, or a file that cannot be ours; or a time is.
    """

    def __init__(
        self,
        url: str,
        *,
        durable: bool = False,
        busy_timeout_s: float = DEFAULT_BUSY_TIMEOUT_S,
        answer_timeout_s: float | None = DEFAULT_ANSWER_TIMEOUT_S,
    ) -> None:
        """Check the URL; nothing is opened yet."""
        self.url = parse_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.is_memory = self.is_sqlite and self.url.database in {None, "", ":memory:"}
        if self._is_file:
            sqlite.check_file(str(self.url.database))
        busy_timeout_s = check_patience("busy_timeout_s", busy_timeout_s)
        self._options = sqlite.Options(durable=durable, busy_timeout_s=busy_timeout_s)
        self._breaker = Breaker(shown_url(self.url), is_tried=self.is_sqlite)
        self._lock = threading.RLock()
        self._opening = threading.Lock()
        self._turns = threading.RLock()
        self._sync: Engine | None = None
        self._driver = DriverConnections(self.url, self._options) if self._is_file else None
        self._answer_timeout_s = check_timeout("answer_timeout_s", answer_timeout_s)
        self._async = loop_engines(self.url, POOL_SIZE, answer_timeout_s)
        self._postgres = None if self.is_sqlite else PostgresConnections(self.url, answer_timeout_s)
        self.marks = Marks()
        self._is_open = self.is_closed = False
        self._pid = os.getpid()

    @property
    def _is_file(self) -> bool:
        return self.is_sqlite and not self.is_memory

    # ------------------------------------------------------------------------------------------------- transactions
    def read(self, body: Body[T]) -> Flow[T]:
        """Run `body` in one read transaction and return what it returns."""
        return self._transaction(body, "read")

    def write(self, body: Body[T]) -> Flow[T]:
        """Run `body` in one write transaction, all of it or nothing; cancelled before it commits, it is rolled back."""
        return self._transaction(body, "write")

    def erase(self, body: Body[T]) -> Flow[T]:
        """Write like `write` what is to be scrubbed; SQLite looks for no reference to what is deleted."""
        return self._transaction(body, "erase")

    def directly(self, body: Body[T], mode: Mode) -> Flow[T]:
        """Run `body` likewise; of a file it gets no `Connection` but what prepared statements want, and `execute`."""
        return self._transaction(body, mode, directly=True)

    def read_prepared(self, body: PreparedBody[T], *, singly: bool = False) -> Flow[T]:
        """Read like `read`, by prepared statements; `singly`: PostgreSQL may run each by itself, and all twice."""
        return self._prepared(body, "read", "read singly" if singly else "read")

    def write_prepared(self, body: PreparedBody[T], *, singly: bool = False) -> Flow[T]:
        """Write like `write`, as `read_prepared` reads; `singly`: PostgreSQL may commit each statement by itself."""
        return self._prepared(body, "write", "write singly" if singly else "write")

    def open(self) -> Flow[None]:
        """Open the database and bring its schema up to date, once; every transaction does it when needed.

        Raises:
            MigrationError: The schema is newer than this code, or a migration failed.
            StorageError: The database cannot be reached.
        """
        if not self._is_open:
            yield from step(self._migrate_blocking, self._migrate_awaiting)

    def agree(self) -> Flow[None]:
        """Hold what is expected of its parts against what the database says, as the next transaction would."""
        if self.marks.due:
            with self._watched("read"):
                yield from self._begin()

    def holds_sealed(self) -> Flow[bool]:
        """Return whether anything in it is sealed; it asks as the next transaction would, and marks nothing."""
        yield from self.open()
        return bool((yield from self._step(self._run_blocking, partial(holds_sealed, marks=self.marks), "read")))

    def standing(self, owner: Owner) -> Flow[Standing]:
        """Return what it has of a user that takes keys."""
        return self._transaction(partial(standing, owner=owner), "read")

    def _begin(self) -> Flow[None]:
        """Open; hold what users of this object expect against what the database says, and mark what they seal first."""
        yield from self.open()
        if self.marks.is_waived or not self.marks.due:
            return
        asked, keys = self.marks.due, (yield from self.marks.keys())
        if (yield from self._step(self._run_blocking, partial(unmarked, marks=self.marks, keys=keys), "read")):
            marking = self._step(self._run_blocking, partial(mark_if_empty, marks=self.marks, keys=keys), "write")
            if not (yield from is_written(marking)):
                return  # nothing is sealed there either; whoever can write marks it
        self.marks.agreed(asked)

    def scrub(self, up_to: float = REWRITTEN_AT_ONCE) -> Flow[None]:
        """Take what was erased out of our files of SQLite's: its write-ahead log is emptied, the file written anew.

        A file with more bytes in use than `up_to` stays marked, or without room for a copy; with `inf` that fails.

        Raises:
            StorageError: Another connection is in use, or there is no room (both retryable).
        """
        if self._is_file:
            yield from work(partial(self._scrub, up_to))

    def scrub_erased(self, up_to: float = REWRITTEN_AT_ONCE) -> Flow[None]:
        """Scrub where that is left to do after an `erase`, or a scrub that failed, of whatever process; see `scrub`."""
        mark = yield from self.unscrubbed()
        if is_in_log(mark) or (mark and up_to == inf):
            yield from self.scrub(up_to)

    def unscrubbed(self) -> Flow[int]:
        """Return what is left to do of erasures in a file of SQLite's; see `scrubbing`. 0: nothing is."""
        return (yield from work(self._file().mark)) if self._is_file else 0

    def _transaction(self, body: Body[T], mode: Mode, *, directly: bool = False) -> Flow[T]:
        with self._watched(mode):
            if self.marks.due or not self._is_open:
                yield from self._begin()
            blocking: Any = self._run_on_driver if directly and self._is_file else self._run_blocking
            result: T = yield Step(blocking, partial(self._run_awaiting, blocking), (body, mode))
            return result

    def _prepared(self, body: PreparedBody[T], mode: Mode, manner: Manner) -> Flow[T]:
        if self._postgres is None:
            return (yield from self._transaction(body, mode, directly=True))
        with self._watched(mode):
            if self.marks.due or not self._is_open:
                yield from self._begin()
            result: T = yield Step(self._run_on_postgres, self._await_postgres, (body, manner))
            return result

    def _watched(self, mode: Mode) -> AbstractContextManager[None]:
        """Return what keeps one call after the other from waiting in vain; who reads a file of SQLite's never waits."""
        return nullcontext() if self._is_file and mode == "read" else self._breaker.watched()

    def _step(self, blocking: Callable[..., Any], body: Callable[..., Any], mode: Mode) -> Flow[Any]:
        return step(partial(blocking, body, mode), partial(self._run_awaiting, blocking, body, mode))

    def _run_on_driver(
        self, body: Callable[[DriverConnection], T], mode: Mode, cancelled: threading.Event | None = None
    ) -> T:
        if self.is_closed or self._pid != os.getpid():
            self._check_usable()
        if cancelled is not None:
            body = partial(run_unless, cancelled, body)
        if mode != "read":
            self._wait_for_turn()
        try:
            return self._file().run(body, mode, waits=not self._breaker.is_resting)
        finally:
            if mode != "read":
                self._turns.release()

    def _run_on_postgres(self, body: PreparedBody[T], manner: Manner) -> T:
        with translated():
            return run(self._usable_postgres().run(body, manner))

    async def _await_postgres(self, body: PreparedBody[T], manner: Manner) -> T:
        with translated():
            return await arun(self._usable_postgres().run(body, manner))

    def _run_blocking(self, body: Body[T], mode: Mode, cancelled: threading.Event | None = None) -> T:
        if self._is_file:
            return self._run_on_driver(lambda taken: body(taken.alchemy), mode, cancelled)
        engine = self._engine()
        with self._turn(), translated(), engine.connect() as connection:
            fit(connection, self._execution_options(mode), writes=mode != "read")
            with connection.begin():
                result = body(connection)
                check_cancelled(cancelled)
            return result

    async def _run_awaiting(self, blocking: Callable[..., T], body: Body[T], mode: Mode) -> T:
        if self.is_sqlite:
            return await self._run_in_executor(blocking, body, mode)
        with translated():
            async with self._async_engine().connect() as connection:
                await connection.run_sync(fit, self._execution_options(mode), writes=mode != "read")
                async with connection.begin():
                    return await connection.run_sync(body)

    @staticmethod
    async def _run_in_executor(blocking: Callable[..., T], body: Body[T], mode: Mode) -> T:
        """Await a blocking transaction; cancelled, it rolls back before the cancellation goes on."""
        cancelled = threading.Event()
        running = asyncio.ensure_future(in_executor(blocking, body, mode, cancelled))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            cancelled.set()
            await asyncio.wait([running])
            raise

    def _execution_options(self, mode: Mode) -> dict[str, str]:
        """Return options under which a reader sees the state of one moment; a writer sees what it waited for."""
        if self.is_sqlite:
            return {"agentmem_mode": mode}
        return {"isolation_level": "REPEATABLE READ"} if mode == "read" else {}

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Take turns on the one connection of a database in memory."""
        if not self.is_memory:
            yield
            return
        self._wait_for_turn()
        try:
            yield
        finally:
            self._turns.release()

    def _wait_for_turn(self) -> None:
        """Wait as the only user of a database in memory, or the only writer of a file in this process.

        Threads that wait for a lock go on at once; SQLite's own waiting sleeps, and longer each time.

        Raises:
            StorageError: It is another thread's turn for longer than `busy_timeout_s`.
        """
        if not self._turns.acquire(timeout=0 if self._breaker.is_resting else self._options.busy_timeout_s):
            msg = f"another thread has written for {self._options.busy_timeout_s} s; retry, or write less at a time"
            raise StorageError(msg, is_retryable=True) from TimeoutError()

    # ------------------------------------------------------------------------------------------------------ engines
    def _engine(self) -> Engine:
        with self._lock:
            self._check_usable()
            self._sync = self._sync or self._create()
            return self._sync

    def _file(self) -> DriverConnections:
        assert self._driver is not None  # noqa: S101  (asked only where there is one)
        return self._driver

    def _usable_postgres(self) -> PostgresConnections:
        self._check_usable()
        assert self._postgres is not None  # noqa: S101  (likewise)
        return self._postgres

    def _create(self) -> Engine:
        if not self.is_sqlite:
            engine = create_engine(self.url, pool_size=POOL_SIZE, hide_parameters=True, isolation_level=WRITERS_LEVEL)
            connect = patient(self._answer_timeout_s).blocking.connect
            event.listen(engine, "do_connect", lambda _dialect, _record, args, named: connect(*args, **named))
            watch(engine)
            return engine
        engine = create_engine(
            self.url, poolclass=StaticPool, connect_args=self._options.connect_args(), hide_parameters=True
        )
        event.listen(engine, "connect", self._options.prepare)
        event.listen(engine, "begin", sqlite.begin)
        return engine

    def _async_engine(self) -> AsyncEngine:
        with self._lock:
            self._check_usable()
            return self._async.current().engine

    def _check_usable(self) -> None:
        if self.is_closed:
            msg = f"the database {shown_url(self.url)} was closed; open another AgentMemory or Database"
            raise StorageError(msg)
        self._leave_parent()

    def _leave_parent(self) -> None:
        """In a forked child, let go of its parent's connections without closing them: the parent uses them on."""
        if self._pid != os.getpid():
            self._pid = os.getpid()
            self._turns = threading.RLock()  # the parent may have held it
            self._async.forget()
            if self._postgres is not None:
                self._postgres.forget()
            if self._driver is not None:
                self._driver.forget()
            if self._sync is not None and not self.is_memory:
                self._sync.dispose(close=False)

    # ------------------------------------------------------------------------------------------------------ opening
    def _migrate_blocking(self) -> None:
        with self._opening:
            if not self._is_open:
                if not self._run_blocking(is_current, "read"):
                    self._run_blocking(unhurried(ensure_schema), "write")
                self._is_open = True

    async def _migrate_awaiting(self) -> None:
        """Look by a connection of the loop; what is to be changed waits in a thread for others that change theirs."""
        if self.is_sqlite:
            await in_executor(self._migrate_blocking)
        elif not await self._run_awaiting(self._run_blocking, is_current, "read"):
            await in_executor(self._migrate_blocking)
            self._engine().dispose()  # nobody may want it again
        self._is_open = True

    def _scrub(self, up_to: float) -> None:
        self._check_usable()
        self._wait_for_turn()
        try:
            with translated():
                left = self._file().scrub(up_to)
        finally:
            self._turns.release()
        if is_in_log(left):
            msg = "another connection is in use: what was erased stays in the write-ahead log until the next scrub"
            raise StorageError(msg, is_retryable=True)
        if left and up_to == inf:
            msg = "the file was not written anew: the disk is full, or somebody is writing; make room, and retry"
            raise StorageError(msg, is_retryable=True)

    # ------------------------------------------------------------------------------------------------------ closing
    def close(self) -> None:
        """Release every connection of every thread and event loop. Calling it again does nothing."""
        with self._lock:
            self.is_closed = True
            self._leave_parent()
            if self._sync is not None:
                self._sync.dispose()
                self._sync = None
            if self._driver is not None:
                self._driver.close()
            self._async.close()
            if self._postgres is not None:
                self._postgres.close()

    async def aclose(self) -> None:
        """Release every connection; those of the running event loop are closed politely."""
        with self._lock:
            taken = self._async.take_current()
        if taken is not None:
            await taken.engine.dispose()
        self.close()

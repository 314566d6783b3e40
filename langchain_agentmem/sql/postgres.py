"""Transactions on psycopg's own connections, for bodies that use prepared statements alone.

What SQLAlchemy does around a transaction (checking a connection out, asking whether it still answers, objects for it
and for its beginning) takes longer than a small transaction. Here a connection is not asked: that its server has closed
it is seen on its socket. A transaction that could not even begin is begun once more, on a new connection; what may have
changed something is never repeated.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeAlias, TypeVar

from sqlalchemy import Dialect
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.util import await_only, greenlet_spawn

from langchain_agentmem._checks import check_timeout
from langchain_agentmem._flow import Flow, Step
from langchain_agentmem._patience import DEFAULT_ANSWER_TIMEOUT_S, ran_out
from langchain_agentmem.errors import StorageError
from langchain_agentmem.sql.alive import has_input
from langchain_agentmem.sql.loops import PerLoop
from langchain_agentmem.sql.patient import patient
from langchain_agentmem.sql.prepared import as_usual
from langchain_agentmem.sql.readers import is_outlived, is_reader

if TYPE_CHECKING:
    from sqlalchemy import URL

T = TypeVar("T")
P = TypeVar("P")
Manner: TypeAlias = Literal["read", "write", "read singly", "write singly"]
"""All statements in one transaction, or each a transaction of its own."""

_WRITING: Final = ("write", "write singly")

MAX_OPEN: Final = 8
"""Connections of all threads, and of each event loop: as many as a pool of SQLAlchemy's keeps open."""

TURN_TIMEOUT_S: Final = 30.0
"""How long to wait for one of them, as with a pool of SQLAlchemy's."""

_SHUTDOWN: Final = "57P"
"""Errors of a server that ends connections (PostgreSQL, appendix A: 57P01 to 57P05)."""

_BEGIN: Final = {"read": "BEGIN ISOLATION LEVEL REPEATABLE READ", "write": "BEGIN ISOLATION LEVEL READ COMMITTED"}
"""A writer sees what those before it have written once it has their lock, whatever the server begins by itself."""

_SET_ISOLATION: Final = (
    "SELECT set_config('default_transaction_isolation', 'read committed', false) "
    "WHERE current_setting('default_transaction_isolation') <> 'read committed'"
)
"""For statements that are a transaction each; it changes nothing where the server's own default is the same."""


class PostgresConnections:
    """Connections to one PostgreSQL database, each used by one thread or task at a time.

    Args:
        url: The database.
        answer_timeout_s: How long the server may leave a statement without an answer.
    """

    def __init__(self, url: URL, answer_timeout_s: float | None = DEFAULT_ANSWER_TIMEOUT_S) -> None:
        """Nothing is opened yet."""
        self._url = url
        self._answer_timeout_s = check_timeout("answer_timeout_s", answer_timeout_s)
        self._lock = threading.Lock()
        self._shared = _shared_pool()
        self._loops = PerLoop(_pool_of_loop, _Pool.close)

    def run(self, body: Callable[[Link], T], manner: Manner) -> Flow[T]:
        """Run a body; what it did is committed at its end, and rolled back at an error.

        A body that reads singly may be run twice.

        Raises:
            StorageError: No connection became free in time (retryable).
            DBAPIError: The database failed.
        """
        link = yield from self._take(is_new=False, writes=manner in _WRITING)
        try:
            return (yield from _on(link, body, manner))
        except DBAPIError:
            if not link.is_repeatable:
                raise
        finally:
            link.pool.give_back(link)
        link = yield from self._take(is_new=True, writes=False)
        try:
            return (yield from _on(link, body, manner))
        finally:
            link.pool.give_back(link)

    def close(self) -> None:
        """Close every connection; one that is in use is closed when its transaction ends."""
        with self._lock:
            self._shared.close()
            self._loops.close()

    def forget(self) -> None:
        """Let go of every connection without closing it: they are a parent process's."""
        self._lock = threading.Lock()  # the parent may have held it
        _left_behind.extend([self._shared, *self._loops.forget()])
        self._shared = _shared_pool()

    def _take(self, *, is_new: bool, writes: bool) -> Flow[Link]:
        link: Link = yield Step(self._take_blocking, self._take_awaiting, (is_new, writes))
        return link

    def _take_blocking(self, is_new: bool, writes: bool) -> Link:  # noqa: FBT001  (the arguments of a step)
        pool = self._shared
        try:
            pool.permits.get(timeout=TURN_TIMEOUT_S)
        except queue.Empty:
            raise _crowded() from None
        try:
            link = None if is_new else pool.take(writes=writes)
            return link or Link(pool, self._connect())
        except BaseException as error:
            pool.permits.put(None)
            _raise_as_usual(error)
            raise

    async def _take_awaiting(self, is_new: bool, writes: bool) -> Link:  # noqa: FBT001  (the arguments of a step)
        with self._lock:
            pool = self._loops.current()
        try:
            async with asyncio.timeout(TURN_TIMEOUT_S if pool.permits.locked() else None):
                await pool.permits.acquire()
        except TimeoutError:
            raise _crowded() from None
        try:
            link = None if is_new else pool.take(writes=writes)
            return link or AwaitedLink(pool, await self._aconnect())
        except BaseException as error:
            pool.permits.release()
            _raise_as_usual(error)
            raise

    def _connect(self) -> Any:  # noqa: ANN401  (no type: the driver is optional)
        opened = patient(self._answer_timeout_s).blocking.connect(**self._arguments())
        try:
            opened.execute(_SET_ISOLATION)
        except BaseException:
            opened.pgconn.finish()
            raise
        return opened

    async def _aconnect(self) -> Any:  # noqa: ANN401  (no type: the driver is optional)
        opened = await patient(self._answer_timeout_s).awaited.connect(**self._arguments())
        try:
            await opened.execute(_SET_ISOLATION)
        except BaseException:
            opened.pgconn.finish()
            raise
        return opened

    def _arguments(self) -> dict[str, Any]:
        _, arguments = _dialect().create_connect_args(self._url)  # type: ignore[no-untyped-call]  # SQLAlchemy's
        return {**arguments, "autocommit": True}


class _Pool(Generic[P]):
    """Connections that wait for their next transaction, and the permits of those that are in use.

    Args:
        permits: Given for each connection that is taken.
        give: How a permit is given back.
    """

    def __init__(self, permits: P, give: Callable[[P], None]) -> None:
        self.permits = permits
        self._give = give
        self._idle: list[Link] = []  # whose methods are atomic
        self._is_closed = False

    def take(self, *, writes: bool) -> Link | None:
        """Return a connection that can be used, the one that was used last."""
        while self._idle:
            with suppress(IndexError):  # another thread took it
                link = self._idle.pop()
                if link.is_fit(writes=writes):
                    return link
        return None

    def give_back(self, link: Link) -> None:
        """Keep a connection if it can be used again."""
        if link.is_idle:
            self._idle.append(link)
        else:
            link.close()
        if self._is_closed:
            self.close()
        self._give(self.permits)

    def close(self) -> None:
        """Close every connection that is not in use, and soon those that are."""
        self._is_closed = True
        while self._idle:
            with suppress(IndexError):
                self._idle.pop().close()


class Link:
    """A connection, as `Prepared` wants it: values come in binary, half as many bytes and nothing to parse.

    Attributes:
        driver: The driver's connection.
        pool: Where it goes back to.
        is_repeatable: Whether what it was used for has failed without having done anything, for it was dead before.
    """

    __slots__ = ("_cursor", "_idle", "_was_used", "dialect", "driver", "is_repeatable", "pool")

    def __init__(self, pool: _Pool[Any], driver: Any) -> None:  # noqa: ANN401  (no type: the driver is optional)
        self.pool = pool
        self.driver = driver
        self.dialect: Dialect = _dialect()
        self.is_repeatable = False
        self._idle = _psycopg().pq.TransactionStatus.IDLE
        self._was_used = False
        self._cursor = self._wrapped(driver.cursor(binary=True))

    @property
    def connection(self) -> Link:
        """What gives cursors."""
        return self

    def cursor(self) -> KeptCursor:
        """Return the cursor of this connection; each statement is done with before the next."""
        return self._cursor

    def execute(self, sql: str, values: Any) -> KeptCursor:  # noqa: ANN401  (as the driver takes them)
        """Run a statement, as a connection of the driver does."""
        self._cursor.execute(sql, values)
        return self._cursor

    @property
    def is_idle(self) -> bool:
        """Whether it is alive and in no transaction."""
        return bool(self.driver.pgconn.transaction_status == self._idle)

    def is_fit(self, *, writes: bool) -> bool:
        """Whether its server has not closed it, as far as is known here, and lets it write if it is to; else close."""
        self._was_used = True
        if self.is_idle and not has_input(self.driver.pgconn.socket) and not (writes and is_reader(self.driver)):
            return True
        self.close()  # what comes unasked is a farewell, or so rare that a new connection does no harm
        return False

    def failed(self, error: Exception, *, is_unchanged: bool) -> None:
        """Note whether what failed can be repeated, if it is because the connection was lost."""
        sqlstate = str(getattr(getattr(error, "orig", None), "sqlstate", None) or "")
        is_lost = self.driver.closed or sqlstate.startswith(_SHUTDOWN)
        self.is_repeatable = is_unchanged and self._was_used and bool(is_lost) and not ran_out(error)
        if is_outlived(self.driver, getattr(error, "orig", None)):
            self.close()

    def close(self) -> None:
        """Close the socket itself: the loop that would close it politely may be gone."""
        self.driver.pgconn.finish()

    @staticmethod
    def _wrapped(cursor: Any) -> KeptCursor:  # noqa: ANN401  (no type: the driver is optional)
        return KeptCursor(cursor, cursor.execute, cursor.executemany, cursor.fetchall, cursor.fetchmany)


class AwaitedLink(Link):
    """A connection of an event loop; bodies wait for it as if it blocked."""

    __slots__ = ()

    @staticmethod
    def _wrapped(cursor: Any) -> KeptCursor:  # noqa: ANN401  (no type: the driver is optional)
        methods = (cursor.execute, cursor.executemany, cursor.fetchall, cursor.fetchmany)
        return KeptCursor(cursor, *map(_blocking, methods))


class KeptCursor:
    """A cursor that is used again and again: a new one for each statement costs as much as a short statement."""

    __slots__ = ("_cursor", "execute", "executemany", "fetchall", "fetchmany")

    def __init__(
        self,
        cursor: Any,  # noqa: ANN401  (no type: the driver is optional)
        execute: Callable[..., Any],
        executemany: Callable[..., Any],
        fetchall: Callable[[], list[tuple[Any, ...]]],
        fetchmany: Callable[[int], list[tuple[Any, ...]]],
    ) -> None:
        self._cursor = cursor
        self.execute = execute
        self.executemany = executemany
        self.fetchall = fetchall
        self.fetchmany = fetchmany

    @property
    def rowcount(self) -> int:
        """How many rows were found or changed."""
        return int(self._cursor.rowcount)

    def close(self) -> None:
        """Stay open."""


def _blocking(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return an async method of the driver for code that does not await."""
    return lambda *arguments: await_only(method(*arguments))


_left_behind: Final[list[_Pool[Any]]] = []
"""Connections of a parent process; collected as garbage, they would warn that nobody has closed them."""


def _shared_pool() -> _Pool[queue.SimpleQueue[None]]:
    """Return a pool for threads; a queue of permits costs a tenth of a semaphore."""
    permits: queue.SimpleQueue[None] = queue.SimpleQueue()
    for _ in range(MAX_OPEN):
        permits.put(None)
    return _Pool(permits, lambda it: it.put(None))


def _pool_of_loop() -> _Pool[asyncio.Semaphore]:
    return _Pool(asyncio.Semaphore(MAX_OPEN), asyncio.Semaphore.release)


def _on(link: Link, body: Callable[[Link], T], manner: Manner) -> Flow[T]:
    """Run a body on a connection."""
    begin = _BEGIN.get(manner)
    is_unchanged = True
    try:
        if begin is not None:
            yield from _execute(link, begin)
        is_unchanged = manner == "read singly"
        result: T = yield Step(body, partial(greenlet_spawn, body), (link,))
        if begin is not None:
            yield from _execute(link, "COMMIT")
    except Exception as error:
        link.failed(error, is_unchanged=is_unchanged)
        yield from _roll_back(link)
        raise
    except BaseException:  # cancelled: the server may still be at it
        link.close()
        raise
    return result


def _roll_back(link: Link) -> Flow[None]:
    """End a transaction that failed; a connection on which that fails too is not used again."""
    if link.driver.closed or link.is_idle:
        return
    try:
        yield from _execute(link, "ROLLBACK")
    except DBAPIError:
        link.close()


def _execute(link: Link, sql: str) -> Flow[None]:
    try:
        yield Step(link.driver.execute, link.driver.execute, (sql,))
    except BaseException as error:
        _raise_as_usual(error)
        raise


def _raise_as_usual(error: BaseException) -> None:
    if isinstance(error, _psycopg().Error):
        raise as_usual(error, _dialect()) from error


def _crowded() -> StorageError:
    msg = f"each of {MAX_OPEN} connections was in use for {TURN_TIMEOUT_S:.0f} s; retry, or do less at a time"
    return StorageError(msg, is_retryable=True)


@cache
def _psycopg() -> Any:  # noqa: ANN401  (a module; it is optional, and loaded with the first connection)
    import psycopg

    return psycopg


@cache
def _dialect() -> PGDialect_psycopg:
    return PGDialect_psycopg(dbapi=_psycopg())  # type: ignore[no-untyped-call]  # likewise

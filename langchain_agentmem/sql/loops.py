"""Async engines, one per event loop: a connection that a loop opened can be awaited by that loop only."""

from __future__ import annotations

import asyncio
import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import event

if TYPE_CHECKING:
    from sqlalchemy import URL, AdaptedConnection
    from sqlalchemy.ext.asyncio import AsyncEngine


@dataclass(slots=True)
class _Pool:
    """An engine and the driver's connections that it opened."""

    engine: AsyncEngine
    drivers: weakref.WeakSet[Any] = field(default_factory=weakref.WeakSet)

    def remember(self, connection: AdaptedConnection, _record: object) -> None:
        self.drivers.add(connection.driver_connection)

    def end(self) -> None:
        """Close the sockets themselves: the loop that would close them politely is gone, or another thread's."""
        self.engine.sync_engine.dispose(close=False)
        for driver in list(self.drivers):
            driver.pgconn.finish()


class LoopEngines:
    """The async engines of one database. Calls are serialised by their caller.

    What an event loop left open when it was closed (`asyncio.run` does so each time) is closed when the next one comes.
    """

    def __init__(self, url: URL, pool_size: int) -> None:
        """Nothing is opened yet."""
        self._url = url
        self._pool_size = pool_size
        self._pools: dict[asyncio.AbstractEventLoop, _Pool] = {}

    def current(self) -> AsyncEngine:
        """Return the engine of the running event loop."""
        loop = asyncio.get_running_loop()
        pool = self._pools.get(loop)
        if pool is None:
            self._end_of_closed_loops()
            pool = self._pools[loop] = self._create()
        return pool.engine

    def take_current(self) -> AsyncEngine | None:
        """Return the engine of the running event loop and forget it; whoever takes it closes it."""
        pool = self._pools.pop(asyncio.get_running_loop(), None)
        return None if pool is None else pool.engine

    def close(self) -> None:
        """Close every connection of every event loop."""
        pools, self._pools = list(self._pools.values()), {}
        for pool in pools:
            pool.end()

    def forget(self) -> None:
        """Let go of every connection without closing it."""
        self._pools = {}

    def _create(self) -> _Pool:
        from sqlalchemy.ext.asyncio import create_async_engine

        pool = _Pool(create_async_engine(self._url, pool_size=self._pool_size, pool_pre_ping=True))
        event.listen(pool.engine.sync_engine, "connect", pool.remember)
        return pool

    def _end_of_closed_loops(self) -> None:
        for loop in [loop for loop in self._pools if loop.is_closed()]:
            self._pools.pop(loop).end()

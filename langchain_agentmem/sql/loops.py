"""Things that belong to one event loop each: a connection that a loop opened can be awaited by that loop only."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from sqlalchemy import event

from langchain_agentmem.sql.patient import patient
from langchain_agentmem.sql.readers import watch

if TYPE_CHECKING:
    from sqlalchemy import URL, AdaptedConnection
    from sqlalchemy.ext.asyncio import AsyncEngine

T = TypeVar("T")

WRITERS_LEVEL: Final = "READ COMMITTED"
"""A writer sees what it waited for, whatever the server's default is."""


class PerLoop(Generic[T]):
    """One thing per event loop. Calls are serialised by their caller.

    What an event loop left open when it was closed (`asyncio.run` does so each time) is ended when the next one comes.

    Args:
        create: Makes one for the running event loop.
        end: Closes what one holds open, without its loop: that is gone, or another thread's.
    """

    def __init__(self, create: Callable[[], T], end: Callable[[T], None]) -> None:
        """Nothing is made yet."""
        self._create = create
        self._end = end
        self._things: dict[asyncio.AbstractEventLoop, T] = {}

    def current(self) -> T:
        """Return the one of the running event loop."""
        loop = asyncio.get_running_loop()
        thing = self._things.get(loop)
        if thing is None:
            for closed in [it for it in self._things if it.is_closed()]:
                self._end(self._things.pop(closed))
            thing = self._things[loop] = self._create()
        return thing

    def take_current(self) -> T | None:
        """Return the one of the running event loop and forget it; whoever takes it ends it."""
        return self._things.pop(asyncio.get_running_loop(), None)

    def close(self) -> None:
        """End those of every event loop."""
        things, self._things = list(self._things.values()), {}
        for thing in things:
            self._end(thing)

    def forget(self) -> list[T]:
        """Let go of every one without ending it."""
        things, self._things = list(self._things.values()), {}
        return things


@dataclass(slots=True)
class LoopConnections:
    """An async engine and the driver's connections that it opened."""

    engine: AsyncEngine
    drivers: weakref.WeakSet[Any] = field(default_factory=weakref.WeakSet)

    def remember(self, connection: AdaptedConnection, _record: object) -> None:
        """Note a connection that was opened."""
        self.drivers.add(connection.driver_connection)

    def end(self) -> None:
        """Close the sockets themselves: the loop that would close them politely is gone, or another thread's."""
        self.engine.sync_engine.dispose(close=False)
        for driver in list(self.drivers):
            driver.pgconn.finish()


def loop_engines(url: URL, pool_size: int, answer_timeout_s: float | None) -> PerLoop[LoopConnections]:
    """Return the async engines of one database, a PostgreSQL one."""

    def create() -> LoopConnections:
        from sqlalchemy.ext.asyncio import create_async_engine

        arguments = {"async_creator_fn": patient(answer_timeout_s).awaited.connect}
        engine = create_async_engine(
            url, pool_size=pool_size, connect_args=arguments, hide_parameters=True, isolation_level=WRITERS_LEVEL
        )
        made = LoopConnections(engine)
        event.listen(made.engine.sync_engine, "connect", made.remember)
        watch(made.engine.sync_engine)
        return made

    return PerLoop(create, LoopConnections.end)

"""How what stands on a database is opened and closed."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from langchain_agentmem._flow import arun, run

if TYPE_CHECKING:
    from langchain_agentmem.redis.database import RedisDatabase
    from langchain_agentmem.sql.engine import Database


class Opened:
    """Usable at once, and as a sync or async context manager that releases what was opened."""

    _database: Database
    _redis: RedisDatabase | None
    _parts: tuple[Any, Any]

    def open(self) -> Self:
        """Open the database and apply pending migrations now rather than with the first call."""
        run(self._database.open())
        return self

    async def aopen(self) -> Self:
        """Open the database now; see `open`."""
        await arun(self._database.open())
        return self

    def close(self) -> None:
        """Release every connection."""
        self._database.close()
        if self._redis is not None:
            self._redis.close()
        run(self._parts[0].index.close())

    async def aclose(self) -> None:
        """Release every connection."""
        await self._database.aclose()
        if self._redis is not None:
            await self._redis.aclose()
        await arun(self._parts[0].index.close())

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return await self.aopen()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

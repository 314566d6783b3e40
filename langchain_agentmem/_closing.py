"""What holds connections, as a sync and async context manager."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Protocol, Self


class Closable(Protocol):
    """A database, whatever speaks to it."""

    def close(self) -> None:
        """Release every connection."""
        ...

    async def aclose(self) -> None:
        """Release every connection."""
        ...


class Closing(ABC):
    """Closes what was opened for a URL, and leaves alone what was given."""

    @abstractmethod
    def _release(self) -> Closable | None:
        """Let go of what was opened here; `None`: there is nothing to close."""

    def close(self) -> None:
        """Release the connections that were opened for a URL; a database that was given stays open."""
        opened = self._release()
        if opened is not None:
            opened.close()

    async def aclose(self) -> None:
        """Release the connections that were opened for a URL; see `close`."""
        opened = self._release()
        if opened is not None:
            await opened.aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

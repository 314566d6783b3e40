"""A view that is kept in memory: one caller at a time changes it, and no change is left half made."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from struct import error as struct_error
from typing import Any, Final, Generic, TypeVar

from langchain_agentmem.errors import AgentMemError, IntegrityError, StorageError

V = TypeVar("V")
Row = TypeVar("Row", bound=tuple[Any, ...])

_UNREADABLE: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, struct_error)
"""What comes of a value that is no such value: SQLite keeps one of any type in any column."""

_SPOILT: Final = (
    "another call was broken off while it changed what both of them search; repeat this one, which reads it anew"
)
_REMEDIES: Final = {
    "memory": "run verify(); replay() makes it anew from the log, or restore a backup",
    "episode": "run verify(), drop it, and ingest its conversation again, or restore a backup",
}


@dataclass(slots=True)
class CachedView(Generic[V]):
    """A view and the lock that guards it, so that two threads bring it up to date once.

    Attributes:
        is_spoilt: A change of it did not come to its end: nobody asks it any more.
    """

    view: V
    lock: threading.Lock = field(default_factory=threading.Lock)
    nbytes: int = 0
    is_spoilt: bool = False

    @contextmanager
    def alone(self) -> Iterator[V]:
        """Be alone with the view, to change or ask it; whatever breaks that off, an interrupt too, leaves it spoilt.

        Raises:
            StorageError: Another call has spoilt it since it was taken from the cache (retryable).
        """
        with self.lock:
            if self.is_spoilt:
                raise StorageError(_SPOILT, is_retryable=True)
            try:
                yield self.view
            except BaseException:
                self.is_spoilt = True
                raise


@contextmanager
def taking(what: str, rows: Callable[[], Sequence[Row]], take: Callable[[Sequence[Row]], object]) -> Iterator[None]:
    """Bring a view up to date: where a row is none that this package wrote, say which.

    Args:
        what: What each row is of, "memory" or "episode"; its first field is the id.
        rows: Returns what the view takes in.
        take: Lets an empty view take some of them in.

    Raises:
        IntegrityError: A row cannot be read.
    """
    try:
        yield
    except AgentMemError:
        raise
    except _UNREADABLE as error:
        row = _first_unreadable(rows(), take)
        if row is None:
            raise
        msg = f"what is stored of {what} {row[0]!r} cannot be searched ({type(error).__name__}); {_REMEDIES[what]}"
        raise IntegrityError(msg) from error


def _first_unreadable(rows: Sequence[Row], take: Callable[[Sequence[Row]], object]) -> Row | None:
    """Return a row that alone is not taken in either: halves are tried, so that it costs about what all of them did."""
    while len(rows) > 1:
        half = rows[: len(rows) // 2]
        rows = rows[len(half) :] if _is_taken(half, take) else half
    return rows[0] if rows and not _is_taken(rows, take) else None


def _is_taken(rows: Sequence[Row], take: Callable[[Sequence[Row]], object]) -> bool:
    try:
        take(rows)
    except _UNREADABLE:
        return False
    return True

"""Whether an error says that something is away, and how long that is waited for.

Stores, drivers and providers have errors of their own, which have nothing in common but their names and numbers.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from langchain_agentmem.errors import AgentMemError, ConflictError

_OUT_OF_REACH: Final = (
    *("connect", "timeout", "transporterror", "operationalerror"),
    *("ratelimit", "throttl", "unavailable", "overloaded"),
)
"""In the names of errors of httpx, redis-py, psycopg, asyncpg and SQLAlchemy; and of those who sell models."""

_AWAY_STATUS: Final = frozenset({401, 402, 403, 408, 425, 429, 502, 503, 504, 529})
"""Answers of HTTP that say nothing of what was asked: keys and accounts are mended, limits pass. 500 may be either."""

_OF_CONTENT: Final = frozenset({400, 404, 405, 406, 410, 411, 413, 414, 415, 422})
"""Answers that a repetition does not change."""

IS_AWAY_FOR: Final = timedelta(days=7)
"""So long a job waits for what cannot be reached: whoever is on leave is back, and has mended it."""

FAILS_FOR: Final = timedelta(days=1)
"""So long for what answers, and fails for reasons that may pass: it may be this one job that it never does."""

NOT: Final = timedelta()


def is_out_of_reach(error: BaseException | None) -> bool:
    """Whether an error says that a server did not answer, by its own kind or that of what it came from."""
    while error is not None:
        if isinstance(error, OSError) and error.filename is None:  # else it is about a file
            return True
        if any(sign in kind.__name__.lower() for kind in type(error).__mro__ for sign in _OUT_OF_REACH):
            return True
        if _status_of(error) in _AWAY_STATUS:
            return True
        error = error.__cause__ or error.__context__
    return False


def is_passing(error: Exception) -> bool:
    """Whether what somebody else's code raised may be otherwise the next time."""
    if is_out_of_reach(error):
        return True
    return (
        not isinstance(error, (TypeError, ValueError, LookupError, NotImplementedError))
        and _status_of(error) not in _OF_CONTENT
    )


def patience_with(error: Exception) -> timedelta:
    """Return how long a job that failed so is put off before its tries count; `NOT`: they count from the first."""
    if isinstance(error, ConflictError) or (
        isinstance(error, AgentMemError) and not getattr(error, "is_retryable", False)
    ):
        return NOT
    if is_out_of_reach(error):
        return IS_AWAY_FOR
    return FAILS_FOR if isinstance(error, AgentMemError) else NOT


def _status_of(error: BaseException) -> int | None:
    for holder in (error, getattr(error, "response", None)):
        status = getattr(holder, "status_code", None)
        if isinstance(status, int):
            return status
    return None

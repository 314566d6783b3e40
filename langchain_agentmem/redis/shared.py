"""Databases that are named by their URL alone: one per URL, prefix and process, connected when first used.

For objects that LangChain makes anew for every call, such as histories: each would otherwise open its own connections.
"""

from __future__ import annotations

import atexit
import threading
from typing import Final

from langchain_agentmem.redis.database import DEFAULT_PREFIX, RedisDatabase

_databases: Final[dict[tuple[str, str], RedisDatabase]] = {}
_lock: Final = threading.Lock()


def shared(url: str, *, prefix: str = DEFAULT_PREFIX) -> RedisDatabase:
    """Return this process's database of a URL and prefix, until it is released.

    Raises:
        ConfigurationError: The URL or the prefix cannot work.
    """
    with _lock:
        database = _databases.get((url, prefix))
        if database is None:
            database = _databases[url, prefix] = RedisDatabase(url, prefix=prefix)
        return database


def release(url: str, *, prefix: str = DEFAULT_PREFIX) -> RedisDatabase | None:
    """Forget a database and return it, for the caller to close."""
    with _lock:
        return _databases.pop((url, prefix), None)


@atexit.register
def _close_all() -> None:
    for url, prefix in list(_databases):
        database = release(url, prefix=prefix)
        if database is not None:
            database.close()

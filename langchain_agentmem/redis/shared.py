"""Databases that are named by their URL alone: one per URL, prefix and process, connected when first used.

For objects that LangChain makes anew for every call, such as histories: each would otherwise open its own connections.
Those that use a database are known, but not kept alive by that: it is closed with the last of them, and no one's call
breaks because another one is done.
"""

from __future__ import annotations

import atexit
import threading
from dataclasses import dataclass, field
from typing import Final
from weakref import WeakSet

from langchain_agentmem.redis.database import DEFAULT_PREFIX, RedisDatabase


@dataclass(slots=True)
class _Entry:
    database: RedisDatabase
    users: WeakSet[object] = field(default_factory=WeakSet)


_entries: Final[dict[tuple[str, str], _Entry]] = {}
_lock: Final = threading.Lock()


def shared(url: str, user: object = None, *, prefix: str = DEFAULT_PREFIX) -> RedisDatabase:
    """Return this process's database of a URL and prefix, until it is released.

    Args:
        url: Which server or cluster.
        user: Who is going to use it, until it releases it or is gone.
        prefix: What every key begins with.

    Raises:
        ConfigurationError: The URL or the prefix cannot work.
    """
    with _lock:
        entry = _entries.get((url, prefix))
        if entry is None:
            entry = _entries[url, prefix] = _Entry(RedisDatabase(url, prefix=prefix))
        if user is not None:
            entry.users.add(user)
        return entry.database


def release(url: str, user: object = None, *, prefix: str = DEFAULT_PREFIX) -> RedisDatabase | None:
    """Forget a database and return it, for the caller to close; `None` while others than `user` use it.

    Without a user it is forgotten whoever uses it.
    """
    with _lock:
        entry = _entries.get((url, prefix))
        if entry is None:
            return None
        if user is not None:
            entry.users.discard(user)
            if entry.users:
                return None
        return _entries.pop((url, prefix)).database


@atexit.register
def _close_all() -> None:
    for url, prefix in list(_entries):
        database = release(url, prefix=prefix)
        if database is not None:
            database.close()

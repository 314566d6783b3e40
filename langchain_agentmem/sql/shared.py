"""Databases that are named by their URL alone: one per URL and process, opened when first used.

For objects that LangChain makes anew for every call, such as histories: each would otherwise open its own connections.
Those that use a database are known, but not kept alive by that: it is closed with the last of them, and no one's call
breaks because another one is done.
"""

from __future__ import annotations

import atexit
import os
import threading
from dataclasses import dataclass, field
from typing import Final
from weakref import WeakSet

from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.sql.engine import Database


@dataclass(slots=True)
class _Entry:
    database: Database
    was_there: bool = False
    users: WeakSet[object] = field(default_factory=WeakSet)


_entries: Final[dict[str, _Entry]] = {}
_lock: Final = threading.Lock()


def shared(url: str, user: object = None) -> Database:
    """Return this process's database of a URL, until it is released.

    A SQLite file that was deleted meanwhile is forgotten: the next file of that name is another database.

    Args:
        url: Which database.
        user: Who is going to use it, until it releases it or is gone.

    Raises:
        ConfigurationError: The URL is malformed or cannot be ours, or names SQLite in memory, which has no name.
    """
    with _lock:
        entry = _entries.get(url)
        if entry is not None and _is_gone(entry):
            _entries.pop(url).database.close()
            entry = None
        if entry is None:
            entry = _entries[url] = _Entry(_named(url))
        if user is not None:
            entry.users.add(user)
        return entry.database


def release(url: str, user: object = None) -> Database | None:
    """Forget the database of a URL and return it, for the caller to close; `None` while others than `user` use it.

    Without a user it is forgotten whoever uses it.
    """
    with _lock:
        entry = _entries.get(url)
        if entry is None:
            return None
        if user is not None:
            entry.users.discard(user)
            if entry.users:
                return None
        return _entries.pop(url).database


def _named(url: str) -> Database:
    database = Database(url)
    if database.is_memory:
        msg = (
            f"url {url!r} is a database in memory, which only its own object can reach; pass database=Database({url!r})"
        )
        raise ConfigurationError(msg)
    return database


def _is_gone(entry: _Entry) -> bool:
    """Whether its file was there before and is not any more."""
    if not entry.database.is_sqlite:
        return False
    is_there = os.path.exists(str(entry.database.url.database))  # noqa: PTH110  (asked on every call: half the price)
    is_gone = entry.was_there and not is_there
    entry.was_there = is_there
    return is_gone


@atexit.register
def _close_all() -> None:
    for url in list(_entries):
        database = release(url)
        if database is not None:
            database.close()

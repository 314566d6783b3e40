"""Databases that are named by their URL alone: one per URL and process, opened when first used.

For objects that LangChain makes anew for every call, such as histories: each would otherwise open its own connections.
"""

from __future__ import annotations

import atexit
import os
import threading
from dataclasses import dataclass
from typing import Final

from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.sql.engine import Database


@dataclass(slots=True)
class _Entry:
    database: Database
    was_there: bool = False


_entries: Final[dict[str, _Entry]] = {}
_lock: Final = threading.Lock()


def shared(url: str) -> Database:
    """Return this process's database of a URL, until it is released.

    A SQLite file that was deleted meanwhile is forgotten: the next file of that name is another database.

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
        return entry.database


def release(url: str) -> Database | None:
    """Forget the database of a URL and return it, for the caller to close."""
    with _lock:
        entry = _entries.pop(url, None)
    return None if entry is None else entry.database


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

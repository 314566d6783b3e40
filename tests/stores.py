"""What tests of stores share: a clock that stands, and stores opened on one database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from langchain_agentmem.sql.engine import Database
from langchain_agentmem.store.sql import SQLStore

Open: TypeAlias = Callable[..., SQLStore]


class StillClock:
    """A clock that stands until it is put forward."""

    def __init__(self) -> None:
        self.now = datetime(2026, 5, 4, 12, 0, 0, 123_456, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, *, minutes: float = 0, micros: int = 0) -> None:
        self.now += timedelta(minutes=minutes, microseconds=micros)


@contextmanager
def opening(url: str) -> Iterator[Open]:
    """Give a function that opens stores of one database: each its own connections, if others can reach it."""
    in_memory = Database(url) if url == "sqlite://" else None
    opened: list[SQLStore] = []

    def open_one(**settings: Any) -> SQLStore:
        store = SQLStore(in_memory, **settings) if in_memory else SQLStore.from_url(url, **settings)
        opened.append(store)
        return store

    yield open_one
    for store in opened:
        store.close()
    if in_memory:
        in_memory.close()


def keys(found: list[Any]) -> list[str]:
    return [item.key for item in found]

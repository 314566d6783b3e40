"""What tests of stores share: stores opened on one database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from langchain_agentmem.sql.engine import Database
from langchain_agentmem.store.sql import SQLStore

Open: TypeAlias = Callable[..., SQLStore]


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

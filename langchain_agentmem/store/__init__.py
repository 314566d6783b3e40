"""LangGraph's store over SQLite and PostgreSQL; imported when it is first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from langchain_agentmem.items.base import Erased, Reindexed
    from langchain_agentmem.store.records import memory_record
    from langchain_agentmem.store.sql import SQLStore

__all__ = ["Erased", "Reindexed", "SQLStore", "memory_record"]

_MODULES: Final = {
    "Erased": "langchain_agentmem.items.base",
    "Reindexed": "langchain_agentmem.items.base",
    "SQLStore": "langchain_agentmem.store.sql",
    "memory_record": "langchain_agentmem.store.records",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            msg = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(msg)
        value = getattr(importlib.import_module(_MODULES[name]), name)
        globals()[name] = value
        return value

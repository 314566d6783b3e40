"""LangGraph's store over SQLite and PostgreSQL; imported when it is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from langchain_agentmem._lazy import lazily

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
    __getattr__ = lazily(__name__, _MODULES)

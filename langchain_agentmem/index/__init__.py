"""Search: the port, what stands behind it, and how a vector store has to be laid out to hold it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from langchain_agentmem._lazy import lazily
from langchain_agentmem.index.layouts import postgres_columns, postgres_table, redis_schema

if TYPE_CHECKING:
    from langchain_agentmem.index.vector_store import VectorStoreIndex

__all__ = ["VectorStoreIndex", "postgres_columns", "postgres_table", "redis_schema"]

if not TYPE_CHECKING:
    __getattr__ = lazily(__name__, {"VectorStoreIndex": "vector_store"})

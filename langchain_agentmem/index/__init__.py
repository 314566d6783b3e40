"""Search: the port, what stands behind it, and how a vector store has to be laid out to hold it."""

from langchain_agentmem.index.layouts import postgres_columns, postgres_table, redis_schema

__all__ = ["postgres_columns", "postgres_table", "redis_schema"]

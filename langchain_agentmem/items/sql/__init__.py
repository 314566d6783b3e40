"""Items on SQLite and PostgreSQL."""

from langchain_agentmem.items.sql.items import SQLItems

__all__ = ["SQLItems"]

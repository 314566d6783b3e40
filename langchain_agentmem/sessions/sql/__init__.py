"""Sessions on SQLite and PostgreSQL."""

from langchain_agentmem.sessions.sql.sessions import SQLSessions

__all__ = ["SQLSessions"]

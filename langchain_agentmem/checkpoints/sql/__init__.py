"""Checkpoints on SQLite and PostgreSQL."""

from langchain_agentmem.checkpoints.sql.threads import SQLThreads

__all__ = ["SQLThreads"]

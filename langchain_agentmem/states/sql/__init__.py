"""Working states on SQLite and PostgreSQL."""

from langchain_agentmem.states.sql.states import SQLStates

__all__ = ["SQLStates"]

"""The ledger on SQLite and PostgreSQL."""

from langchain_agentmem.ledger.sql.ledger import SQLLedger

__all__ = ["SQLLedger"]

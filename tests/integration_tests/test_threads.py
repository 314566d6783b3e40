from __future__ import annotations

from tests.contracts.sql_threads_contract import SQLThreadsContract


class TestSQLThreads(SQLThreadsContract):
    """The contract on PostgreSQL."""

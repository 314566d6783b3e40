from __future__ import annotations

from tests.contracts.held_rows_contract import HeldRowsContract


class TestHeldRows(HeldRowsContract):
    """The contract on a SQLite file and in memory."""

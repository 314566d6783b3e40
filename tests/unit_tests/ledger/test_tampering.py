from __future__ import annotations

from tests.contracts.tamper_contract import TamperContract


class TestTampering(TamperContract):
    """The contract on a SQLite file and in memory."""

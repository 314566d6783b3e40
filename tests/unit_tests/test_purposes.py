"""How statements for different purposes meet, on SQLite, in a file and in memory."""

from __future__ import annotations

from tests.contracts.purposes_contract import PurposesContract


class TestPurposes(PurposesContract):
    """The whole contract."""

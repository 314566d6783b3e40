"""What users say to be over, on PostgreSQL."""

from __future__ import annotations

from tests.contracts.endings_contract import EndingsContract


class TestEndings(EndingsContract):
    """The whole contract."""

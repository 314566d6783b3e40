"""Memories of which a part is over, on SQLite."""

from __future__ import annotations

from tests.contracts.parts_contract import PartsContract


class TestParts(PartsContract):
    """The whole contract."""

"""Entities on SQLite, in a file and in memory."""

from __future__ import annotations

from tests.contracts.entities_contract import EntitiesContract


class TestEntities(EntitiesContract):
    """The whole contract."""

"""The laws of memories that hang together in an import, on PostgreSQL."""

from __future__ import annotations

from tests.contracts.imported_lives_contract import ImportedLivesContract


class TestImportedLives(ImportedLivesContract):
    """The contract."""

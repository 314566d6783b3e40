"""The laws of imports beside writers, on PostgreSQL."""

from __future__ import annotations

from tests.contracts.imports_contract import ImportsContract


class TestImports(ImportsContract):
    """The contract."""

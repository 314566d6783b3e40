from __future__ import annotations

from tests.contracts.kept_view_contract import KeptViewContract


class TestKeptView(KeptViewContract):
    """The contract on PostgreSQL."""

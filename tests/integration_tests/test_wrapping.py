from __future__ import annotations

from tests.contracts.wrap_contract import WrapContract


class TestWrap(WrapContract):
    """The contract on PostgreSQL."""

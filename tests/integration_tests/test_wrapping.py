from __future__ import annotations

from tests.contracts.history_contract import OnSQL
from tests.contracts.wrap_contract import WrapContract


class TestWrap(OnSQL, WrapContract):
    """The contract on PostgreSQL."""

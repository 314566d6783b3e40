from __future__ import annotations

from tests.contracts.head_contract import HeadContract
from tests.contracts.tamper_contract import TamperContract


class TestTampering(TamperContract):
    """The contract on PostgreSQL."""


class TestHeads(HeadContract):
    """The contract on PostgreSQL."""

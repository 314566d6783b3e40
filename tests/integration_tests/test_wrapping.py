from __future__ import annotations

from tests.contracts.history_contract import OnSQL
from tests.contracts.wrap_contract import WrapContract
from tests.contracts.wrap_input_contract import WrapInputContract


class TestWrap(OnSQL, WrapContract):
    """The contract on PostgreSQL."""


class TestWrapInput(OnSQL, WrapInputContract):
    """The contract of the input, on PostgreSQL."""

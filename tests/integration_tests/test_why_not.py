"""Why a memory was not recalled, on PostgreSQL."""

from __future__ import annotations

from tests.contracts.why_not_contract import WhyNotContract


class TestWhyNot(WhyNotContract):
    """The whole contract."""

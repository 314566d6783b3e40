"""Trust, conflicts and corrections on SQLite."""

from __future__ import annotations

from tests.contracts.trust_contract import TrustContract


class TestTrust(TrustContract):
    """The whole contract."""

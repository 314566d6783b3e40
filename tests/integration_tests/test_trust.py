"""Trust, conflicts and corrections on PostgreSQL."""

from __future__ import annotations

from typing import ClassVar

from tests.contracts.trust_contract import TrustContract
from tests.whole import ByTurns


class TestTrust(TrustContract):
    """Every other law; SQLite holds to all of them."""

    by_turns: ClassVar[ByTurns] = (TrustContract, 1)

"""How statements for different purposes meet, on PostgreSQL."""

from __future__ import annotations

from typing import ClassVar

from tests.contracts.purposes_contract import PurposesContract
from tests.whole import ByTurns


class TestPurposes(PurposesContract):
    """Every other law; SQLite holds to all of them."""

    by_turns: ClassVar[ByTurns] = (PurposesContract, 1)

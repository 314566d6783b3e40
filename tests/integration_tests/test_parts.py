"""Memories of which a part is over, on PostgreSQL."""

from __future__ import annotations

from typing import ClassVar

from tests.contracts.parts_contract import PartsContract
from tests.whole import ByTurns


class TestParts(PartsContract):
    """The whole contract."""

    by_turns: ClassVar[ByTurns] = (PartsContract, 1)

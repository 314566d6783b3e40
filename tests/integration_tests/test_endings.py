"""What users say to be over, on PostgreSQL."""

from __future__ import annotations

from typing import ClassVar

from tests.contracts.endings_contract import EndingsContract
from tests.whole import ByTurns


class TestEndings(EndingsContract):
    """The whole contract."""

    by_turns: ClassVar[ByTurns] = (EndingsContract, 1)

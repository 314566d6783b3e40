from __future__ import annotations

from typing import ClassVar

from tests.contracts.kept_view_contract import KeptViewContract
from tests.whole import ByTurns


class TestKeptView(KeptViewContract):
    """The contract on PostgreSQL."""

    by_turns: ClassVar[ByTurns] = (KeptViewContract, 1)

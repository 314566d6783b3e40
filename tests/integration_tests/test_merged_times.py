"""From when until when what was merged holds, on PostgreSQL."""

from __future__ import annotations

from typing import ClassVar

from tests.contracts.merged_times_contract import MergedTimesContract
from tests.whole import ByTurns


class TestMergedTimes(MergedTimesContract):
    """The contract."""

    by_turns: ClassVar[ByTurns] = (MergedTimesContract, 1)

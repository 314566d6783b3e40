"""Time travel on PostgreSQL."""

from __future__ import annotations

from typing import ClassVar

from tests.contracts.timeline_contract import TimelineContract
from tests.whole import ByTurns


class TestTimeline(TimelineContract):
    """Every other law; SQLite holds to all of them."""

    by_turns: ClassVar[ByTurns] = (TimelineContract, 1)

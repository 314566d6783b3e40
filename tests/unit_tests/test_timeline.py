"""Time travel on SQLite, in a file and in memory."""

from __future__ import annotations

from tests.contracts.timeline_contract import TimelineContract


class TestTimeline(TimelineContract):
    """The whole contract."""

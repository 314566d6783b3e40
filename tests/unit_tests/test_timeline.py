"""Time travel on SQLite, in a file and in memory."""

from __future__ import annotations

from tests.contracts.agents_back_contract import AgentsBackContract
from tests.contracts.coming_back_contract import ComingBackContract
from tests.contracts.marked_back_contract import MarkedBackContract
from tests.contracts.timeline_contract import TimelineContract
from tests.contracts.undo_goals_contract import UndoGoalsContract
from tests.contracts.undo_later_contract import UndoLaterContract


class TestTimeline(TimelineContract):
    """The whole contract."""


class TestUndoLater(UndoLaterContract):
    """The whole contract."""


class TestUndoGoals(UndoGoalsContract):
    """The whole contract."""


class TestComingBack(ComingBackContract):
    """The whole contract."""


class TestMarkedBack(MarkedBackContract):
    """The whole contract."""


class TestAgentsBack(AgentsBackContract):
    """The whole contract."""

"""Time travel on PostgreSQL."""

from __future__ import annotations

from typing import ClassVar

from tests.contracts.agents_back_contract import AgentsBackContract
from tests.contracts.coming_back_contract import ComingBackContract
from tests.contracts.marked_back_contract import MarkedBackContract
from tests.contracts.timeline_contract import TimelineContract
from tests.contracts.undo_goals_contract import UndoGoalsContract
from tests.contracts.undo_later_contract import UndoLaterContract
from tests.whole import ByTurns


class TestTimeline(TimelineContract):
    """Every other law; SQLite holds to all of them."""

    by_turns: ClassVar[ByTurns] = (TimelineContract, 1)


class TestUndoLater(UndoLaterContract):
    """Every other law; SQLite holds to all of them."""

    by_turns: ClassVar[ByTurns] = (UndoLaterContract, 1)


class TestUndoGoals(UndoGoalsContract):
    """Every other law; SQLite holds to all of them."""

    by_turns: ClassVar[ByTurns] = (UndoGoalsContract, 1)


class TestComingBack(ComingBackContract):
    """Every other law; SQLite holds to all of them."""

    by_turns: ClassVar[ByTurns] = (ComingBackContract, 1)


class TestMarkedBack(MarkedBackContract):
    """Every other law; SQLite holds to all of them."""

    by_turns: ClassVar[ByTurns] = (MarkedBackContract, 1)


class TestAgentsBack(AgentsBackContract):
    """Every other law; SQLite holds to all of them."""

    by_turns: ClassVar[ByTurns] = (AgentsBackContract, 1)

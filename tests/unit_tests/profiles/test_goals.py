"""Goals on SQLite, in a file and in memory."""

from __future__ import annotations

from tests.contracts.goals_contract import GoalsContract


class TestGoals(GoalsContract):
    """The whole contract."""

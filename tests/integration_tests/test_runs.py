"""Recorded runs on PostgreSQL."""

from __future__ import annotations

from typing import ClassVar

from tests.contracts.runs_contract import RunsContract
from tests.whole import ByTurns


class TestRuns(RunsContract):
    """Every other law; SQLite holds to all of them."""

    by_turns: ClassVar[ByTurns] = (RunsContract, 1)

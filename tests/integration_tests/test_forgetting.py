"""Forgetting on PostgreSQL: every other law of what SQLite holds to."""

from __future__ import annotations

from typing import ClassVar

from tests.contracts.forgetting_contract import ForgettingContract
from tests.whole import ByTurns


class TestForgetting(ForgettingContract):
    """The contract."""

    by_turns: ClassVar[ByTurns] = (ForgettingContract, 1)

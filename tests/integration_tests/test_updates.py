"""Statements that change, on PostgreSQL."""

from __future__ import annotations

from typing import ClassVar

from tests.contracts.updates_contract import UpdatesContract
from tests.whole import ByTurns


class TestUpdates(UpdatesContract):
    """The whole contract."""

    by_turns: ClassVar[ByTurns] = (UpdatesContract, 1)

"""Entities on PostgreSQL."""

from __future__ import annotations

from typing import ClassVar

from tests.contracts.entities_contract import EntitiesContract
from tests.whole import ByTurns


class TestEntities(EntitiesContract):
    """The whole contract."""

    by_turns: ClassVar[ByTurns] = (EntitiesContract, 1)

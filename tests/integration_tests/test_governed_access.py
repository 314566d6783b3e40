"""Who may do what with the parts that govern a memory, on PostgreSQL."""

from __future__ import annotations

from typing import ClassVar

from tests.contracts.governed_access_contract import GovernedAccessContract
from tests.whole import ByTurns


class TestGovernedAccess(GovernedAccessContract):
    """The whole contract."""

    by_turns: ClassVar[ByTurns] = (GovernedAccessContract, 1)

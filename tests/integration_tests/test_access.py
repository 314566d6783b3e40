"""Who may do what with whose memory, on PostgreSQL."""

from __future__ import annotations

from typing import ClassVar

from tests.contracts.access_contract import AccessContract
from tests.whole import ByTurns


class TestAccess(AccessContract):
    """Every other law; SQLite holds to all of them."""

    by_turns: ClassVar[ByTurns] = (AccessContract, 1)

"""Why a memory was not recalled, on PostgreSQL."""

from __future__ import annotations

from typing import ClassVar

from tests.contracts.why_not_contract import WhyNotContract
from tests.whole import ByTurns


class TestWhyNot(WhyNotContract):
    """The whole contract."""

    by_turns: ClassVar[ByTurns] = (WhyNotContract, 1)

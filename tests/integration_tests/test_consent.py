"""Consent by kind and purpose, on PostgreSQL."""

from __future__ import annotations

from typing import ClassVar

from tests.contracts.consent_contract import ConsentContract
from tests.whole import ByTurns


class TestConsent(ConsentContract):
    """Every other law; SQLite holds to all of them."""

    by_turns: ClassVar[ByTurns] = (ConsentContract, 1)

"""Turns whose consequences wait, on SQLite, in a file and in memory."""

from __future__ import annotations

from tests.contracts.turns_contract import TurnsContract


class TestTurns(TurnsContract):
    """The whole contract."""

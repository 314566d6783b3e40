"""Recorded runs on SQLite, in a file and in memory."""

from __future__ import annotations

from tests.contracts.runs_contract import RunsContract


class TestRuns(RunsContract):
    """The whole contract."""

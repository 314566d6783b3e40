"""Recorded runs on PostgreSQL."""

from __future__ import annotations

from tests.contracts.runs_contract import RunsContract


class TestRuns(RunsContract):
    """The whole contract."""

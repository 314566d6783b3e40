"""One user among many, on SQLite."""

from __future__ import annotations

from tests.contracts.scale_contract import ScaleContract


class TestScale(ScaleContract):
    """The whole contract."""

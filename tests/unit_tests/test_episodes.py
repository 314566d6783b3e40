"""Episodes on SQLite, in a file and in memory."""

from __future__ import annotations

from tests.contracts.episodes_contract import EpisodesContract
from tests.contracts.pointers_contract import PointersContract, TrimmedPointersContract


class TestEpisodes(EpisodesContract):
    """The whole contract."""


class TestPointers(PointersContract):
    """Conversations in the same file."""


class TestTrimmedPointers(TrimmedPointersContract):
    """Conversations of limited length."""

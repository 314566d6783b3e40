"""The order of answers on PostgreSQL."""

from __future__ import annotations

from tests.contracts.neighbours_contract import NeighboursContract
from tests.contracts.ranking_contract import (
    ContradictionsContract,
    DuplicatesContract,
    NoDiversityContract,
    RerankerContract,
)
from tests.contracts.sources_contract import SourcesContract


class TestDuplicates(DuplicatesContract):
    """The whole contract."""


class TestNoDiversity(NoDiversityContract):
    """The whole contract."""


class TestReranker(RerankerContract):
    """The whole contract."""


class TestContradictions(ContradictionsContract):
    """The whole contract."""


class TestSources(SourcesContract):
    """The whole contract."""


class TestNeighbours(NeighboursContract):
    """The whole contract."""

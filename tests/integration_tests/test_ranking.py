"""The order of answers on PostgreSQL."""

from __future__ import annotations

from typing import ClassVar

from tests.contracts.neighbours_contract import NeighboursContract
from tests.contracts.ranking_contract import (
    ContradictionsContract,
    DuplicatesContract,
    NoDiversityContract,
    RerankerContract,
)
from tests.contracts.sources_contract import SourcesContract
from tests.whole import ByTurns


class TestDuplicates(DuplicatesContract):
    """The whole contract."""

    by_turns: ClassVar[ByTurns] = (DuplicatesContract, 1)


class TestNoDiversity(NoDiversityContract):
    """The whole contract."""

    by_turns: ClassVar[ByTurns] = (NoDiversityContract, 1)


class TestReranker(RerankerContract):
    """The whole contract."""

    by_turns: ClassVar[ByTurns] = (RerankerContract, 1)


class TestContradictions(ContradictionsContract):
    """The whole contract."""

    by_turns: ClassVar[ByTurns] = (ContradictionsContract, 1)


class TestSources(SourcesContract):
    """The whole contract."""

    by_turns: ClassVar[ByTurns] = (SourcesContract, 1)


class TestNeighbours(NeighboursContract):
    """The whole contract."""

    by_turns: ClassVar[ByTurns] = (NeighboursContract, 1)

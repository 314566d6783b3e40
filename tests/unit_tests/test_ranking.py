"""The order of answers on SQLite, in a file and in memory."""

from __future__ import annotations

import pytest

from langchain_agentmem import ConfigurationError, Weights
from langchain_agentmem.options import MemoryOptions
from tests.contracts.neighbours_contract import NeighboursContract
from tests.contracts.ranking_contract import (
    ContradictionsContract,
    DuplicatesContract,
    FakeReranker,
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


@pytest.mark.parametrize("reranker", ["cohere", 3, FakeReranker, object()])
def test_a_reranker_is_a_document_compressor(reranker: object) -> None:
    """Anything else, its class too, is refused at construction."""
    with pytest.raises(ConfigurationError, match="reranker must be a LangChain document compressor"):
        MemoryOptions(reranker=reranker)


@pytest.mark.parametrize("diversity", [-0.1, 1.1, float("nan"), "much"])
def test_a_weight_of_diversity_is_a_share(diversity: object) -> None:
    """Beyond one, what is near would be worth less than nothing."""
    with pytest.raises(ConfigurationError, match="diversity"):
        Weights(diversity=diversity)  # type: ignore[arg-type]  # that is the test

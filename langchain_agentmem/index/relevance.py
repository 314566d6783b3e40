"""From two signals to one relevance that means something by itself.

Scores relative to a result list (ranks, z-scores) order well but cannot say "nothing here is relevant": the best of
twenty bad answers always looks like the best. Here both signals are absolute, and so is what they are fused to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from langchain_agentmem._checks import check_unit
from langchain_agentmem.errors import ConfigurationError

Scores = NDArray[np.float32] | NDArray[np.float64]


UNRELATED_COSINE: Final = 0.18
"""all-MiniLM-L6-v2: 600 pairs of an everyday question and a memory it has nothing to do with, in the user's voice, had
a mean cosine of 0.07 with a standard deviation of 0.07. Of 42 questions about the world, a third of them near what is
remembered, half find nothing with it."""

NEARER_TO_ONESELF: Final = 0.08
"""By how much less counts where the user asks about themselves: their memory likely holds it. Of 150 such questions
(`benchmarks/everyday.py`) 92 % are answered among the first three with it."""

VECTOR_WEIGHT: Final = 0.8
LEXICAL_WEIGHT: Final = 0.9
"""Measured on five conversations of LoCoMo (one turn a row): recall at 10 of 68.7 %, at 5 of 59.1 %, where z-scores of
the same signals reach 67.7 and 58.3; a question's best hit in its own conversation ranks above the best in another one
with an AUC of 0.99 (z-scores: 0.65). Weighted sums were no better in either, the maximum of the two finds far less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevance:
    """How a cosine and a BM25 share become one relevance: as independent evidence, 1 - (1 - a·v)(1 - b·l).

    Either signal alone can make a row relevant: an invoice number by its exact words, a paraphrase without a common
    word by its vector.

    Args:
        unrelated_cosine: Cosine of texts that have nothing to do with each other under the embedding model in use:
            it and all below counts as 0, and 1 stays 1.
        nearer_to_oneself: By how much that cosine is lower where the user asks about themselves.
        vector_weight: Relevance of a perfect cosine alone. `lexical_weight`: of a perfect BM25 share alone.
    """

    unrelated_cosine: float = UNRELATED_COSINE
    nearer_to_oneself: float = NEARER_TO_ONESELF
    vector_weight: float = VECTOR_WEIGHT
    lexical_weight: float = LEXICAL_WEIGHT

    def __post_init__(self) -> None:
        """Check the numbers."""
        for name in ("unrelated_cosine", "nearer_to_oneself", "vector_weight", "lexical_weight"):
            check_unit(name, getattr(self, name))
        if self.unrelated_cosine == 1:
            msg = "unrelated_cosine must be below 1; for example 0.15"
            raise ConfigurationError(msg)

    def fuse(self, cosines: Scores | None, shares: Scores | None, *, is_of_oneself: bool = False) -> Scores | None:
        """Return the relevance of every row, in [0, 1]; `None` where there is neither signal.

        Args:
            cosines: In [0, 1], 0 where a row has no vector; `None`: there is nothing to compare vectors with, and
                words decide alone.
            shares: In [0, 1]; `None`: the query has no words to match.
            is_of_oneself: Whether the user asks about themselves.
        """
        if cosines is None:
            return None if shares is None else shares.copy()
        unrelated = max(0.0, self.unrelated_cosine - (self.nearer_to_oneself if is_of_oneself else 0.0))
        by_vector = np.maximum(0.0, cosines - unrelated) * (self.vector_weight / (1 - unrelated))
        if shares is None:
            return by_vector
        fused: Scores = 1 - (1 - by_vector) * (1 - self.lexical_weight * shares)
        return fused

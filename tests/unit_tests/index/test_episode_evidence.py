"""What is taken as evidence that anything answers."""

from __future__ import annotations

import numpy as np

from langchain_agentmem.index.episode_evidence import evidence_of
from langchain_agentmem.index.episode_signals import Matched


def test_where_nothing_that_may_answer_has_a_vector_words_tell_alone() -> None:
    """A question that was asked before may have one, and what answers it none yet."""
    found = [(np.array([0]), np.array([1.0]))]
    cosines, none = np.array([-np.inf, 0.9]), np.zeros(2, np.bool_)
    matched = Matched(
        said=found,
        replied=[(np.array([], int), np.array([]))],
        blocks=found,
        cosines=cosines,
        echoes=none,
        is_named=False,
    )
    assert evidence_of(matched, np.array([True, False]), 0, 0.0).nearest is None
    assert evidence_of(matched, np.array([True, True]), 0, 0.0).nearest == 0.9

"""What the episodes of one user have in common with a question, as evidence that one of them answers it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from langchain_agentmem.index.bm25 import Found, Mask, Slots, idf, rarity
from langchain_agentmem.index.episode_signals import Matched, Scores
from langchain_agentmem.policies.answering import Evidence


def evidence_of(matched: Matched, visible: Mask, best: int, elsewhere: float) -> Evidence:
    """Return the evidence for one question.

    Args:
        matched: Where its words stand, and what is nearest.
        visible: The episodes that may answer; statistics are taken from them.
        best: The slot of the episode that fits best.
        elsewhere: What others than those named say fits better by so much.
    """
    documents = int(np.count_nonzero(visible))
    pairs = zip(matched.said, matched.replied, strict=True)
    holders = [np.union1d(_holding(said), _holding(replied)) for said, replied in pairs]
    weights = [rarity(documents, int(np.count_nonzero(visible[slots]))) for slots in holders]
    left_out = [weight * (1.0 - _held(found, best)) for found, weight in zip(matched.said, weights, strict=True)]
    nearest = _nearest(matched.cosines, visible)
    missing = max(left_out) / idf(documents, 0) if left_out else float(nearest is None)
    return Evidence(
        nearest=nearest,
        covered=_coverage(matched.said, weights, visible),
        covered_around=_coverage(matched.blocks, weights, visible),
        missing=missing,
        elsewhere=elsewhere,
        is_named=matched.is_named,
    )


def better_elsewhere(fits: Scores, speaks: Mask, visible: Mask) -> float:
    """Return by how much the best of all others fits better than the best of those who are named, at least 0.

    Args:
        fits: How well each episode fits, whoever said it.
        speaks: Those that were said by somebody whom the question names.
        visible: The episodes that the asking agent may see.
    """
    named, others = fits[speaks & visible], fits[~speaks & visible]
    return max(0.0, float(others.max() - named.max())) if named.size and others.size else 0.0


def _holding(found: Found) -> Slots:
    """Return the episodes that hold a term, and not only what stands for it."""
    slots, counts = found
    return slots[counts >= 1]


def _held(found: Found, slot: int) -> float:
    """Return how much of a term an episode holds, in [0, 1]: less than all where only something stands for it."""
    slots, counts = found
    return min(1.0, float(counts[slots == slot].sum()))


def _nearest(cosines: Scores | None, visible: Mask) -> float | None:
    """Return the best cosine; `None` where nothing that may answer has a vector: words alone tell then."""
    best = -np.inf if cosines is None else float(cosines[visible].max())
    return best if np.isfinite(best) else None


def _coverage(found: Sequence[Found], weights: Sequence[float], visible: NDArray[Any]) -> float:
    """Return the best share, by rarity, of the question's terms that one episode holds."""
    covered, total = np.zeros(visible.size), sum(weights)
    for (slots, counts), weight in zip(found, weights, strict=True):
        covered[slots] += weight * np.minimum(1.0, counts)
    return float(covered[visible].max(initial=0.0)) / total if total else 0.0

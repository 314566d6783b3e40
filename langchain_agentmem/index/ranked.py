"""What a vector store found, as proposals: of one user, best first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from langchain_agentmem._search import Proposal
from langchain_agentmem.index.probing import Near

_DIGITS: Final = 6
_STEP: Final = 10**-_DIGITS


def ranked_of(
    subject: str,
    fuse: Callable[[NDArray[Any], NDArray[Any] | None], NDArray[Any] | None],
    found: Iterable[Near],
) -> list[Proposal]:
    """Return rows of a user, whatever else was found, by relevance and then by id.

    Args:
        subject: The user's name in the metadata.
        fuse: From cosines, and no shares of words, to relevance.
        found: Metadata of rows, and their cosines.
    """
    whole = [(metadata, cosine) for metadata, cosine in found if isinstance(metadata.get("memory"), str)]
    own = [(metadata, cosine) for metadata, cosine in whole if metadata.get("subject") == subject]
    cosines = np.clip([cosine for _, cosine in own], 0, 1)
    relevance = fuse(cosines, None)
    proposals = [
        Proposal(
            memory_id=metadata["memory"],
            relevance=round(float(score), _DIGITS),
            parts={"vector": round(float(cosine), _DIGITS)},
        )
        for (metadata, _), score, cosine in zip(own, [] if relevance is None else relevance, cosines, strict=True)
    ]
    return sorted(proposals, key=lambda proposal: (-proposal.relevance, proposal.memory_id))


def is_tied(ranked: Sequence[Proposal], end: int) -> bool:
    """Whether rows beyond a cut may be worth what the last one before it is: which of them stay is decided by id."""
    if len(ranked) <= end:
        return False
    return ranked[end - 1].relevance > 0 and ranked[end - 1].relevance - ranked[-1].relevance < _STEP / 2

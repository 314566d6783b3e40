"""Rows and questions for the suites: few numbers, every field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from langchain_agentmem._search import SearchFilter, SearchQuery, SearchRow
from langchain_agentmem._terms import encode_labels, encode_terms
from langchain_agentmem._vectors import pack_vector, unit_vector

DIM: Final = 4
NEAR: Final = (1.0, 0.0, 0.0, 0.0)
FAR: Final = (1.0, 1.0, 0.0, 0.0)
_AGENTS: Final = (None, "coder", "Coder", "coder2")
FILTERS: Final = (
    SearchFilter(now=50, at=50),
    SearchFilter(now=50, at=50, agent_id="coder"),
    SearchFilter(now=50, at=50, kinds=("goal", "fact"), min_confidence=0.7),
    SearchFilter(now=50, at=50, kinds=()),
    SearchFilter(now=90, at=20, statuses=("active", "superseded")),
    SearchFilter(now=90, at=70, statuses=("active", "superseded"), ended=True),
    SearchFilter(now=50, at=50, tags=("work",)),
    SearchFilter(now=50, at=50, tags=("work", "home"), purposes=("ads",)),
    SearchFilter(now=50, at=50, purposes=("support",)),
    SearchFilter(now=50, at=50, purposes=("support", "ads")),
    SearchFilter(now=50, at=50, purposes=None),
    SearchFilter(now=50, at=50, since=30, until=70),
    SearchFilter(now=1_772_366_400_000_001, at=1_772_366_400_000_001),
)


def row(memory_id: str, vector: Sequence[float] | None, /, **fields: Any) -> SearchRow:
    """Return a row: an active fact that everyone may use, unless the fields say otherwise.

    Args:
        memory_id: Its id.
        vector: Its vector, of any length; `None`: it has none.
        fields: Fields of `SearchRow`; `tags` and `purposes` by their names.
    """
    labels = encode_labels(fields.pop("tags", ()), fields.pop("purposes", ()))
    base: dict[str, Any] = {"agent_id": None, "kind": "fact", "status": "active", "confidence": 0.9, "created_at": 0}
    times: dict[str, Any] = dict.fromkeys(("valid_at", "invalid_at", "expires_at"))
    packed = None if vector is None else pack_vector(unit_vector(list(vector)))
    searched = {"terms": encode_terms(""), "labels": labels, "vector": packed, "revision": 1}
    return SearchRow(memory_id=memory_id, **(base | times | searched | fields))


def query(vector: Sequence[float], /, **asked: Any) -> SearchQuery:
    """Return a question by a vector, with fields of the query and of its filter."""
    page = {name: asked.pop(name) for name in ("limit", "offset") if name in asked}
    return SearchQuery(
        text="", vector=unit_vector(list(vector)), filter=SearchFilter(**({"now": 50, "at": 50} | asked)), **page
    )


def varied_rows(count: int) -> list[SearchRow]:
    """Return rows of every agent, kind, status, time and label, always the same."""
    random = np.random.default_rng(7)
    return [
        row(
            f"m{at:02}",
            random.standard_normal(DIM).tolist(),
            agent_id=_AGENTS[at % 4],
            kind=("fact", "goal", "preference")[at % 3],
            status=("active", "active", "superseded")[at % 7 % 3],
            confidence=(0.3, 0.7, 1.0)[at % 5 % 3],
            created_at=at,
            valid_at=None if at % 2 else at,
            invalid_at=None if at % 3 else at + 40,
            expires_at=None if at % 5 else (at + 60 if at % 2 else 1_772_366_400_000_000 + at % 3),
            tags=[("work", "home")[: at % 3], ()][at % 4 == 0],
            purposes=[(), ("ads",), ("support", "ads")][at % 6 % 3],
        )
        for at in range(count)
    ]

"""Rows, filters and queries for the tests of indexes."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from langchain_agentmem._search import SearchFilter, SearchQuery, SearchRow
from langchain_agentmem._terms import encode_labels, encode_terms
from langchain_agentmem._vectors import pack_vector, unit_vector

DIM: Final = 4
WORDS: Final = ("python", "berlin", "staging", "invoice", "peanut", "INV-2024-00123", "kubernetes")
AGENTS: Final = (None, "coder", "Coder", "coder2")


def vector(*values: float) -> NDArray[np.float32]:
    return unit_vector(list(values))


def row(memory_id: str, text: str = "", /, **fields: Any) -> SearchRow:
    tags, purposes = fields.pop("tags", ()), fields.pop("purposes", ())
    numbers = fields.pop("vector", None)
    base: dict[str, Any] = {
        "revision": 1,
        "agent_id": None,
        "kind": "fact",
        "status": "active",
        "confidence": 0.9,
        "created_at": 0,
        "valid_at": None,
        "invalid_at": None,
        "expires_at": None,
        "terms": encode_terms(text),
        "labels": encode_labels(tags, purposes),
        "vector": None if numbers is None else pack_vector(unit_vector(numbers)),
    }
    return SearchRow(memory_id=memory_id, **(base | fields))


def admitting(**fields: Any) -> SearchFilter:
    base: dict[str, Any] = {"now": 50, "at": 50}
    return SearchFilter(**(base | fields))


def query(text: str = "", numbers: list[float] | None = None, /, limit: int = 10, **fields: Any) -> SearchQuery:
    found = None if numbers is None else unit_vector(numbers)
    return SearchQuery(text=text, filter=admitting(**fields), vector=found, limit=limit)


texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
numbers = st.lists(st.integers(-3, 3), min_size=DIM, max_size=DIM).filter(any)
moments = st.none() | st.integers(0, 100)


@st.composite
def rows(draw: st.DrawFn, memory_id: str | None = None, status: str | None = None) -> SearchRow:
    """A row of one of ten memories, of any agent, kind, status and time."""
    return row(
        memory_id or f"m{draw(st.integers(0, 9))}",
        draw(texts),
        agent_id=draw(st.sampled_from(AGENTS)),
        kind=draw(st.sampled_from(["fact", "preference"])),
        status=status or draw(st.sampled_from(["active", "active", "active", "superseded", "erased"])),
        confidence=draw(st.sampled_from([0.3, 0.7, 0.9])),
        created_at=draw(st.integers(0, 100)),
        valid_at=draw(moments),
        invalid_at=draw(moments),
        expires_at=draw(moments),
        tags=draw(st.sets(st.sampled_from(["work", "Work"]))),
        purposes=draw(st.sets(st.sampled_from(["support", "ads"]))),
        vector=draw(st.none() | numbers),
    )


filters = st.builds(
    SearchFilter,
    now=st.integers(0, 100),
    at=st.integers(0, 100),
    agent_id=st.sampled_from(AGENTS),
    kinds=st.none() | st.just(("preference",)),
    statuses=st.sampled_from([("active",), ("active", "superseded")]),
    tags=st.sampled_from([(), ("work",), ("work", "Work")]),
    purposes=st.sampled_from([None, (), ("support",), ("support", "ads")]),
    min_confidence=st.sampled_from([0.0, 0.7]),
    since=moments,
    until=moments,
)
queries = st.builds(
    SearchQuery,
    text=texts,
    filter=filters,
    vector=st.none() | numbers.map(unit_vector),
    is_of_oneself=st.booleans(),
    limit=st.integers(1, 5),
)


def admits(wanted: SearchFilter, found: SearchRow, tags: set[str], purposes: set[str]) -> bool:
    """The filter's definition, read word by word."""
    start = found.created_at if found.valid_at is None else found.valid_at
    return (
        found.agent_id in {None, wanted.agent_id}
        and found.status in wanted.statuses
        and (wanted.kinds is None or found.kind in wanted.kinds)
        and (found.expires_at is None or found.expires_at > wanted.now)
        and (found.valid_at is None or found.valid_at <= wanted.at)
        and (found.invalid_at is None or found.invalid_at > wanted.at)
        and (wanted.since is None or start >= wanted.since)
        and (wanted.until is None or start < wanted.until)
        and found.confidence >= wanted.min_confidence
        and set(wanted.tags) <= tags
        and (not purposes or wanted.purposes is None or not purposes.isdisjoint(wanted.purposes))
    )

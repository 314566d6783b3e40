"""What the ledger hands to an index, and what an index hands back.

An index proposes ids by relevance inside one scope; it never decides. Times are integers: microseconds since 1970 UTC.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from langchain_agentmem.types import KINDS, STATUSES, Candidate, Kind, Memory, Status

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KIND_CODES: Final[Mapping[str, int]] = {kind: code for code, kind in enumerate(KINDS)}
STATUS_CODES: Final[Mapping[str, int]] = {status: code for code, status in enumerate(STATUSES)}


class SearchRow(NamedTuple):
    """One memory as an index sees it: no text, only what search needs. A tuple, because a cold view makes thousands.

    Attributes:
        agent_id: `None` where the memory is shared by the user's agents.
        status: A row with status `erased` is to be dropped from every index.
        terms: Output of `_terms.encode_terms(search_text(memory))`: stemmed token counts.
        labels: Output of `_terms.encode_labels(...)`: hashes of tags and purposes.
        vector: float32 little-endian unit vector of the current embedding model, or `None`.
        revision: Number of the event that changed the memory last.
    """

    memory_id: str
    revision: int
    agent_id: str | None
    kind: Kind
    status: Status
    confidence: float
    created_at: int
    valid_at: int | None
    invalid_at: int | None
    expires_at: int | None
    terms: bytes
    labels: bytes
    vector: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFilter:
    """Which rows may be proposed; applied before the cut. The ledger verifies each proposal again on its own row.

    Args:
        agent_id: Rows of this agent and shared rows; `None`: shared rows only.
        kinds: Kinds allowed; `None`: all. `statuses`: statuses allowed.
        tags: All of them must be on the row.
        purpose: Rows that name purposes must name this one; `None`: only rows that name none.
        now: Rows with `expires_at <= now` are out.
        at: Time at which the row must be valid (`valid_at <= at < invalid_at`, open where unknown).
        ended: Also rows whose validity had ended by then.
        since: Rows valid (where unknown: created) at or after; `until`: before.
    """

    now: int
    at: int
    ended: bool = False
    agent_id: str | None = None
    kinds: tuple[Kind, ...] | None = None
    statuses: tuple[Status, ...] = ("active",)
    tags: tuple[str, ...] = ()
    purpose: str | None = None
    min_confidence: float = 0.0
    since: int | None = None
    until: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """One search.

    Args:
        text: Words to match; may be empty.
        vector: Unit vector of the text, float32 of shape (dim,), or `None` where there is no embedding model.
        limit: Proposals at most.
    """

    text: str
    filter: SearchFilter
    vector: NDArray[np.float32] | None = None
    limit: int = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """An id that an index proposes.

    Attributes:
        relevance: In [0, 1], higher is better. `parts`: what it is made of (`vector`: cosine clipped to [0, 1];
            `lexical`: BM25 as a share of the best score any document could reach for this query).
    """

    memory_id: str
    relevance: float
    parts: Mapping[str, float] = field(default_factory=dict)


def search_text(record: Memory | Candidate) -> str:
    """Return the words by which a memory is found: its content, and what it is known to mean.

    "The user moved to Berlin last month" answers "where do I live?" only through its relation, `lives_in`.
    """
    if record.relation is None or record.object is None:
        return record.content
    relation = record.relation.replace("_", " ").replace(":", " ")
    return f"{record.content}\n{record.subject or ''} {relation} {record.object}"

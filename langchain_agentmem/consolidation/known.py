"""What is known of a user when a consolidation begins, read in one transaction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from langchain_agentmem._flow import Flow
from langchain_agentmem.ledger.base import Head, LedgerReader, Page
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.write.similar import statement_of
from langchain_agentmem.policies.approve import APPROVAL, awaits
from langchain_agentmem.policies.consolidating import Findings, find_alike
from langchain_agentmem.policies.marks import marked_among
from langchain_agentmem.policies.repeated import Failures, find_failures
from langchain_agentmem.types import Memory, Scope
from langchain_agentmem.types.memories import KEPT_STATUSES, LIVE_STATUSES

MAX_CONSIDERED: Final = 2_000
"""Memories looked at in one run, the newest of each status: a few seconds of work at most, behind the hot path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The memories of a user and an agent, in one state.

    Attributes:
        memories: Active and pending ones.
        outcomes: Outcomes of any status but erased.
        vectors: Of the memories, by id, as far as the embedding model in use has made any.
        is_whole: Whether there are no more than were looked at.
    """

    head: Head
    memories: tuple[Memory, ...] = ()
    outcomes: tuple[Memory, ...] = ()
    vectors: dict[str, bytes] = field(default_factory=dict)
    is_whole: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be done."""

    findings: Findings = field(default_factory=Findings)
    failures: tuple[Failures, ...] = ()


def read_known(parts: Parts, scope: Scope) -> Flow[Known]:
    """Return what the agent of a scope has of its user; what other agents have, or all share, is theirs to keep."""
    model = None if parts.embedder is None else parts.embedder.name
    return (yield from parts.ledger.read(scope, lambda reader: _known(reader, scope, model, parts)))


def plan_of(known: Known) -> Plan:
    """Return what is to be done about it: a computation, without waiting for anything."""
    statements = {it.id: statement_of(it) for it in known.memories}
    found = find_alike(known.memories, statements, _similarity(known.vectors))
    return Plan(findings=found, failures=tuple(find_failures(known.outcomes)))


def _known(reader: LedgerReader, scope: Scope, model: str | None, parts: Parts) -> Known:
    may_use = parts.consented(reader.head.consent).admits
    pages = [reader.page(Page(statuses=(it,), limit=MAX_CONSIDERED)) for it in LIVE_STATUSES]
    live = [it for page in pages for it in page]
    seen = [it for it in live if it.scope.agent_id == scope.agent_id and may_use(it) and not awaits(it)]
    is_whole = all(len(it) < MAX_CONSIDERED for it in pages)
    own = tuple(marked_among({it.id for it in live}, seen) if is_whole else seen)
    outcomes = reader.page(Page(kinds=("outcome",), statuses=KEPT_STATUSES, limit=MAX_CONSIDERED))
    rows = [] if model is None or not own else reader.search_rows_of([it.id for it in own], model)
    return Known(
        head=reader.head,
        memories=own,
        outcomes=tuple(
            it for it in outcomes if it.scope.agent_id == scope.agent_id and may_use(it) and it.held_by != APPROVAL
        ),
        is_whole=is_whole,
        vectors={row.memory_id: row.vector for row in rows if row.vector is not None},
    )


def _similarity(vectors: dict[str, bytes]) -> Callable[[str, str], float | None]:
    """Return the cosines of stored vectors, which have unit length."""
    unpacked = {id_: np.frombuffer(vector, dtype="<f4") for id_, vector in vectors.items()}

    def cosine(one: str, other: str) -> float | None:
        if one not in unpacked or other not in unpacked:
            return None
        return float(unpacked[one] @ unpacked[other])

    return cosine

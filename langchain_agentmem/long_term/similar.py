"""Which stored memories a new statement has to be held against."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from langchain_agentmem.policies.conflict import judge
from langchain_agentmem.policies.statements import Statement, parse_statement
from langchain_agentmem.types import Candidate, Memory

KEPT_STATEMENTS: Final = 4_096
"""Statements kept as read: the neighbours of one write are often those of the next."""

MAX_LINKS: Final = 5
"""Near but different memories that a new one points at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Similar:
    """Neighbours of a candidate, by how they stand to it; each list has the nearest first.

    Attributes:
        conflicts: What it may replace. `disputed`: what it contradicts, and may not replace; related as well.
    """

    duplicates: Sequence[Memory] = ()
    conflicts: Sequence[Memory] = ()
    related: Sequence[Memory] = ()
    disputed: Sequence[Memory] = ()


def compare(candidate: Candidate, neighbours: Iterable[Memory], cosines: Mapping[str, float]) -> Similar:
    """Judge each neighbour against a candidate; conflict is looked for before duplicate."""
    new = statement_of(candidate)
    found: dict[str, list[Memory]] = {"duplicate": [], "conflict": [], "related": []}
    ordered = sorted(neighbours, key=lambda memory: (-cosines.get(memory.id, 0.0), memory.id))
    for memory in ordered:
        same_kind = memory.kind == candidate.kind
        judgement = judge(new, statement_of(memory), similarity=cosines.get(memory.id), same_kind=same_kind)
        relation = judgement.relation
        if relation == "conflict" and _may_both_hold(candidate, memory):
            relation = "related"
        if relation in found:
            found[relation].append(memory)
    return Similar(duplicates=found["duplicate"], conflicts=found["conflict"], related=found["related"][:MAX_LINKS])


def _may_both_hold(candidate: Candidate, memory: Memory) -> bool:
    """Whether one reports what happened: what failed once may succeed later, and both stay true unless corrected."""
    return "outcome" in {candidate.kind, memory.kind} and not candidate.is_correction


def statement_of(record: Candidate | Memory) -> Statement:
    """Return what a candidate or memory says."""
    is_correction = isinstance(record, Candidate) and record.is_correction
    return _parsed(record.content, record.subject, record.relation, record.object, is_correction)


def forget_statements() -> None:
    """Drop what this process keeps of statements it has read: an erased text may be among them."""
    _parsed.cache_clear()


@lru_cache(maxsize=KEPT_STATEMENTS)
def _parsed(
    content: str,
    subject: str | None,
    relation: str | None,
    object: str | None,
    is_correction: bool,  # noqa: FBT001  (arguments of a cache are positional)
) -> Statement:
    return parse_statement(content, subject=subject, relation=relation, object=object, is_correction=is_correction)

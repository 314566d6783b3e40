"""Which stored memories a new statement has to be held against."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from langchain_agentmem.policies.conflict import judge
from langchain_agentmem.policies.statements import Statement, parse_statement
from langchain_agentmem.types import Candidate, Memory

MAX_LINKS = 5
"""Near but different memories that a new one points at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Similar:
    """Neighbours of a candidate, by how they stand to it; each list has the nearest first."""

    duplicates: Sequence[Memory] = ()
    conflicts: Sequence[Memory] = ()
    related: Sequence[Memory] = ()


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
    return parse_statement(
        record.content,
        subject=record.subject,
        relation=record.relation,
        object=record.object,
        is_correction=is_correction,
    )

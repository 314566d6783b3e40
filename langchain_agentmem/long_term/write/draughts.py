"""Candidates on their way into the transaction that decides on them, and what becomes of those that are refused."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple

from langchain_agentmem._search import Proposal
from langchain_agentmem._vectors import Vector
from langchain_agentmem.errors import NotFoundError
from langchain_agentmem.ledger.base import Draft, LedgerReader, LedgerWriter
from langchain_agentmem.long_term.write.similar import NOTHING_BESIDE, Beside
from langchain_agentmem.long_term.write.superseding import Ends, contradicted
from langchain_agentmem.long_term.write.weighing import trust_of
from langchain_agentmem.policies.approve import awaits
from langchain_agentmem.policies.write import Ruling, default_importance
from langchain_agentmem.types import Candidate, Decision, Memory, MemoryMode, Scope

_CONFIDENT_CORRECTION: Final = 0.95
"""Confidence after an explicit correction."""

Then = Callable[[LedgerWriter], object]
Follow = Callable[[LedgerWriter, Sequence[Decision]], Iterable[Decision]]
"""What belongs into the same transaction: before any decision, and what follows from all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draughted:
    """A candidate on its way into the transaction that decides on it.

    Attributes:
        proposer: Whose it is, where that is not `scope`.
        vectors: Of what remains of memories that it ends a part of, by its words; `None`: nothing is embedded.
        reasons: Why memories that it replaces end: told of them alone, and gone with them.
        ends: How they end.
        sightings: Independent ones that it rests on.
        left_of: Id of the memory of which it is what remains.
        answered: Ids of what it may replace beside what it names: a caller answered what waited to replace that.
    """

    candidate: Candidate
    scope: Scope
    mode: MemoryMode
    seen: int
    vector: Vector | None = None
    proposals: Sequence[Proposal] = ()
    beside: Beside = NOTHING_BESIDE
    proposer: Scope | None = None
    tokens: Mapping[str, str] = field(default_factory=dict, repr=False)
    vectors: dict[str, Vector] | None = field(default=None, repr=False)
    reasons: Mapping[str, str] = field(default_factory=dict, repr=False)
    ends: Ends = field(default=contradicted, repr=False)
    sightings: int = 1
    left_of: str | None = None
    answered: Collection[str] = ()


class Demanded(NamedTuple):
    """What a caller puts in the place of memories that it names.

    Attributes:
        why: See `Draughted.reasons`. `answered`, `ends`: see there.
        made_of: What it was made of, as it was read: it is written if that is so still.
    """

    candidate: Candidate
    why: Mapping[str, str] = {}
    answered: Collection[str] = ()
    ends: Ends = contradicted
    made_of: Sequence[Memory] = ()


def begun_as(draughted: Draughted, memory_id: str, now: datetime) -> Memory:
    """Return the memory that a candidate begins as, which stands beside all others yet."""
    candidate = draughted.candidate
    importance = candidate.importance if candidate.importance is not None else default_importance(candidate)
    is_correction = candidate.is_correction and candidate.source == "explicit"
    return Memory(
        id=memory_id,
        scope=draughted.scope,
        kind=candidate.kind,
        content=candidate.content,
        confidence=max(candidate.confidence, _CONFIDENT_CORRECTION) if is_correction else candidate.confidence,
        importance=importance,
        source=candidate.source,
        trust=trust_of(candidate),
        subject=candidate.subject,
        relation=candidate.relation,
        object=candidate.object,
        tags=candidate.tags,
        purposes=candidate.purposes,
        legal_basis=candidate.legal_basis,
        provenance=candidate.provenance,
        valid_at=candidate.valid_at,
        invalid_at=candidate.invalid_at,
        created_at=now,
        expires_at=candidate.expires_at,
        pinned=candidate.pinned,
        sightings=draughted.sightings,
    )


def refusal_of(ruling: Ruling) -> Decision:
    """Return the decision that a refusal is."""
    return Decision(verdict="refused", rule=ruling.rule, reason=ruling.reason)


def refuse(writer: LedgerWriter, candidate: Candidate, ruling: Ruling) -> Decision:
    """Log that something was refused, and by which rule; never what."""
    origin = candidate.provenance
    note: dict[str, Any] = {"kind": candidate.kind, "source": candidate.source, "speaker": origin.speaker}
    if origin.trust_class is not None:
        note["trust_class"] = origin.trust_class
    writer.append(Draft(type="refused", note=note, rule=ruling.rule))
    return refusal_of(ruling)


def check_exist(writer: LedgerReader, memory_ids: Sequence[str]) -> None:
    """See that what a candidate supersedes is there.

    Raises:
        NotFoundError: It is not.
    """
    missing = [memory_id for memory_id in memory_ids if writer.memory(memory_id) is None]
    if missing:
        msg = f"supersedes names {missing[0]!r}, which does not exist in this scope; `list` shows what does"
        raise NotFoundError(msg)


def note_of(memory: Memory, ruling: Ruling, *, replaces: bool, left_of: str | None = None) -> dict[str, Any]:
    """Return what the log says of a new memory."""
    note: dict[str, Any] = {
        "reason": f"{ruling.reason} It replaces what it contradicts." if replaces else ruling.reason
    }
    if memory.provenance.trust_class is not None:
        note |= {"trust_class": memory.provenance.trust_class, "trust": memory.trust}
    if memory.contradicts and not awaits(memory):
        note["reason"] += f" It seems to contradict {', '.join(memory.contradicts)}; neither replaces the other."
    return note if left_of is None else {**note, "left_of": left_of}

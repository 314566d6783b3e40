"""Memories that wait for approval: how they are asked about, and how new statements meet them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from langchain_agentmem.errors import ConfigurationError, GovernanceError
from langchain_agentmem.ledger.base import Draft, LedgerReader, LedgerWriter
from langchain_agentmem.ledger.codec import from_micros, to_micros
from langchain_agentmem.ledger.lives import Asked, Life, read_life
from langchain_agentmem.long_term.write.similar import Similar, Waiting
from langchain_agentmem.policies.approve import APPROVAL, awaits, is_decidable
from langchain_agentmem.types import Approval, Memory, Proposer, Scope

EXPIRY_JOB: Final = "approval_expiry"
"""Ends what was asked and never decided."""

_ENDS: Final[Mapping[str, str]] = {
    "rejected": "was rejected",
    "approval_expired": "was not approved in time",
    "superseded": "was replaced while it waited",
}
"""How a memory that waited may have come to be archived."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What was asked of a memory that waits.

    Attributes:
        seq: Of the event by which it was asked. `version`: of the last one that changed what is to be decided.
        is_told: Whether the log still tells who proposed it and until when: earlier releases cleaned that away.
    """

    reason: str
    proposed_by: Proposer
    asked_at: datetime
    expires_at: datetime | None
    seq: int
    version: int
    is_told: bool

    def is_over(self, now: datetime) -> bool:
        """Whether it is too late to decide."""
        return self.expires_at is not None and self.expires_at <= now


def ask(writer: LedgerWriter, memory: Memory, reason: str, proposer: Scope, expires_at: datetime | None) -> None:
    """Log that a person is asked, by whom it was proposed and until when, and see that it ends then."""
    note = asked_note(memory, reason, proposer, expires_at)
    writer.append(Draft(type="approval_asked", memory_id=memory.id, note=note, rule=APPROVAL))
    queue_end(writer, memory, expires_at)


def asked_note(memory: Memory, reason: str, proposer: Scope, expires_at: datetime | None) -> dict[str, Any]:
    """Return what the log keeps of a question."""
    return {
        "reason": reason,
        "agent": proposer.agent_id,
        "session": proposer.session_id,
        "run": memory.provenance.run_id,
        "speaker": memory.provenance.speaker,
        "expires_at": to_micros(expires_at),
    }


def queue_end(writer: LedgerWriter, memory: Memory, expires_at: datetime | None) -> None:
    """See that what is asked ends in time."""
    if expires_at is not None:
        payload = {"memory": memory.id, "agent": memory.scope.agent_id}
        writer.enqueue(EXPIRY_JOB, payload, expires_at)


def queue_end_again(writer: LedgerWriter, memory: Memory) -> None:
    """See that what waits once more, after it was put away or decided, ends in time: its job may be done already."""
    if is_decidable(memory):
        queue_end(writer, memory, question_of(writer, memory).expires_at)


def question_of(reader: LedgerReader, memory: Memory) -> Question:
    """Return what was asked, as the log tells it; what waits by another rule was asked when it was remembered."""
    life = read_life(reader, memory.id)
    asked = life.asked or Asked(seq=memory.revision, at=memory.created_at)
    note = asked.note or {}
    return Question(
        reason=str(note.get("reason", "")),
        proposed_by=Proposer(
            agent_id=note.get("agent", memory.scope.agent_id),
            run_id=note.get("run", memory.provenance.run_id),
            session_id=note.get("session", memory.scope.session_id),
            speaker=note.get("speaker", memory.provenance.speaker),
        ),
        asked_at=asked.at,
        expires_at=from_micros(note.get("expires_at")),
        seq=asked.seq,
        version=life.version,
        is_told=asked.note is not None,
    )


def approval_of(reader: LedgerReader, memory: Memory, question: Question) -> Approval:
    """Return what a person is shown of a memory that waits."""
    return Approval(
        id=memory.id,
        memory=memory,
        rule=memory.held_by or APPROVAL,
        reason=question.reason,
        would_supersede=to_be_replaced(reader, memory),
        proposed_by=question.proposed_by,
        asked_at=question.asked_at,
        expires_at=question.expires_at,
        version=question.version,
    )


def to_be_replaced(reader: LedgerReader, memory: Memory) -> tuple[Memory, ...]:
    """Return what is in force and ends once a memory is approved: what it is to replace, and what it contradicts.

    An agent's own memory ends nothing that others see, unless it was proposed in its place.
    """
    found = reader.memories((*memory.supersedes, *memory.contradicts))
    named = {*memory.supersedes}
    return tuple(
        it
        for it in found.values()
        if it.status == "active" and (it.id in named or it.scope.agent_id == memory.scope.agent_id)
    )


def apart(similar: Similar) -> Similar:
    """Return neighbours of which those that wait for approval stand apart: nothing is decided by them."""
    waiting = Waiting(
        same=tuple(filter(awaits, similar.duplicates)),
        other=tuple(filter(awaits, (*similar.conflicts, *similar.disputed))),
    )
    return replace(
        similar,
        duplicates=[it for it in similar.duplicates if not awaits(it)],
        conflicts=[it for it in similar.conflicts if not awaits(it)],
        related=[it for it in similar.related if not awaits(it)],
        disputed=[it for it in similar.disputed if not awaits(it)],
        waiting=waiting,
    )


def check_decided(memories: Iterable[Memory]) -> None:
    """Refuse to go on with memories of which one waits: what is made of it would be in force without a word.

    Raises:
        GovernanceError: One waits for approval.
    """
    for memory in filter(awaits, memories):
        msg = f"memory {memory.id!r} waits for approval; decide on it first, with memory.approvals.decide"
        raise GovernanceError(msg, rule=APPROVAL)


def check_restorable(memory_id: str, life: Life) -> None:
    """Refuse to take back what was turned down, or never decided in time: nobody ever approved it.

    Raises:
        ConfigurationError: It is such a memory.
    """
    how = None if life.ending is None else _ENDS.get(life.ending)
    if how is not None:
        msg = f"memory {memory_id!r} {how}, and was never in force; remember it anew to have it asked about again"
        raise ConfigurationError(msg)

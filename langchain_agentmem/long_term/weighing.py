"""A candidate against what it meets: what counts as new evidence, and which of two statements stands."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from langchain_agentmem.ledger.base import LedgerReader
from langchain_agentmem.long_term.similar import Similar
from langchain_agentmem.policies.write import Ruling, default_trust
from langchain_agentmem.types import Candidate, Memory, Scope


def still_live(writer: LedgerReader, pending: Memory) -> tuple[str, ...]:
    """Return what a pending memory was meant to replace, and what is still there to be replaced."""
    found = writer.memories(pending.supersedes)
    return tuple(
        memory_id for memory_id in pending.supersedes if memory_id in found and found[memory_id].status == "active"
    )


def within_sight(similar: Similar, scope: Scope) -> Similar:
    """Return neighbours so that an agent's own statement replaces nothing that others see: it only points there."""
    shared = [memory for memory in similar.conflicts if memory.scope.agent_id != scope.agent_id]
    own = [memory for memory in similar.conflicts if memory.scope.agent_id == scope.agent_id]
    return replace(similar, conflicts=own, related=[*shared, *similar.related], disputed=shared)


def undecided(similar: Similar, replaced: Collection[str], *, is_asked: bool = False) -> tuple[str, ...]:
    """Return what a new memory contradicts and does not replace, up to as many as it may link.

    Where somebody is asked to approve it, also what waits likewise: either may be approved first.
    """
    waiting = similar.waiting.other if is_asked else ()
    found = (memory.id for memory in (*similar.conflicts, *similar.disputed, *waiting))
    return joined((), tuple(it for it in found if it not in replaced))


def settle(candidate: Candidate, conflicts: Sequence[Memory], ruling: Ruling) -> tuple[Ruling, Sequence[Memory]]:
    """Return which contradicted memories the candidate replaces; where one of them is stronger, the candidate waits."""
    if ruling.verdict == "hold" or not conflicts:
        return ruling, ()
    losers = [memory for memory in conflicts if wins(candidate, memory)]
    if len(losers) == len(conflicts):
        return ruling, losers
    reason = "It contradicts what the user said, and is less certain or less trusted; the user has to confirm it."
    return Ruling(verdict="hold", rule="contradiction", reason=reason), ()


def is_live(memory: Memory, now: datetime) -> bool:
    """Whether a memory counts: active or pending, and not expired."""
    is_kept = memory.status in {"active", "pending"}
    return is_kept and (memory.expires_at is None or memory.expires_at > now)


def is_independent(candidate: Candidate, scope: Scope, known: Memory) -> bool:
    """Whether a repeated statement is new evidence: not the same message again, not the assistant echoing itself."""
    new = set(candidate.provenance.message_ids)
    if new and new <= set(known.provenance.message_ids):
        return False
    if candidate.provenance.speaker == "assistant" and known.provenance.speaker == "assistant":
        return scope.session_id != known.scope.session_id
    return True


def wins(candidate: Candidate, old: Memory) -> bool:
    """The more trusted, then the more confident, then the newer statement wins; a user's correction always does."""
    if candidate.is_correction and candidate.source == "explicit" and candidate.provenance.speaker != "assistant":
        return True
    trust = trust_of(candidate)
    if trust != old.trust:
        return trust > old.trust
    return candidate.confidence >= old.confidence or old.status == "pending"


def trust_of(candidate: Candidate) -> float:
    """Return how far a candidate's source is believed, in [0, 1]."""
    return candidate.trust if candidate.trust is not None else default_trust(candidate)


def joined(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    """Return both without repetition, the last 64: as many as a memory may link."""
    return tuple(dict.fromkeys([*first, *second]))[-64:]

"""A candidate against what it meets: what counts as new evidence, and which of two statements stands."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from langchain_agentmem.ledger.base import LedgerReader
from langchain_agentmem.long_term.write.similar import Similar
from langchain_agentmem.policies.confidence import after
from langchain_agentmem.policies.settling import Settling
from langchain_agentmem.policies.terms import restated_terms
from langchain_agentmem.policies.trust import OWN_WORD, class_of, is_own_word
from langchain_agentmem.policies.write import Ruling, default_trust, hold
from langchain_agentmem.types import Candidate, Memory, Provenance, Scope
from langchain_agentmem.types.memories import LIVE_STATUSES

_WEAKER: Final = hold(
    "contradiction",
    "It contradicts what the user said, and is less certain or less trusted; the user has to confirm it.",
)
_ASKED: Final = hold(
    "conflict_ask", "It contradicts what is remembered; it waits until somebody approves that it replaces that."
)
UNTRUSTED: Final = "trust_floor"
"""Rule under which something waits because hardly anybody believes its source: it is no sighting of anything."""

_UNOPPOSED: Final = Ruling(verdict="accept", rule="accepted", reason="No rule objected.")


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
    narrower = [memory for memory in similar.narrower if memory.scope.agent_id == scope.agent_id]
    return replace(similar, conflicts=own, related=[*shared, *similar.related], disputed=shared, narrower=narrower)


def undecided(similar: Similar, replaced: Collection[str], *, is_asked: bool = False) -> tuple[str, ...]:
    """Return what a new memory contradicts and does not replace, up to as many as it may link.

    Where somebody is asked to approve it, also what waits likewise: either may be approved first.
    """
    waiting = similar.waiting.other if is_asked else ()
    found = (memory.id for memory in (*similar.conflicts, *similar.disputed, *waiting))
    return joined((), tuple(it for it in found if it not in replaced))


class Settled(NamedTuple):
    """What becomes of a candidate beside those that it contradicts.

    Attributes:
        replaced: Which of them it replaces now. `meant`: which it is to replace once somebody approves it.
    """

    ruling: Ruling
    replaced: Sequence[Memory] = ()
    meant: Sequence[Memory] = ()


def settle(candidate: Candidate, conflicts: Sequence[Memory], ruling: Ruling, settling: Settling) -> Settled:
    """Return which contradicted memories a candidate replaces; where it may not replace one of them, it waits."""
    if ruling.verdict == "hold" or not conflicts:
        return Settled(ruling)
    resolved = [(settling(candidate, memory), memory) for memory in conflicts]
    said = {resolution for resolution, _ in resolved}
    if "wait" in said:
        return Settled(_WEAKER)
    if "ask" in said:
        return Settled(_ASKED, meant=[memory for resolution, memory in resolved if resolution != "keep_both"])
    return Settled(ruling, [memory for resolution, memory in resolved if resolution == "replace"])


def is_growth(candidate: Candidate, similar: Similar, settling: Settling, reader: LedgerReader) -> bool:
    """Whether memory has one more by a candidate: it is not known, and would take the place of nothing in force."""
    if similar.duplicates:
        return False
    replaced = settle(candidate, similar.conflicts, _UNOPPOSED, settling).replaced
    named = reader.memories(candidate.supersedes).values() if candidate.supersedes else ()
    return all(memory.status != "active" for memory in (*replaced, *named))


def outranked(candidate: Candidate, named: Collection[str], reader: LedgerReader, ruling: Ruling) -> Ruling:
    """Return a ruling by which what was named to be replaced stays, where it is more trusted than the candidate."""
    if not named or ruling.verdict == "hold" or class_of(candidate.provenance) in OWN_WORD:
        return ruling
    trust = trust_of(candidate)
    return _WEAKER if any(trust < it.trust for it in reader.memories(named).values()) else ruling


def named_by(candidate: Candidate, known: Memory, reader: LedgerReader) -> tuple[str, ...]:
    """Return what a candidate certainly replaces and is still there, where what it says is known already."""
    found = reader.memories(candidate.supersedes).values()
    return tuple(it.id for it in found if it.id != known.id and it.status in LIVE_STATUSES)


def is_live(memory: Memory, now: datetime) -> bool:
    """Whether a memory counts: active or pending, and not expired."""
    is_kept = memory.status in LIVE_STATUSES
    return is_kept and (memory.expires_at is None or memory.expires_at > now)


def is_independent(candidate: Candidate, scope: Scope, known: Memory) -> bool:
    """Whether a repeated statement is new evidence: not the same message again, not the assistant echoing itself."""
    new = set(candidate.provenance.message_ids)
    if new and new <= set(known.provenance.message_ids):
        return False
    if candidate.provenance.speaker == "assistant" and known.provenance.speaker == "assistant":
        is_same_reading = not set(candidate.provenance.tools).isdisjoint(known.provenance.tools)
        return scope.session_id != known.scope.session_id and not is_same_reading
    return True


def confirmed_by(candidate: Candidate, scope: Scope, known: Memory, ruling: Ruling) -> dict[str, Any]:
    """Return what becomes of a memory that a candidate says again: its sightings, confidence and terms, as fields."""
    changes: dict[str, Any] = {}
    is_accepted, is_own = ruling.verdict != "hold", is_own_word(candidate)
    is_news = is_independent(candidate, scope, known) and ruling.rule != UNTRUSTED
    if is_news:
        changes["sightings"] = known.sightings + 1
        changes["provenance"] = sighted(candidate, known, is_accepted=is_accepted)
    if is_accepted and is_own:
        surer = after(known.confidence, "confirmed") if is_news else known.confidence
        changes["confidence"] = max(candidate.confidence, surer)
    if is_accepted and (is_own or known.status == "pending"):
        terms = restated_terms(candidate, known, is_news=is_news)
        changes |= {name: it for name, it in terms.items() if it != getattr(known, name)}
    return changes


def sighted(candidate: Candidate, known: Memory, *, is_accepted: bool) -> Provenance:
    """Return where a memory comes from once a candidate has said the same.

    Whoever's word makes it stand is its source from then on; what waits on has behind it what is behind either. What is
    in force rests on nothing new.
    """
    both = joined(known.provenance.message_ids, candidate.provenance.message_ids)
    if known.status == "pending" and is_accepted and is_own_word(candidate):
        return replace(candidate.provenance, message_ids=both)
    tools = known.provenance.tools
    if known.status == "pending":
        tools = joined(tools, candidate.provenance.tools)
    return replace(known.provenance, message_ids=both, tools=tools)


def trust_together(candidate: Candidate, known: Memory) -> float:
    """Return how far something is believed that waited for a candidate: its own word, or all that was seen of it."""
    trust = trust_of(candidate)
    return trust if candidate.source == "explicit" else min(trust, known.trust)


def trust_of(candidate: Candidate) -> float:
    """Return how far a candidate's source is believed, in [0, 1]."""
    return candidate.trust if candidate.trust is not None else default_trust(candidate)


def joined(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    """Return both without repetition, the last 64: as many as a memory may link."""
    return tuple(dict.fromkeys([*first, *second]))[-64:]

"""From what was found among memories to what is written in their place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

from langchain_agentmem.long_term.write.deriving import Derived
from langchain_agentmem.policies.consolidating import Group, Signal, sightings_of
from langchain_agentmem.policies.repeated import FAILED, REPEATED, Failures
from langchain_agentmem.policies.terms import first_ends
from langchain_agentmem.policies.trust import behind
from langchain_agentmem.types import Candidate, Memory, Provenance

MAX_SOURCES: Final = 64
"""Of one conclusion: as many ids as a memory can name. What is more is for the next run."""


def of_group(group: Group) -> Derived:
    """Return what stands for memories that say the same: the words, fields and evidence of the fullest.

    It is trusted as little as the least trusted of them, and as certain as the most certain of those that say as much.
    """
    members = group.members[:MAX_SOURCES]
    equals = [it for it in group.equals if it in members]
    return Derived(
        candidate=replace(_standing_for(group.kept, members, equals), source="merged"),
        sources=members,
        sightings=sightings_of(equals) or 1,
        reason=f"they say the same: {_named(members)}",
    )


def of_signal(signal: Signal) -> Derived:
    """Return what waited as something that was seen as often as all that supports it."""
    equals = signal.equals[:MAX_SOURCES]
    return Derived(
        candidate=_standing_for(signal.memory, equals, equals),
        sources=equals,
        sightings=signal.sightings,
        reason=f"it was seen {signal.sightings} times: {_named(signal.support[:MAX_SOURCES])}",
    )


def of_failures(failures: Failures) -> Derived:
    """Return what several failures of one action say together; each of them stays."""
    outcomes = failures.outcomes[-MAX_SOURCES:]
    first = outcomes[0]
    count = sum(it.sightings for it in outcomes)
    candidate = Candidate(
        content=failures.statement,
        kind="outcome",
        source="learned",
        confidence=min(it.confidence for it in outcomes),
        importance=max(it.importance for it in outcomes),
        trust=min(it.trust for it in outcomes),
        tags=(FAILED, REPEATED),
        purposes=first.purposes,
        legal_basis=first.legal_basis,
        **first_ends(outcomes),
        provenance=Provenance(speaker=first.provenance.speaker, message_ids=_messages(outcomes), **behind(outcomes)),
    )
    return Derived(
        candidate=candidate,
        sources=outcomes,
        sightings=count,
        is_merge=False,
        reason=f"it failed {count} times, and has not succeeded since: {_named(outcomes)}",
    )


def _standing_for(kept: Memory, members: Sequence[Memory], equals: Sequence[Memory]) -> Candidate:
    first = min(members, key=lambda it: (it.created_at, it.id))
    return Candidate(
        content=kept.content,
        kind=kept.kind,
        source=kept.source,
        confidence=max(it.confidence for it in equals),
        importance=max(it.importance for it in members),
        trust=min(it.trust for it in members),
        tags=tuple(dict.fromkeys(chain.from_iterable(it.tags for it in members)))[:MAX_SOURCES],
        purposes=kept.purposes,
        legal_basis=kept.legal_basis,
        provenance=replace(kept.provenance, message_ids=_messages(members), **behind(members)),
        valid_at=first.valid_at,
        supersedes=tuple(it.id for it in members),
        subject=kept.subject,
        relation=kept.relation,
        object=kept.object,
    )


def _messages(members: Iterable[Memory]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(it.provenance.message_ids for it in members)))[:MAX_SOURCES]


def _named(members: Iterable[Memory]) -> str:
    return ", ".join(it.id for it in members)

"""What somebody wants to be called, beside their name: "call me Dodo" is no name where another one is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from langchain_agentmem.english.reading.orders import ADDRESS
from langchain_agentmem.english.reading.profile_fields import PREFERENCES, relation_of, tag_of
from langchain_agentmem.types import Candidate, Memory

CALLED: Final = "called"
"""Tag of a name that was given as a form of address: "call me Dodo"."""

_UNNAMED: Final = frozenset({None, "user"})
"""Subjects of what is told by somebody whose name nobody knows."""

FIELD: Final = f"{PREFERENCES}{ADDRESS}"


def is_name(record: Candidate | Memory) -> bool:
    """Whether a record says how its subject is named, or called."""
    return record.kind == "fact" and record.relation == "name" and record.object is not None


def is_called(record: Candidate | Memory) -> bool:
    """Whether it says no more than how to call them."""
    return is_name(record) and CALLED in record.tags


def addressed(candidates: Sequence[Candidate], known: Sequence[Memory]) -> list[Candidate]:
    """Return candidates in which a form of address is one where a name is known, or told before it.

    Where a name is told of somebody of whom only a form of address was known, that one follows, at the end.

    Args:
        candidates: Told together, in their order.
        known: What is in force of the same user.
    """
    whose = next((it.subject for it in candidates if is_name(it)), None)
    own = [it for it in known if it.subject == whose]
    name = next((it.object for it in own if not is_called(it)), None if whose in _UNNAMED else whose)
    called = next((it for it in own if is_called(it)), None)
    told: list[Candidate] = []
    for it in candidates:
        told.append(as_address(it) if is_called(it) and _is_other(it, name) else it)
        name = it.object if is_name(it) and not is_called(it) else name
    if called is None or not _is_other(called, name) or any(tag_of(FIELD) in it.tags for it in told):
        return told
    return [*told, _kept(called)]


def _is_other(record: Candidate | Memory, name: str | None) -> bool:
    """Whether somebody is called otherwise than they are named; "Dora" of "Dora Maar" is the same name."""
    said = (record.object or "").casefold().split()
    return name is not None and not set(said) <= set(name.casefold().split())


def as_address(candidate: Candidate) -> Candidate:
    """Return a name that was given as a form of address as a preference of the profile."""
    subject = candidate.subject or "user"
    who = "The user" if subject == "user" else subject
    return replace(
        candidate,
        kind="preference",
        content=f"{who} wants to be called {candidate.object}",
        relation=relation_of(FIELD),
        tags=(*(it for it in candidate.tags if it != CALLED), tag_of(FIELD)),
    )


def _kept(memory: Memory) -> Candidate:
    """Return what was taken for a name as the form of address that it was."""
    return as_address(
        Candidate(
            content=memory.content,
            kind=memory.kind,
            source=memory.source,
            confidence=memory.confidence,
            subject=memory.subject,
            relation=memory.relation,
            object=memory.object,
            tags=memory.tags,
            purposes=memory.purposes,
            provenance=memory.provenance,
            valid_at=memory.valid_at,
        )
    )

"""A memory with changes: as a candidate, which checks every value, and without what was said of its old words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from langchain_agentmem._checks import check_unit
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.policies.confidence import after
from langchain_agentmem.policies.trust import CLASS_TRUST, OWN_WORD, class_of
from langchain_agentmem.types import Candidate, Memory, Provenance

REVISABLE: Final = frozenset(field.name for field in fields(Candidate)) - {
    "is_correction",
    "corrects",
    "supersedes",
    "began",
}
"""Fields of a memory that `revise` may change."""


def candidate_of(memory: Memory, changes: Mapping[str, Any]) -> Candidate:
    """Return a memory as it would be with changes, as a candidate."""
    values = {name: getattr(memory, name) for name in REVISABLE}
    return Candidate(**{**values, **changes})


def revised(memory: Memory, changes: Mapping[str, Any]) -> Candidate:
    """Return a memory with changes as a candidate, which checks every value."""
    unknown = sorted(set(changes) - REVISABLE)
    if unknown:
        msg = f"revise cannot change {unknown[0]!r}; it can change {', '.join(sorted(REVISABLE))}"
        raise ConfigurationError(msg)
    if not changes:
        msg = "revise was given nothing to change; pass for example content='…'"
        raise ConfigurationError(msg)
    if "trust" in changes and check_unit("trust", changes["trust"]) > memory.trust:
        msg = (
            f"revise cannot raise trust from {memory.trust!r} to {changes['trust']!r}: it is its source's; remember "
            "the same as said by somebody who is trusted more"
        )
        raise ConfigurationError(msg)
    made = candidate_of(memory, changes)
    if made.content == memory.content and class_of(memory.provenance) not in OWN_WORD:
        _check_source(memory.provenance, made.provenance)
    return made


def _check_source(old: Provenance, new: Provenance) -> None:
    """Refuse that the same words come from somebody who is trusted more.

    Raises:
        ConfigurationError: They would.
    """
    before, claimed = class_of(old), class_of(new)
    if CLASS_TRUST[claimed] > CLASS_TRUST[before]:
        msg = (
            f"revise cannot make what {before!r} claims the word of {claimed!r}; remember the same as said by somebody"
            " who is trusted more, or pass content= that they said"
        )
        raise ConfigurationError(msg)


def with_meaning(memory: Memory, changes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return changes in which new content keeps nothing that was said of the old: its meaning, its evidence, its doubt.

    Who revises says so: unless told otherwise the new words are the application's, and certain as a correction is.
    """
    if changes.get("content", memory.content) == memory.content:
        return changes
    origin = Provenance(message_ids=memory.provenance.message_ids, run_id=memory.provenance.run_id)
    source = "explicit" if memory.source == "inferred" else memory.source
    told = {"subject": None, "relation": None, "object": None, "provenance": origin, "source": source}
    return {**told, "confidence": after(memory.confidence, "corrected"), **changes}

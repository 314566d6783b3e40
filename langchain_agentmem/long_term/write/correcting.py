"""What a user corrects: their words in the place of a memory, with where they were said."""

from __future__ import annotations

from dataclasses import replace

from langchain_agentmem._checks import check_instance
from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.ledger.base import LedgerReader
from langchain_agentmem.ledger.presence import must_have
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.write.approval_questions import to_be_replaced
from langchain_agentmem.long_term.write.completing import as_sentence
from langchain_agentmem.long_term.write.draughts import Demanded
from langchain_agentmem.long_term.write.writing import Writing
from langchain_agentmem.policies.confidence import after
from langchain_agentmem.policies.trust import OWN_WORD
from langchain_agentmem.types import Candidate, Decision, Memory, Provenance, Scope
from langchain_agentmem.types.memories import LIVE_STATUSES


class Correcting:
    """Puts what the user says in the place of what is remembered; both explain themselves."""

    def __init__(self, parts: Parts, writing: Writing) -> None:
        """Compose."""
        self._parts = parts
        self._writing = writing

    def correct(
        self, memory_id: str, content: str, scope: Scope, provenance: Provenance | None, reason: str
    ) -> Flow[Decision]:
        """Supersede a memory by the user's own words.

        Raises:
            NotFoundError: The id does not exist in this scope.
            ConfigurationError: The memory is no longer in force, or somebody else than the user or the application
                speaks.
        """
        origin = provenance or Provenance(speaker="user")
        if self._parts.trust.class_of(check_instance("provenance", origin, Provenance)) not in OWN_WORD:
            msg = f"{origin.speaker!r} cannot correct what a user said; remember what it claims, which is weighed then"
            raise ConfigurationError(msg)
        old, ending = yield from self._parts.ledger.read(scope, lambda reader: _known(reader, memory_id))
        if old.status not in LIVE_STATUSES:
            msg = f"memory {memory_id!r} is {old.status}; correct what took its place, or restore it first"
            raise ConfigurationError(msg)
        ended = [it.id for it in ending if it.id not in old.contradicts]  # in whose place it waited, in whatever words
        told = replace(_corrected(old, content, origin), supersedes=(memory_id, *ended))
        demanded = Demanded(told, {memory_id: reason}, [it.id for it in ending if it.id in old.contradicts])
        return (yield from self._writing.replace(demanded, scope, f"it corrects memory {memory_id}"))


def _known(reader: LedgerReader, memory_id: str) -> tuple[Memory, tuple[Memory, ...]]:
    """Return a memory, and what it was to end if it waits: whoever corrects it has answered what it waited for."""
    memory = must_have(reader, memory_id)
    if memory.status != "pending":
        return memory, ()
    return memory, to_be_replaced(reader, memory)


def _corrected(old: Memory, content: str, origin: Provenance) -> Candidate:
    """Return the user's words about the same thing; what was read in the old ones is not said of the new."""
    return Candidate(
        content=as_sentence(content, old),
        kind=old.kind,
        source="explicit",
        confidence=after(old.confidence, "corrected"),
        importance=old.importance,
        tags=old.tags,
        purposes=old.purposes,
        legal_basis=old.legal_basis,
        provenance=replace(origin, trust_class=None),
        expires_at=old.expires_at,
        is_correction=True,
        goal=old.goal,
        pinned=old.pinned,
    )

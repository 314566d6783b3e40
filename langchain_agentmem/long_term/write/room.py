"""How many memories a conversation has written, of as many as it may."""

from __future__ import annotations

from langchain_agentmem._flow import Flow
from langchain_agentmem.ledger.base import LedgerReader
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.policies.trust import OWN_WORD, class_of
from langchain_agentmem.types import Candidate, Scope


def is_full(parts: Parts, scope: Scope) -> Flow[bool]:
    """Whether a conversation has written as many memories as the write policy lets it."""
    session_id, most = scope.session_id, parts.policy.max_writes
    if session_id is None or most is None or scope.is_anonymous:
        return False
    return (yield from parts.ledger.read(scope, lambda reader: room_taken(reader, session_id, most) >= most))


def room_taken(reader: LedgerReader, session_id: str, most: int | None, candidate: Candidate | None = None) -> int:
    """Return how much of the room of a session is taken, for a candidate or for anything else that its user says.

    What others claimed and nothing uses has room of its own: it takes none from the user, and fills no more than that.

    Args:
        reader: Of the session's user.
        session_id: Which.
        most: As many there may be; where there are fewer of all, no more is asked. `None`: that is not known.
        candidate: What is to be kept.
    """
    are_outcomes = candidate is not None and candidate.kind == "outcome"
    written = reader.written_in_session(session_id, are_outcomes=are_outcomes)
    if written < (most or 0):
        return written
    held = (it for it in reader.held_in_session(session_id) if (it.kind == "outcome") == are_outcomes)
    claims = sum(class_of(it.provenance) not in OWN_WORD for it in held)
    is_own = candidate is None or class_of(candidate.provenance) in OWN_WORD
    return written - claims if is_own else max(written - claims, claims)

"""Builders of candidates and contexts that no default rule objects to."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from langchain_agentmem.policies.write import WriteContext
from langchain_agentmem.types import Candidate, ConsentState, Provenance, Scope, Speaker

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ALICE = Scope("alice", session_id="s1")
GRANTED = ConsentState(status="granted", at=NOW)


def context(**changes: Any) -> WriteContext:
    return WriteContext(**{"scope": ALICE, "now": NOW, "consent": GRANTED, **changes})


def said(
    content: str = "Alice prefers Python for backend services", speaker: Speaker = "user", **changes: Any
) -> Candidate:
    return Candidate(content=content, provenance=Provenance(speaker=speaker), **changes)


def shown(content: str, evidence: str | None, *, ids: tuple[str, ...] = (), **changes: Any) -> Candidate:
    return Candidate(
        content=content, provenance=Provenance(speaker="user", evidence=evidence, message_ids=ids), **changes
    )

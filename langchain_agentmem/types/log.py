"""What the log holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeAlias

from langchain_agentmem.types.showing import briefly

EventType: TypeAlias = Literal[
    "remembered",
    "confirmed",
    "activated",
    "superseded",
    "contradicted",
    "revised",
    "feedback",
    "forgotten",
    "forget_asked",
    "faded",
    "refreshed",
    "restored",
    "reverted",
    "erased",
    "refused",
    "approval_asked",
    "approved",
    "rejected",
    "approval_expired",
    "consent_granted",
    "consent_withdrawn",
    "access_refused",
    "hold_placed",
    "hold_released",
    "exported",
    "imported",
    "erasure_begun",
    "subject_erased",
    "episodes_kept",
    "episodes_superseded",
    "episodes_dropped",
    "policy_applied",
    "policy_violated",
    "skill_applied",
    "cleaned",
    "revealed",
    "head_unverified",
]
"""What the log tells of: each is one of these, in clear."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One entry of the log.

    Attributes:
        seq: Position in the chain of its (tenant, user), from 1 without a gap.
        payload: What happened; `None` once erased.
        digest: Hash over the previous digest, the header and the commitment to the payload, in hex.
        rule: Name of the rule that decided, where one did.
    """

    __repr__ = briefly()

    seq: int
    type: str
    at: datetime
    memory_id: str | None
    payload: Mapping[str, Any] | None = field(repr=False)
    digest: str
    rule: str | None = None

    @property
    def note(self) -> Mapping[str, Any]:
        """What it tells beside what it changes; nothing once erased."""
        return (self.payload or {}).get("note") or {}

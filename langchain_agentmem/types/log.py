"""What the log holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One entry of the log.

    Attributes:
        seq: Position in the chain of its (tenant, user), from 1 without a gap.
        payload: What happened; `None` once erased.
        digest: Hash over the previous digest, the header and the commitment to the payload, in hex.
    """

    seq: int
    type: str
    at: datetime
    memory_id: str | None
    payload: Mapping[str, Any] | None
    digest: str

"""What becomes of a memory, and why: the words of forgetting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias

from langchain_agentmem.types import Kind, Status
from langchain_agentmem.types.showing import briefly

Move: TypeAlias = Literal["fade", "refresh", "archive", "erase"]
"""`fade`: ranked lower. `refresh`: no longer. `archive`: not recalled, restorable. `erase`: gone for good."""

Remedy: TypeAlias = Literal["use", "confirm", "pin", "revise", "restore", "raise_max_memories", "release_hold"]

REASONS: Final[Mapping[str, str]] = {
    "held": "a legal hold stands: nothing of this user's is forgotten by itself",
    "waits": "it waits for somebody's decision",
    "pinned": "it is pinned",
    "supports": "a conclusion that stands rests on it",
    "profile": "it has a place in the user's profile",
    "lasting": "its kind does not decay",
    "fresh": "it is retained well enough",
    "faded": "it was not used for so long that little of it is retained",
    "decayed": "it was not used for so long that next to nothing of it is retained",
    "old_and_rare": "it was rarely used, and not at all for longer than is allowed",
    "low_confidence": "what is left of its confidence is too little",
    "expired": "the time has come that was set for it",
    "superseded": "another memory replaced it",
    "archived": "it is in the archive",
    "capacity": "the scope has more memories than it may, and this one is retained least",
    "capacity_waiting": "more memories wait than may, and this one is trusted least, or retained least",
    "merged": "others say the same, and one is to stand for all",
}
"""What each rule says, without a word of what the memory says."""

SAVED_BY: Final[Mapping[str, tuple[Remedy, ...]]] = {
    "faded": ("use", "confirm", "pin"),
    "decayed": ("use", "confirm", "pin"),
    "old_and_rare": ("use", "confirm", "pin"),
    "low_confidence": ("confirm", "pin"),
    "expired": ("revise",),
    "superseded": ("pin",),
    "archived": ("restore", "pin"),
    "capacity": ("use", "pin", "raise_max_memories"),
    "capacity_waiting": ("confirm", "pin", "raise_max_memories"),
    "merged": ("pin",),
}
"""What would save a memory from a rule: a recall that returns it, a confirmation, a pin, another `expires_at`, …"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """What becomes of one memory.

    Attributes:
        status: As it was judged.
        move: What is to be done with it now; `None`: nothing. `rule`: which rule says so; `reason`: in words.
        retention: R, in [0, 1]. `stability_days`: S; `None`: it does not decay.
        confidence: What is left of it.
        uses: How often it was recalled. `last_mattered_at`: when it was last used, confirmed or learned.
        next_move: What comes next if nothing happens, by `next_rule`, at `next_at`; `None`: nothing does.
        saved_by: What would save it from that.
    """

    __repr__ = briefly("move")

    memory_id: str
    kind: Kind
    status: Status
    move: Move | None
    rule: str
    reason: str
    retention: float
    stability_days: float | None
    confidence: float
    uses: int
    last_mattered_at: datetime
    next_move: Move | None = None
    next_rule: str | None = None
    next_at: datetime | None = None
    saved_by: tuple[Remedy, ...] = ()

"""What a cycle of forgetting did, or would do, with every memory of a scope."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from langchain_agentmem.policies.forget_fates import Fate, Move
from langchain_agentmem.types.showing import briefly


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetReport:
    """What becomes of every memory of a scope, and why.

    Attributes:
        at: As of when.
        fates: One for each memory that the cycle looked at, the newest first.
        merged: Ids of memories that became one each, to make room: the sources of each.
        changed: Ids of memories to which something happened while the cycle was at work: they are left for the next.
        erased: Ids of what is gone for good, with what it was merged from.
        refused: The rule that forbade all of it: `memory_mode` or `anonymous_scope`; `None`: none did.
        is_held: Whether a legal hold stands.
    """

    __repr__ = briefly("fates")

    at: datetime
    fates: tuple[Fate, ...] = ()
    merged: tuple[tuple[str, ...], ...] = ()
    changed: tuple[str, ...] = ()
    erased: tuple[str, ...] = ()
    refused: str | None = None
    is_held: bool = False
    is_dry_run: bool = False

    @property
    def moves(self) -> tuple[Fate, ...]:
        """The memories with which something is done."""
        return tuple(it for it in self.fates if it.move is not None)

    @property
    def counts(self) -> Mapping[Move, int]:
        """How many memories each move is made with."""
        return Counter(it.move for it in self.fates if it.move is not None)

    def of(self, memory_id: str) -> Fate | None:
        """Return the fate of one memory; `None`: it is not this scope's, or not there."""
        return next((it for it in self.fates if it.memory_id == memory_id), None)

"""What a consolidation did, and what it left alone."""

from __future__ import annotations

from dataclasses import dataclass

from langchain_agentmem.policies.consolidating import LeftAlone


@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidated:
    """One conclusion.

    Attributes:
        memory_id: Of the new memory; `None` in a dry run.
        sources: Ids of the memories it was concluded from.
        reason: As `why` tells it.
    """

    memory_id: str | None
    sources: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Summarised:
    """The summary of a conversation.

    Attributes:
        version: Of the summary that is kept now; `None`: there is none.
        is_new: Whether this run made it.
        reason: Why there is none, or none that is new.
        failures: Calls of the model that failed, and were made up for without one.
    """

    version: int | None = None
    is_new: bool = False
    reason: str = ""
    failures: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsolidationReport:
    """What a run did to the memories of one user; in a dry run, what it would do.

    Attributes:
        merged: Memories in the place of several that said the same.
        promoted: Memories that waited, and were seen often enough.
        learned: What several failures of one action led to.
        summary: Of the session.
        left_alone: What says the same and stays apart, or still waits, and why.
        refused: The rule that forbade all of it: `consent`, `memory_mode` or `anonymous_scope`; `None`: none did.
        is_whole: Whether all memories were looked at, and not only the newest ones.
    """

    merged: tuple[Consolidated, ...] = ()
    promoted: tuple[Consolidated, ...] = ()
    learned: tuple[Consolidated, ...] = ()
    summary: Summarised | None = None
    left_alone: tuple[LeftAlone, ...] = ()
    refused: str | None = None
    is_dry_run: bool = False
    is_whole: bool = True

    @property
    def changes(self) -> int:
        """How many memories were written."""
        return len(self.merged) + len(self.promoted) + len(self.learned)

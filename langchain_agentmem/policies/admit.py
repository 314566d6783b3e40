"""Which memories a recall may use: the ledger's last word on what an index proposed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from langchain_agentmem.policies.approve import awaits
from langchain_agentmem.policies.consent import Consented
from langchain_agentmem.types import Memory, RecallQuery, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """The conditions of one recall, at one time.

    Args:
        consent: What the user allows, as of that time; `None`: everything.
    """

    query: RecallQuery
    now: datetime
    consent: Consented | None = None

    @property
    def statuses(self) -> tuple[Status, ...]:
        """Statuses that the query allows; a look into the past sees what was true then, corrected later or not."""
        allowed: list[Status] = ["active"]
        if self.query.include_superseded or self.query.as_of is not None:
            allowed.append("superseded")
        if self.query.include_pending:
            allowed.append("pending")
        return tuple(allowed)

    @property
    def at(self) -> datetime:
        """Time for which the answer is to be true."""
        return self.query.as_of or self.now

    @property
    def sees_ended(self) -> bool:
        """Whether also what is no longer true may be returned."""
        return self.query.include_superseded and self.query.as_of is None

    def objection(self, memory: Memory) -> str | None:
        """Return the name of the rule that keeps a memory out, or `None`."""
        if awaits(memory):
            return "awaits_approval"
        if memory.status not in self.statuses and not _was_said(memory):
            return f"status_{memory.status}"
        if memory.expires_at is not None and memory.expires_at <= self.now:
            return "expired"
        if not self._is_valid(memory):
            return "not_valid_then"
        if not self._is_in_window(memory):
            return "outside_window"
        if self.consent is not None and not self.consent.allows(memory.kind):
            return "consent"
        if not self._serves_purpose(memory):
            return "purpose"
        return self._objection_of_query(memory)

    def holds(self, memory: Memory) -> bool:
        """Whether a memory is in force at the time asked for, and may be used, whatever else is asked."""
        is_standing = memory.status == "active" or (memory.status == "superseded" and self.query.as_of is not None)
        is_there = memory.expires_at is None or memory.expires_at > self.now
        return is_standing and is_there and self._is_valid(memory) and self.allows(memory)

    def allows(self, memory: Memory) -> bool:
        """Whether a memory may be used for the purpose of the query, whatever became of it."""
        return (self.consent is None or self.consent.allows(memory.kind)) and self._serves_purpose(memory)

    def _objection_of_query(self, memory: Memory) -> str | None:
        query = self.query
        if query.kinds is not None and memory.kind not in query.kinds:
            return "kind"
        if not set(query.tags) <= set(memory.tags):
            return "tags"
        if memory.confidence < query.min_confidence:
            return "confidence"
        return None

    def _is_valid(self, memory: Memory) -> bool:
        is_begun = memory.valid_at is None or memory.valid_at <= self.at
        return is_begun and (self.sees_ended or memory.invalid_at is None or memory.invalid_at > self.at)

    def _is_in_window(self, memory: Memory) -> bool:
        happened = memory.valid_at or memory.created_at
        since, until = self.query.since, self.query.until
        return (since is None or happened >= since) and (until is None or happened < until)

    def _serves_purpose(self, memory: Memory) -> bool:
        """Whether memory and consent allow the use: what names no purpose is as limited as the consent."""
        purpose = self.query.purpose
        if memory.purposes and purpose not in memory.purposes:
            return False
        limits = self.consent
        return limits is None or limits.serves(memory.kind, purpose)


def _was_said(memory: Memory) -> bool:
    """Whether it is a turn that a later one seems to update: a mark by rule is no reason to withhold what was said."""
    return memory.kind == "episode" and memory.status == "superseded"

"""What was asked of a memory that waits for approval: an export tells it, and an import asks it again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from langchain_agentmem._checks import check_text
from langchain_agentmem.ledger.codec import from_micros
from langchain_agentmem.ledger.lives import Life
from langchain_agentmem.long_term.write.approval_questions import asked_note
from langchain_agentmem.policies.approve import awaits
from langchain_agentmem.policies.redact import redact
from langchain_agentmem.privacy.layers import Record
from langchain_agentmem.types import Memory

ASKED: Final = "asked"
"""The field of a memory's record that holds it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedThen:
    """A question, as it was asked in the database that it comes from."""

    reason: str
    agent_id: str | None
    session_id: str | None
    expires_at: datetime | None

    def note(self, memory: Memory) -> dict[str, Any]:
        """Return what the event that brings the memory tells of it."""
        proposer = replace(memory.scope, agent_id=self.agent_id, session_id=self.session_id)
        return asked_note(memory, redact(self.reason), proposer, self.expires_at)


def told(life: Life, memory: Memory) -> dict[str, Any]:
    """Return what an export says of the question; nothing, where none was asked."""
    note = (life.asked and life.asked.note) or {}
    if not awaits(memory) or "expires_at" not in note:
        return {}
    ends = from_micros(note.get("expires_at"))
    said = {"reason": note.get("reason", ""), "agent_id": note.get("agent"), "session_id": note.get("session")}
    return {ASKED: {**said, "expires_at": None if ends is None else ends.isoformat()}}


def question(record: Record, memory: Memory, ends: datetime | None) -> AskedThen | None:
    """Return what is to be asked of a memory; `ends`: of one whose record does not tell, as earlier exports do not."""
    if not awaits(memory):
        return None
    said = record.data.get(ASKED)
    if said is None:
        kept = {"agent_id": memory.scope.agent_id, "session_id": memory.scope.session_id}
        return AskedThen(reason="", expires_at=ends, **kept)
    named = {name: _name(name, said[name]) for name in ("agent_id", "session_id")}
    until = said["expires_at"]
    return AskedThen(
        reason=check_text("reason", said["reason"]) if said["reason"] else "",
        expires_at=None if until is None else datetime.fromisoformat(check_text("expires_at", until)),
        **named,
    )


def _name(name: str, value: object) -> str | None:
    return None if value is None else check_text(name, value)

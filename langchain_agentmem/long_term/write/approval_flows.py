"""The flows behind `Approvals`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from langchain_agentmem._flow import Flow
from langchain_agentmem.jobs import Handler
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.write.approving import Approving
from langchain_agentmem.policies.sensitive_records import shown_memory, shown_result
from langchain_agentmem.types import Approval, ApprovalDecision, ApprovalOutcome, MemoryMode, Scope
from langchain_agentmem.types.paging import DEFAULT_LIMIT, Page
from langchain_agentmem.types.scope import known_user


class ApprovalFlows:
    """What `Approvals` promises, as flows."""

    def __init__(self, parts: Parts, searching: Searching) -> None:
        """Compose."""
        self._approving = Approving(parts, searching)
        self._access = parts.access
        self._sensitive = parts.sensitive

    @property
    def handlers(self) -> dict[str, Handler]:
        """Return what a process needs to end what was never decided."""
        return self._approving.handlers

    def list(self, scope: Scope, limit: int = DEFAULT_LIMIT, cursor: str | None = None) -> Flow[Page[Approval]]:
        """List; see `Approvals.list`."""
        page = yield from self._approving.page(known_user(scope), limit, cursor)
        return page.each(self._shown)

    def waiting(self, memory_ids: Sequence[str], scope: Scope) -> Flow[dict[str, Approval]]:
        """Return those of some memories that can still be decided, by id."""
        found = yield from self._approving.waiting(memory_ids, known_user(scope))
        return {memory_id: self._shown(it) for memory_id, it in found.items()}

    def decide(
        self, decisions: Sequence[ApprovalDecision], scope: Scope, decided_by: str, mode: MemoryMode | None = None
    ) -> Flow[Sequence[ApprovalOutcome]]:
        """Decide, for somebody whom the run has named; see `Approvals.decide`."""
        deciding = self._approving.decide(decisions, known_user(scope), decided_by, mode)
        outcomes = yield from self._access.within("write", scope, deciding)
        return [shown_result(self._sensitive, it) for it in outcomes]

    def _shown(self, approval: Approval) -> Approval:
        memory, *replaced = (shown_memory(self._sensitive, it) for it in (approval.memory, *approval.would_supersede))
        return replace(approval, memory=memory, would_supersede=tuple(replaced))

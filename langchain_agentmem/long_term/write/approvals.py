"""Approvals as callers see them: what waits for a person, and their word on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from langchain_agentmem._checks import check_text
from langchain_agentmem._flow import arun, run
from langchain_agentmem.jobs import Handler
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.write.approval_flows import ApprovalFlows
from langchain_agentmem.types import Approval, ApprovalDecision, ApprovalOutcome, Scope
from langchain_agentmem.types.approvals import check_decisions
from langchain_agentmem.types.paging import DEFAULT_LIMIT, Page


class Approvals:
    """What waits for a person's word: nothing recalls, shows or replaces by it until they give it.

    Who proposed a memory is recorded when it is asked about, and who decides when they do. Neither is ever what a model
    says: no tool decides, and within a tool nobody can.

    Raises (every method): `ScopeError` for anything but a user's `Scope`, `StorageError` when the database fails.
    """

    def __init__(self, parts: Parts, searching: Searching, decider: Callable[[str | None], str]) -> None:
        """Compose; made by `AgentMemory`.

        Args:
            parts: Of long-term memory.
            searching: Brings indexes along.
            decider: Returns who decides: who is named, else the user of the run around the call.
        """
        self._flows = ApprovalFlows(parts, searching)
        self._decider = decider

    @property
    def handlers(self) -> dict[str, Handler]:
        """Return what a process needs to end what was never decided."""
        return self._flows.handlers

    def list(self, scope: Scope, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None) -> Page[Approval]:
        """Return what waits and can still be decided, the latest first.

        That is what the approval policy asks about, and what contradicts what stands and is less trusted.

        Args:
            scope: Whose. With an `agent_id` what that agent would remember too, without one only what all would share.
            limit: At most so many, up to 1,000.
            cursor: Of the page before.

        Raises:
            ConfigurationError: The limit or the cursor cannot be used.
        """
        return run(self._flows.list(scope, limit, cursor))

    async def alist(self, scope: Scope, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None) -> Page[Approval]:
        """Return what waits and can still be decided; see `list`."""
        return await arun(self._flows.list(scope, limit, cursor))

    def decide(
        self,
        approvals: ApprovalDecision | Iterable[ApprovalDecision],
        *,
        scope: Scope,
        decided_by: str | None = None,
    ) -> Sequence[ApprovalOutcome]:
        """Approve, approve in other words, or reject; all of it in one transaction.

        What is approved passes the write policy again, as it would be remembered then: consent may have been withdrawn,
        and other words may say what is not kept. Where a rule objects, that memory waits on, and its outcome is
        `refused`; so it is where the agent that proposed it decides (`self_approval`), who may only reject it.

        Args:
            approvals: What is decided, for example `[it.approve() for it in memory.approvals.list(scope=scope)]`.
            scope: Whose memories they are.
            decided_by: Who decides, as the application knows them; `None`: the user of the run around this call.

        Returns:
            What became of each, in the order given.

        Raises:
            NotFoundError: One does not exist in this scope, or is erased; nothing is decided then.
            ConflictError: One was decided already, or says something else than was shown; nothing is decided then.
            GovernanceError: The call is made within a tool, where a model may have asked for it.
            ConfigurationError: Nobody says who decides, or a decision cannot be used.
        """
        return run(self._flows.decide(check_decisions(approvals), scope, self._who(decided_by)))

    async def adecide(
        self,
        approvals: ApprovalDecision | Iterable[ApprovalDecision],
        *,
        scope: Scope,
        decided_by: str | None = None,
    ) -> Sequence[ApprovalOutcome]:
        """Approve, approve in other words, or reject; see `decide`."""
        return await arun(self._flows.decide(check_decisions(approvals), scope, self._who(decided_by)))

    def _who(self, decided_by: str | None) -> str:
        return self._decider(None if decided_by is None else check_text("decided_by", decided_by, max_chars=512))

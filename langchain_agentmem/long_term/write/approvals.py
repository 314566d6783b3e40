"""Approvals as callers see them: what waits for a person, and their word on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import overload

from langchain_agentmem._checks import check_text
from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.jobs import Handler
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.recall.listing import ListQuery
from langchain_agentmem.long_term.write.approving import Approving
from langchain_agentmem.policies.sensitive_records import shown_memory, shown_result
from langchain_agentmem.types import Approval, ApprovalDecision, ApprovalOutcome, MemoryMode, Scope
from langchain_agentmem.types.approvals import check_decisions
from langchain_agentmem.types.scope import known_user


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalPage(Sequence[Approval]):
    """A page of what waits, the latest first; `cursor` continues behind it, and is `None` on the last page."""

    approvals: tuple[Approval, ...] = ()
    cursor: str | None = None

    @overload
    def __getitem__(self, index: int) -> Approval: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Approval, ...]: ...
    def __getitem__(self, index: int | slice) -> Approval | tuple[Approval, ...]:
        """Return one of them, or several."""
        return self.approvals[index]

    def __len__(self) -> int:
        """Return how many are on the page."""
        return len(self.approvals)

    def __iter__(self) -> Iterator[Approval]:
        """Iterate, the latest first."""
        return iter(self.approvals)


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
        self._approving = Approving(parts, searching)
        self._decider = decider
        self._access = parts.access
        self._sensitive = parts.sensitive

    @property
    def handlers(self) -> dict[str, Handler]:
        """Return what a process needs to end what was never decided."""
        return self._approving.handlers

    def list(self, *, scope: Scope, limit: int = 100, cursor: str | None = None) -> ApprovalPage:
        """Return what waits and can still be decided, the latest first.

        That is what the approval policy asks about, and what contradicts what stands and is less trusted.

        Args:
            scope: Whose. With an `agent_id` what that agent would remember too, without one only what all would share.
            limit: At most so many, up to 1,000.
            cursor: Of the page before.

        Raises:
            ConfigurationError: The limit or the cursor cannot be used.
        """
        return run(self.list_flow(scope, ListQuery(statuses=("pending",), limit=limit, cursor=cursor)))

    async def alist(self, *, scope: Scope, limit: int = 100, cursor: str | None = None) -> ApprovalPage:
        """Return what waits and can still be decided; see `list`."""
        return await arun(self.list_flow(scope, ListQuery(statuses=("pending",), limit=limit, cursor=cursor)))

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
        return run(self._decide(approvals, scope, decided_by))

    async def adecide(
        self,
        approvals: ApprovalDecision | Iterable[ApprovalDecision],
        *,
        scope: Scope,
        decided_by: str | None = None,
    ) -> Sequence[ApprovalOutcome]:
        """Approve, approve in other words, or reject; see `decide`."""
        return await arun(self._decide(approvals, scope, decided_by))

    def list_flow(self, scope: Scope, query: ListQuery) -> Flow[ApprovalPage]:
        """List as part of another flow; see `list`."""
        found, cursor = yield from self._approving.page(query, known_user(scope))
        return ApprovalPage(approvals=tuple(map(self._shown, found)), cursor=cursor)

    def waiting_flow(self, memory_ids: Sequence[str], scope: Scope) -> Flow[dict[str, Approval]]:
        """Return those of some memories that can still be decided, by id, as part of another flow."""
        found = yield from self._approving.waiting(memory_ids, known_user(scope))
        return {memory_id: self._shown(it) for memory_id, it in found.items()}

    def _shown(self, approval: Approval) -> Approval:
        memory, *replaced = (shown_memory(self._sensitive, it) for it in (approval.memory, *approval.would_supersede))
        return replace(approval, memory=memory, would_supersede=tuple(replaced))

    def decide_flow(
        self, decisions: Sequence[ApprovalDecision], scope: Scope, decided_by: str, mode: MemoryMode | None = None
    ) -> Flow[Sequence[ApprovalOutcome]]:
        """Decide as part of another flow, for somebody whom the run has named; see `decide`."""
        deciding = self._approving.decide(decisions, known_user(scope), decided_by, mode)
        outcomes = yield from self._access.within_flow("write", scope, deciding)
        return [shown_result(self._sensitive, it) for it in outcomes]

    def _decide(self, given: object, scope: Scope, decided_by: str | None) -> Flow[Sequence[ApprovalOutcome]]:
        decisions = check_decisions(given)
        who = self._decider(None if decided_by is None else check_text("decided_by", decided_by, max_chars=512))
        return (yield from self.decide_flow(decisions, scope, who))

"""The flows behind `ProceduralMemory`: what policies say to an action, and the log of what was applied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from langchain_agentmem._checks import check_instance
from langchain_agentmem._flow import Flow, work
from langchain_agentmem.ledger.base import Ledger
from langchain_agentmem.policies.actions import Action
from langchain_agentmem.policies.enforce import ActionCheck, ActionContext, check_action
from langchain_agentmem.procedural.events import Applied, Runs, log_flow, stated
from langchain_agentmem.procedural.library import Library, Snapshot
from langchain_agentmem.types import Scope
from langchain_agentmem.types.scope import check_scope

Given: TypeAlias = Action | Mapping[str, Any] | str


@dataclass(frozen=True, slots=True)
class PolicyFlows:
    """What policies say, as part of other flows.

    Args:
        library: Where skills and policies are.
        ledger: Where it is logged what was applied.
        runs: Tells which runs are logged.
    """

    library: Library
    ledger: Ledger
    runs: Runs

    def current(self) -> Flow[Snapshot]:
        """Return the skills and policies as they are now."""
        return (yield from work(self.library.current))

    def check(self, action: Given, context: ActionContext | None = None) -> Flow[ActionCheck]:
        """Check an action for who logs what became of it; see `ProceduralMemory.check_action`."""
        given = Action.of(action)
        if context is not None:
            check_instance("context", context, ActionContext)
        policies = (yield from self.current()).policies
        return check_action(given, policies, context)

    def log(self, applied: Sequence[Applied], scope: Scope) -> Flow[None]:
        """Log which policies, in which version, were applied to actions of a user, and how; not with memory off."""
        if self.runs.are_logged(scope):
            snapshot = yield from self.current()
            yield from log_flow(self.ledger, scope, applied, snapshot)

    def checked(self, action: Given, context: ActionContext | None, scope: Scope | None) -> Flow[ActionCheck]:
        """Check an action, and log what the policies say where it is to be done for somebody."""
        if scope is None:
            return (yield from self.check(action, context))
        whose, given = check_scope(scope), Action.of(action)
        who = ActionContext(agent_id=whose.agent_id, user_id=whose.user_id or None, tenant_id=whose.tenant_id)
        check = yield from self.check(given, context or who)
        yield from self.log(stated(check, given, () if context is None else context.approved), whose)
        return check

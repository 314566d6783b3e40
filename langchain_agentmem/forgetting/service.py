"""Forgetting as callers see it: a cycle run now, foreseen, or once a day for everybody."""

from __future__ import annotations

from datetime import datetime

from langchain_agentmem._flow import arun, run
from langchain_agentmem.forgetting.flows import ForgettingFlows
from langchain_agentmem.forgetting.report import ForgetReport
from langchain_agentmem.jobs import Handler, Round
from langchain_agentmem.policies.forget import ForgettingPolicy
from langchain_agentmem.types import Scope


class Forgetting:
    """Lets go of what is no longer needed, each memory by a rule that says why; `ForgettingPolicy` has the numbers.

    * A memory that is not used **fades**: it ranks lower, until it is used. Later it is **archived**: not recalled any
      more, and `long_term.restore` takes it back. What was long enough in the archive is **erased**.
    * Every step is an event with rule and reason, and a transaction holds few of them: no reader waits, and writers
      have their turn in between, receipts of recalls among them. What is done is not planned again, so a cycle that was
      killed goes on with the next, and a second one changes nothing.
    * Pinned memories stay, but for an `expires_at` of their own. Under a legal hold nothing moves.
    * Too many memories (`max_memories`): near-duplicates are merged first, then the least retained are archived.
      As many may wait, and are counted apart: what waits never costs what is in force its place.

    In mode `frozen` or `off` nothing is forgotten by itself; consent is not asked for: to have less needs none.

    Raises (every method): `ScopeError` for anything but a `Scope`, `StorageError` when the database fails.
    """

    def __init__(self, flows: ForgettingFlows) -> None:
        """Compose; made by `AgentMemory`."""
        self._flows = flows

    @property
    def policy(self) -> ForgettingPolicy:
        """Return the numbers it goes by."""
        return self._flows.policy

    @property
    def handlers(self) -> dict[str, Handler]:
        """Return what a process needs to do these jobs."""
        return self._flows.handlers

    @property
    def rounds(self) -> list[Round]:
        """Return what queues a cycle of everybody once a day; none, where no policy was chosen."""
        return self._flows.rounds

    def forget_cycle(self, scope: Scope, *, dry_run: bool = False, now: datetime | None = None) -> ForgetReport:
        """Fade, archive and erase what is due of a scope's user and agent, and tell of each memory why, and what next.

        Args:
            scope: Whose. With an `agent_id` only that agent's own memories, without one only the shared ones.
            dry_run: Change nothing, and report exactly what would be done.
            now: Foresee what would be done then, if nothing happened until then; for a dry run.

        Raises:
            ConfigurationError: `now` is given without `dry_run`, or has no zone.
        """
        return run(self._flows.cycle(scope, dry_run=dry_run, now=now))

    async def aforget_cycle(self, scope: Scope, *, dry_run: bool = False, now: datetime | None = None) -> ForgetReport:
        """Fade, archive and erase what is due; see `forget_cycle`."""
        return await arun(self._flows.cycle(scope, dry_run=dry_run, now=now))

    def schedule(self, scope: Scope) -> bool:
        """Queue a cycle for a scope's user and agent, done by whichever process runs `memory.jobs`: one job for each.

        Returns:
            Whether it was queued: not for an anonymous visitor, or where memory is not `on`.
        """
        return run(self._flows.schedule(scope))

    async def aschedule(self, scope: Scope) -> bool:
        """Queue a cycle; see `schedule`."""
        return await arun(self._flows.schedule(scope))

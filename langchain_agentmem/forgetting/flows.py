"""The flows behind `Forgetting`."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from langchain_agentmem._checks import check_flag, check_time
from langchain_agentmem._flow import Flow, step
from langchain_agentmem.consolidation.flows import ConsolidationFlows
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.forgetting.planning import CROWDED, ForgetPlan, Judgement, plan_flow, traces
from langchain_agentmem.forgetting.report import ForgetReport
from langchain_agentmem.jobs import Handler, Round
from langchain_agentmem.ledger.base import Draft, LedgerWriter
from langchain_agentmem.ledger.sql.jobs import Job
from langchain_agentmem.ledger.sql.owners import SQLOwners
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.write.draughts import Then
from langchain_agentmem.long_term.write.removing import Removing
from langchain_agentmem.policies.forget import ForgettingPolicy, Trace, due
from langchain_agentmem.policies.forget_fates import Fate
from langchain_agentmem.types import Memory, Scope
from langchain_agentmem.types.scope import check_scope

FORGET_JOB: Final = "forget"
"""A cycle of one user and agent."""

FORGET_ROUND: Final = "forget_cycles"
ROUND_ID: Final = -7
EVERY: Final = timedelta(days=1)
"""Between two cycles of everybody: days are what forgetting is counted in."""

BATCH: Final = 25
"""Memories changed in one transaction: some ten milliseconds for which other writers wait, and no reader."""

MAX_PAUSE_S: Final = 0.25
"""A cycle pauses after each transaction as long as that took, and this at most: whoever waits has its turn. SQLite
looks for the lock after 1 to 25 ms, later every 100; without a pause another process would find it free by luck."""

LATE: Final = timedelta(hours=1)
"""So late a receipt may be written, or another machine's clock be."""

USERS: Final = 200
"""Users whose cycles are queued at a time."""


@dataclass(slots=True)
class _Done:
    """What a cycle did so far."""

    changed: list[str] = field(default_factory=list)
    erased: list[str] = field(default_factory=list)
    unasked_at: datetime | None = None


class ForgettingFlows:
    """What `Forgetting` promises, as flows."""

    def __init__(
        self,
        parts: Parts,
        searching: Searching,
        consolidation: ConsolidationFlows,
        owners: SQLOwners,
        policy: ForgettingPolicy | None = None,
        *,
        fields: Callable[[], dict[str, str]] = dict,
    ) -> None:
        """Compose; made by `AgentMemory`.

        Args:
            parts: Of long-term memory.
            searching: Brings indexes along.
            consolidation: Merges what says the same.
            owners: Knows whose memories there are.
            policy: `None`: the default one, and only who asks gets a cycle.
            fields: Gives the names of the profile's fields, by the relation that says each.
        """
        self._parts, self._searching = parts, searching
        self._removing = Removing(parts, searching)
        self._consolidation = consolidation
        self._owners = owners
        self._fields = fields
        self._is_automatic = policy is not None
        self.policy = policy or ForgettingPolicy()

    @property
    def handlers(self) -> dict[str, Handler]:
        """Return what a process needs to do these jobs."""
        return {FORGET_JOB: self._do}

    @property
    def rounds(self) -> list[Round]:
        """Return what queues a cycle of everybody once a day; none, where no policy was chosen."""
        return [Round(id=ROUND_ID, kind=FORGET_ROUND, do=self._queue_all, every=EVERY)] if self._is_automatic else []

    def schedule(self, scope: Scope) -> Flow[bool]:
        """Queue a cycle; see `Forgetting.schedule`."""
        if self._parts.objection(check_scope(scope)) is not None:
            return False
        payload = {"agent": scope.agent_id}
        queuing = self._parts.ledger.append(scope, lambda writer: writer.postpone_job(FORGET_JOB, payload, None))
        yield from self._parts.access.within("erase", scope, queuing)  # nobody is asked when it is done
        return True

    def cycle(
        self, scope: Scope, *, dry_run: bool = False, now: datetime | None = None, check: Then | None = None
    ) -> Flow[ForgetReport]:
        """Run a cycle, each transaction of which begins with `check`; see `Forgetting.forget_cycle`."""
        check_flag("dry_run", dry_run)
        at = self._parts.clock() if now is None else check_time("now", now)
        if now is not None and not dry_run:
            msg = f"now={at.isoformat()!r} is for dry runs: nothing is forgotten ahead of its time; add dry_run=True"
            raise ConfigurationError(msg)
        objection = self._parts.objection(check_scope(scope))
        if objection is not None:
            return ForgetReport(at=at, refused=objection, is_dry_run=dry_run)
        cycle = self._cycle(replace(scope, session_id=None), at, check, dry_run=dry_run)
        return (yield from self._parts.access.within("read" if dry_run else "erase", scope, cycle))

    # ---------------------------------------------------------------------------------------------------------- flows
    def _cycle(self, user: Scope, at: datetime, check: Then | None, *, dry_run: bool) -> Flow[ForgetReport]:
        done, begun = _Done(), self._parts.watch.now()
        plan, merged = yield from self._planned(user, at, dry_run=dry_run)
        if not dry_run:
            yield from self._carry_out(user, plan, check, done)
            self._tell(user, plan, done, begun)
        return ForgetReport(
            at=at,
            fates=plan.fates,
            merged=merged,
            changed=tuple(done.changed),
            erased=tuple(done.erased),
            is_held=plan.judgement.is_held,
            is_dry_run=dry_run,
        )

    def _tell(self, user: Scope, plan: ForgetPlan, done: _Done, begun: float) -> None:
        """Tell observers what was moved, and what is gone for good."""
        moved = Counter(it.move for it in plan.fates if it.move is not None and it.memory_id not in done.changed)
        kept = {("changed", str(move)): count for move, count in moved.items() if move != "erase"}
        self._parts.watch.tell("forget", user, kept, begun)
        self._parts.watch.tell("erase", user, {("erased", "forget_cycle"): len(done.erased)}, begun)

    def _planned(
        self, scope: Scope, now: datetime, *, dry_run: bool
    ) -> Flow[tuple[ForgetPlan, tuple[tuple[str, ...], ...]]]:
        """Return what is to be done, and which memories became one where there was no room."""
        judgement = Judgement(policy=self.policy, now=now, fields=self._fields())
        plan = yield from plan_flow(self._parts.ledger, scope, judgement)
        done = (yield from self._consolidation.merge(scope, dry_run=dry_run)) if plan.is_too_much else ()
        merged = tuple(it.sources for it in done)
        return plan.without(merged), merged

    def _carry_out(self, scope: Scope, plan: ForgetPlan, check: Then | None, done: _Done) -> Flow[None]:
        took_s = 0.0
        for batch in _batches([it for it in plan.fates if it.move is not None]):
            if took_s:
                yield from self._pause(min(took_s, MAX_PAUSE_S))
            began = time.monotonic()
            erased = yield from self._parts.ledger.append(
                scope, partial(self._move_all, batch=batch, plan=plan, check=check, done=done)
            )
            if erased:
                done.erased += erased
                yield from self._removing.forget_erased(scope, erased)
            yield from self._searching.follow()
            took_s = time.monotonic() - began

    def _pause(self, seconds: float) -> Flow[None]:
        """Let others write."""
        yield from step(time.sleep, asyncio.sleep, seconds)

    def _move_all(
        self, writer: LedgerWriter, batch: Sequence[Fate], plan: ForgetPlan, check: Then | None, done: _Done
    ) -> list[str]:
        """Do what is still due of a batch; return what was erased."""
        if check is not None:
            check(writer)
        judgement = replace(plan.judgement, is_held=writer.head.is_held)
        memories = writer.memories(it.memory_id for it in batch)
        known = traces(writer, list(memories.values()))
        erased: list[str] = []
        for fate in batch:
            memory = memories.get(fate.memory_id)
            if memory is None or fate.memory_id in erased:
                continue  # gone already, with what was merged from it, or by somebody's wish
            if not _still_due(fate, memory, known[memory.id], judgement, plan.seen[memory.id]):
                done.changed.append(memory.id)
                continue
            erased += self._move(writer, fate, memory, judgement)
        if erased:  # what was asked before the batch before this one has lost its words
            now = self._parts.clock()
            writer.forget_questions(since=done.unasked_at)
            done.unasked_at = now - LATE
            self._searching.queue_erased(writer)
        return erased

    def _move(self, writer: LedgerWriter, fate: Fate, memory: Memory, judgement: Judgement) -> tuple[str, ...]:
        if fate.move == "erase":
            return self._removing.expire(writer, memory.id, fate.reason, fate.rule)
        if fate.move == "archive" and judgement.kept.get(memory.id) == "supports":
            self._removing.archive(writer, memory.id, fate.reason, fate.rule)
        elif fate.move == "archive":
            self._removing.archive_one(writer, memory, fate.reason, fate.rule)
        else:
            is_fading = fate.move == "fade"
            draft = Draft(
                type="faded" if is_fading else "refreshed",
                memory_id=memory.id,
                changes={"faded_at": judgement.now if is_fading else None},
                note={"reason": fate.reason, "retention": fate.retention},
                rule=fate.rule,
            )
            self._removing.change(writer, draft)
        return ()

    # ----------------------------------------------------------------------------------------------------------- jobs
    def _do(self, job: Job) -> Flow[None]:
        """Do a job; what another worker does is not done here as well."""
        if job.scope is not None:
            scope = replace(job.scope, agent_id=job.payload["agent"])
            yield from self.cycle(scope, check=lambda writer: writer.check_job(job.id, job.lease))

    def _queue_all(self, _job: Job) -> Flow[None]:
        """Queue a cycle of every user and agent."""
        place, scopes = yield from self._owners.after(0, USERS)
        while scopes:
            for scope in scopes:
                yield from self.schedule(scope)
            place, scopes = yield from self._owners.after(place, USERS)


def _still_due(fate: Fate, memory: Memory, trace: Trace, judgement: Judgement, seen: Memory) -> bool:
    """Whether nothing happened to a memory since that saves it."""
    if fate.rule in CROWDED:
        return not judgement.is_held and memory.revision == seen.revision and trace.uses == fate.uses
    return due(memory, trace, judgement.policy, judgement.now, keeps=judgement.keeps(memory)) == fate.move


def _batches(fates: Sequence[Fate]) -> Iterator[Sequence[Fate]]:
    for start in range(0, len(fates), BATCH):
        yield fates[start : start + BATCH]

"""The flows behind `Consolidation`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from langchain_agentmem._checks import check_flag
from langchain_agentmem._flow import Flow, work
from langchain_agentmem.consolidation.concluding import of_failures, of_group, of_signal
from langchain_agentmem.consolidation.known import Plan, plan_of, read_known
from langchain_agentmem.consolidation.report import Consolidated, ConsolidationReport, Summarised
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.jobs import Handler
from langchain_agentmem.ledger.base import LedgerWriter
from langchain_agentmem.ledger.sql.jobs import Job
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.write.deriving import Derived, Deriving
from langchain_agentmem.long_term.write.draughts import Then
from langchain_agentmem.policies.consolidating import LeftAlone
from langchain_agentmem.policies.rulings import ConsentMode
from langchain_agentmem.types import Decision, Scope
from langchain_agentmem.types.scope import check_scope

if TYPE_CHECKING:
    from langchain_agentmem.consolidation.summarising import Summarising

CONSOLIDATE_JOB: Final = "consolidate"
"""Consolidates what a user's conversation left."""

QUIET: Final = timedelta(seconds=30)
"""After so long without a turn a conversation rests: a pause for thought is over, and the user is still there to see
what became of what they said."""

MAX_QUIET: Final = timedelta(days=30)

MAX_PASSES: Final = 10
"""A merge may make another one possible; each leaves fewer memories, and three passes were never needed."""

_Outcome: TypeAlias = Literal["merged", "promoted", "learned"]


@dataclass(slots=True)
class _Done:
    """What was concluded so far."""

    concluded: dict[_Outcome, list[Consolidated]] = field(
        default_factory=lambda: {"merged": [], "promoted": [], "learned": []}
    )
    left_alone: list[LeftAlone] = field(default_factory=list)
    is_whole: bool = True
    refused: str | None = None

    @property
    def count(self) -> int:
        """How many conclusions there are."""
        return sum(map(len, self.concluded.values()))

    def note(self, outcome: _Outcome, derived: Derived, decision: Decision) -> None:
        """Add a conclusion, or why it was not drawn."""
        sources = tuple(it.id for it in derived.sources)
        if decision.is_refused:
            self.left_alone.append(LeftAlone(memory_ids=sources, rule=decision.rule, reason=decision.reason))
            return
        memory_id = None if decision.memory is None else decision.memory.id
        self.concluded[outcome].append(Consolidated(memory_id=memory_id, sources=sources, reason=derived.reason))

    def report(self, summary: Summarised | None, *, is_dry_run: bool) -> ConsolidationReport:
        """Return all of it."""
        return ConsolidationReport(
            summary=summary,
            merged=tuple(self.concluded["merged"]),
            promoted=tuple(self.concluded["promoted"]),
            learned=tuple(self.concluded["learned"]),
            left_alone=tuple(self.left_alone),
            refused=self.refused,
            is_dry_run=is_dry_run,
            is_whole=self.is_whole,
        )


class ConsolidationFlows:
    """What `Consolidation` promises, as flows."""

    def __init__(
        self, parts: Parts, searching: Searching, summarising: Callable[[], Summarising], after: timedelta | None = None
    ) -> None:
        """Compose; made by `AgentMemory`.

        Args:
            parts: Of long-term memory.
            searching: Brings indexes along.
            summarising: Gives what summarises sessions, when one is to be summarised.
            after: So long a conversation must be quiet; `None`: turns schedule nothing.
        """
        self._parts, self._searching = parts, searching
        self._deriving = Deriving(parts, searching)
        self._summarising = summarising
        self._after = after

    @property
    def handlers(self) -> dict[str, Handler]:
        """Return what a process needs to do these jobs."""
        return {CONSOLIDATE_JOB: self._do}

    def run(self, scope: Scope, *, dry_run: bool) -> Flow[ConsolidationReport]:
        """Consolidate; see `Consolidation.run`."""
        return self._run(scope, None if check_flag("dry_run", dry_run) else _unfenced)

    def schedule(self, scope: Scope, after: timedelta | None = None) -> Flow[bool]:
        """Schedule; see `Consolidation.schedule`."""
        after = _checked_after(after)
        if self._parts.objection(check_scope(scope)) is not None:
            return False
        head = yield from self._parts.ledger.read(scope, lambda reader: reader.head)
        if self._parts.refusal(head.consent) is not None:
            return False
        run_at = self._parts.clock() + next(it for it in (after, self._after, QUIET) if it is not None)
        payload = {"session": scope.session_id, "agent": scope.agent_id, "consent": self._parts.consent_mode}
        yield from self._parts.ledger.append(
            scope, lambda writer: writer.postpone_job(CONSOLIDATE_JOB, payload, run_at)
        )
        return True

    def turn(self, scope: Scope, consent: ConsentMode | None = None) -> Flow[None]:
        """Note that a conversation had a turn, queued under some consent, where turns are to schedule anything."""
        if self._after is not None and scope.session_id is not None:
            yield from self._under(consent).schedule(scope)

    def merge(self, scope: Scope, *, dry_run: bool = False) -> Flow[tuple[Consolidated, ...]]:
        """Merge what says the same, once, and nothing else; return what was merged."""
        done, wanted = _Done(), frozenset[_Outcome]({"merged"})
        if self._parts.objection(check_scope(scope)) is None:
            yield from self._pass(replace(scope, session_id=None), done, None if dry_run else _unfenced, wanted)
        return tuple(done.concluded["merged"])

    # ------------------------------------------------------------------------------------------------------- the work
    def _do(self, job: Job) -> Flow[None]:
        """Do a job; what another worker does is not done here as well."""
        if job.scope is not None:
            scope = replace(job.scope, agent_id=job.payload["agent"], session_id=job.payload["session"])
            consolidation = self._under(job.payload.get("consent"))
            yield from consolidation._run(scope, lambda writer: writer.check_job(job.id, job.lease))  # noqa: SLF001  (its own)

    def _under(self, consent: ConsentMode | None) -> ConsolidationFlows:
        """Return the same under the consent by which a job was queued."""
        if consent is None:
            return self
        return ConsolidationFlows(self._parts.under(consent), self._searching, self._summarising, self._after)

    def _run(self, scope: Scope, check: Then | None) -> Flow[ConsolidationReport]:
        """Consolidate, each conclusion in a transaction that begins with `check`; without one nothing is written."""
        is_dry_run = check is None
        objection = self._parts.objection(check_scope(scope))
        if objection is not None:
            return ConsolidationReport(refused=objection, is_dry_run=is_dry_run)
        done, without_session = _Done(), replace(scope, session_id=None)
        for _ in range(MAX_PASSES):
            before = done.count
            yield from self._pass(without_session, done, check)
            if done.count == before or is_dry_run:
                break
        if done.refused is not None:
            return done.report(None, is_dry_run=is_dry_run)
        summary = yield from self._summarising().summarise_flow(scope, dry_run=is_dry_run)
        return done.report(summary, is_dry_run=is_dry_run)

    def _pass(
        self, scope: Scope, done: _Done, check: Then | None, wanted: Collection[_Outcome] = get_args(_Outcome)
    ) -> Flow[None]:
        """Read, plan, and write each conclusion; under no session, whose number of writes is bounded."""
        known = yield from read_known(self._parts, scope)
        ruling = self._parts.refusal(known.head.consent)
        if ruling is not None:
            done.refused = ruling.rule
            return
        plan = yield from work(plan_of, known)
        done.left_alone, done.is_whole = list(plan.findings.left_alone), known.is_whole
        for outcome, derived in (it for it in _conclusions(plan) if it[0] in wanted):
            if check is None:
                done.note(outcome, derived, self._deriving.foresee(derived, scope, known.head))
            else:
                deriving = self._deriving.derive(derived, scope, check)
                done.note(outcome, derived, (yield from self._parts.watch.write("merge", deriving, scope)))


def _conclusions(plan: Plan) -> Iterator[tuple[_Outcome, Derived]]:
    for group in plan.findings.groups:
        yield "merged", of_group(group)
    for signal in plan.findings.signals:
        yield "promoted", of_signal(signal)
    for failures in plan.failures:
        yield "learned", of_failures(failures)


def _unfenced(_writer: LedgerWriter) -> None:
    """Stand for no job: what two runs do at once is told apart by the revisions of what they read."""


def _checked_after(after: object) -> timedelta | None:
    return None if after is None else check_quiet("after", after)


def check_quiet(name: str, value: object) -> timedelta:
    """Return how long a conversation must be quiet.

    Raises:
        ConfigurationError: It is no timedelta from 0 to 30 days.
    """
    if not isinstance(value, timedelta) or not timedelta() <= value <= MAX_QUIET:
        msg = f"{name} must be a timedelta from 0 to {MAX_QUIET.days} days, got {value!r}; for example {QUIET!r}"
        raise ConfigurationError(msg)
    return value

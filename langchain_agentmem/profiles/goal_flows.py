"""The flows behind `Goals`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from langchain_agentmem._checks import check_text
from langchain_agentmem._flow import Flow
from langchain_agentmem.english.text.folding import in_one_line
from langchain_agentmem.errors import ConfigurationError, ConflictError, NotFoundError
from langchain_agentmem.ledger.base import LedgerReader, Page
from langchain_agentmem.ledger.lives import read_life
from langchain_agentmem.long_term.checked import checked_id, checked_reason
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.write.changing import Changing
from langchain_agentmem.long_term.write.goals_left import goals_left_of
from langchain_agentmem.long_term.write.writing import Writing
from langchain_agentmem.policies.sensitive_records import shown_memory, shown_result
from langchain_agentmem.profiles.goal import Goal
from langchain_agentmem.profiles.model import ProfileStatus
from langchain_agentmem.types import (
    Candidate,
    Decision,
    GoalProgress,
    GoalStatus,
    Memory,
    MemoryMode,
    RecallQuery,
    Scope,
)
from langchain_agentmem.types.scope import check_scope, known_user

MAX_TRIES: Final = 20
"""Of a change that somebody else's change of the same goal came before."""

_PAGE: Final = 200
_ACTIVE_FIRST: Final[tuple[GoalStatus, ...]] = ("active", "open", "blocked")


class OpenGoals(NamedTuple):
    """Goals that are pursued, by how near they are; none where they may not be read, for which `status` says why."""

    status: ProfileStatus
    goals: tuple[Goal, ...] = ()

    @property
    def first(self) -> Goal | None:
        """The one to go on with."""
        return next((it for it in self.goals if it.progress.status != "blocked"), None)


class GoalFlows:
    """What `Goals` promises, as flows."""

    def __init__(self, parts: Parts, searching: Searching) -> None:
        """Compose."""
        self._parts = parts
        self._writing = Writing(parts, searching)
        self._changing = Changing(parts, searching, self._writing)

    def add(self, text: str, scope: Scope, steps: Sequence[str], mode: MemoryMode | None) -> Flow[Decision]:
        """Remember a goal. One that is pursued already is confirmed, and takes the plan where one is given."""
        planned = GoalProgress(steps=steps)  # type: ignore[arg-type]  # it takes any sequence, and keeps a tuple
        progress = replace(planned, next_step=planned.steps[0] if planned.steps else None)
        candidate = Candidate(content=text, kind="goal", goal=progress)
        remembering = self._writing.remember(candidate, check_scope(scope), mode)
        decision = yield from self._parts.watch.write("remember", remembering, scope)
        known = decision.memory
        if decision.verdict != "merged" or known is None or (known.goal and known.goal.steps == planned.steps):
            return decision
        if not planned.steps and known.goal is not None:
            return decision
        planned_too = yield from self._change(known.id, scope, "planned", lambda it: _planned(it, planned.steps))
        return decision if planned_too.memory is None else replace(decision, memory=planned_too.memory)

    def progress(
        self, goal_id: str, scope: Scope, completed: str | Sequence[str], next_step: str | None, reason: str | None
    ) -> Flow[Decision]:
        """Note what was completed and what comes next; the goal is active from then on."""
        done = GoalProgress(completed=(completed,) if isinstance(completed, str) else completed, next_step=next_step)  # type: ignore[arg-type]  # it takes any sequence, and keeps a tuple
        moving = self._change(goal_id, scope, reason, lambda it: _moved(it, done))
        return (yield from self._parts.watch.write("revise", moving, scope))

    def end(self, goal_id: str, scope: Scope, status: GoalStatus, reason: str) -> Flow[Decision]:
        """Note that it is pursued no more, or cannot go on."""
        check_text("reason", reason)
        ending = self._change(goal_id, scope, f"{status}: {reason}", lambda it: _in_status(it, status))
        return (yield from self._parts.watch.write("revise", ending, scope))

    def open(
        self, scope: Scope, mode: MemoryMode | None = None, query: RecallQuery | None = None
    ) -> Flow[tuple[Goal, ...]]:
        """Return the goals that are pursued, and that a query admits; see `Goals.open`."""
        return (yield from self.pursued(scope, mode, query)).goals

    def pursued(
        self, scope: Scope, mode: MemoryMode | None = None, query: RecallQuery | None = None
    ) -> Flow[OpenGoals]:
        """Return what is pursued, and what a query admits, or why it may not be read."""
        if check_scope(scope).is_anonymous:
            return OpenGoals("anonymous")
        if self._parts.effective_mode(scope, mode) == "off":
            return OpenGoals("off")
        asked = query or RecallQuery()
        memories = yield from self._parts.ledger.read(scope, lambda reader: self._admitted(reader, asked))
        if memories is None:
            return OpenGoals("no_consent")
        goals = [Goal(memory=shown_memory(self._parts.sensitive, it)) for it in memories]
        goals.sort(key=lambda it: (_ACTIVE_FIRST.index(it.progress.status), -it.memory.revision))
        return OpenGoals("ok", tuple(goals))

    def resume(
        self, scope: Scope, mode: MemoryMode | None = None, query: RecallQuery | None = None
    ) -> Flow[Goal | None]:
        """Return the goal to go on with; see `Goals.resume`."""
        return (yield from self.pursued(scope, mode, query)).first

    def _admitted(self, reader: LedgerReader, query: RecallQuery) -> list[Memory] | None:
        if not self._parts.may_read(reader.head.consent, query.purpose, ("goal",)):
            return None
        admission = self._parts.admission(reader.head.consent, query)
        goals = reader.every(Page(kinds=("goal",)))
        return [it for it in goals if admission.objection(it) is None and not (it.goal and it.goal.is_over)]

    def _change(
        self, goal_id: str, scope: Scope, reason: str | None, change: Callable[[GoalProgress], GoalProgress]
    ) -> Flow[Decision]:
        """Change what the goal is at that moment; where somebody else was first, change what they left."""
        checked_id(goal_id, "goal_id")
        known_user(scope)
        given = None if reason is None else checked_reason(reason)
        for _ in range(MAX_TRIES):
            memory = yield from self._parts.ledger.read(scope, lambda reader: _must_be_goal(reader, goal_id))
            progress = change(memory.goal or GoalProgress())
            try:
                said = given or _said(progress)
                moving = self._changing.revise(goal_id, scope, said, {"goal": progress}, memory.revision)
                return shown_result(self._parts.sensitive, (yield from moving))
            except ConflictError as error:
                lost = error
        raise lost


def _must_be_goal(reader: LedgerReader, goal_id: str) -> Memory:
    memory = reader.memory(goal_id)
    if memory is None:
        msg = f"goal {goal_id!r} does not exist in this scope; goals.open() shows what does"
        raise NotFoundError(msg)
    if memory.kind != "goal":
        msg = f"memory {goal_id!r} is of kind {memory.kind!r}, not a goal; goals.open() shows the ids of goals"
        raise ConfigurationError(msg)
    if memory.status == "pending":
        msg = f"goal {goal_id!r} waits for a decision and is not pursued yet; approvals.list(…) shows what is asked"
        raise ConfigurationError(msg)
    if memory.status != "active":
        raise ConfigurationError(_ended(reader, memory))
    if memory.goal is not None and memory.goal.is_over:
        msg = f"goal {goal_id!r} is {memory.goal.status}; add it again to pursue it once more"
        raise ConfigurationError(msg)
    return memory


def _ended(reader: LedgerReader, memory: Memory) -> str:
    """Return why a goal that is not in force does not move, and which one is pursued in its place."""
    left = goals_left_of(reader, memory)
    if left:
        return f"a part of goal {memory.id!r} was forgotten; report progress of goal {left[0].id!r}, which remains"
    by = read_life(reader, memory.id).ended_by
    heir = reader.memory(by) if by is not None else None
    if heir is not None and heir.goal is not None and heir.goal.is_over:
        return f"goal {memory.id!r} is {heir.goal.status}, as memory {by!r} says; add it again to pursue it once more"
    if memory.status == "superseded" and by is not None:
        return f"goal {memory.id!r} was replaced by memory {by!r}; report progress of that one, where it is a goal"
    return f"goal {memory.id!r} is {memory.status}; restore it, or add it again to pursue it once more"


def _moved(progress: GoalProgress, done: GoalProgress) -> GoalProgress:
    known = {_folded(it): it for it in (progress.next_step, *progress.completed, *progress.steps) if it is not None}
    steps = (known.setdefault(_folded(it), it) for it in done.completed)
    moved = replace(progress, status="active", completed=(*progress.completed, *steps))
    if done.next_step is not None:
        return replace(moved, next_step=done.next_step)
    if progress.next_step is None or _folded(progress.next_step) in map(_folded, moved.completed):
        return replace(moved, next_step=next(iter(moved.left), None))
    return moved


def _folded(step: str) -> str:
    """Return a step as it is compared: whoever notes it writes it in their own way."""
    return in_one_line(step).rstrip(".!")


def _said(progress: GoalProgress) -> str:
    """Return how far it has come, without its words."""
    of = f" of {len(progress.steps)}" if progress.steps else ""
    return f"it is {progress.status}: {len(progress.completed)}{of} steps completed"


def _planned(progress: GoalProgress, steps: tuple[str, ...]) -> GoalProgress:
    planned = replace(progress, steps=steps)
    return replace(planned, next_step=next(iter(planned.left), progress.next_step))


def _in_status(progress: GoalProgress, status: GoalStatus) -> GoalProgress:
    return replace(progress, status=status, next_step=progress.next_step if status == "blocked" else None)

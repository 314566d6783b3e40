"""Goals: what a user pursues for weeks, how far it has come, and where another session goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from langchain_agentmem._checks import check_text
from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.english.folding import in_one_line
from langchain_agentmem.errors import ConfigurationError, ConflictError, NotFoundError
from langchain_agentmem.ledger.base import LedgerReader, Page
from langchain_agentmem.ledger.lives import read_life
from langchain_agentmem.long_term.checked import checked_id, checked_reason
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.write.changing import Changing
from langchain_agentmem.long_term.write.writing import Writing
from langchain_agentmem.policies.sensitive_records import shown_memory, shown_result
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
from langchain_agentmem.types.fitting import Section, fitted
from langchain_agentmem.types.scope import check_scope, known_user

DEFAULT_CONTEXT_TOKENS: Final = 300
"""A goal, its next step and a dozen of steps done."""

MAX_TRIES: Final = 20
"""Of a change that somebody else's change of the same goal came before."""

_PAGE: Final = 200
_ACTIVE_FIRST: Final[tuple[GoalStatus, ...]] = ("active", "open", "blocked")


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """A goal, and how far it has come.

    Attributes:
        memory: As it is remembered; `memory.content` is the goal in words.
    """

    memory: Memory

    @property
    def id(self) -> str:
        """Return the id of the memory."""
        return self.memory.id

    @property
    def text(self) -> str:
        """Return the goal in words."""
        return self.memory.content

    @property
    def progress(self) -> GoalProgress:
        """Return how far it has come; what was said in passing and never worked on is open."""
        return self.memory.goal or GoalProgress()

    def to_context(self, max_tokens: int = DEFAULT_CONTEXT_TOKENS) -> str:
        """Return the goal as delimited data for a prompt: what it is, what comes next, what is done, what is left."""
        progress = self.progress
        said = [f"{self.text} ({progress.status})"]
        next_step = [] if progress.next_step is None else [progress.next_step]
        left = [it for it in progress.left if it != progress.next_step]
        sections = (
            Section("said", said, are_newest_kept=False),
            Section("next_step", next_step),
            Section("completed", progress.completed),
            Section("left", left, are_newest_kept=False),
        )
        flat = [it._replace(lines=[" ".join(line.split()) for line in it.lines]) for it in sections if it.lines]
        return fitted(("<goal>", "</goal>"), flat, max_tokens)


class Goals:
    """Goals of each user: memories of kind `goal` whose progress is kept, each step an event of the log.

    Anyone may pursue a goal of the user, in any session and process; two that report progress at once lose none of it.
    What was remembered as a goal by other means is one of these too, and open.

    Raises (every method): `ScopeError` for anything but a `Scope`, `StorageError` when the database fails.
    """

    def __init__(self, parts: Parts, searching: Searching) -> None:
        """Compose; made by `AgentMemory`."""
        self._parts = parts
        self._writing = Writing(parts, searching)
        self._changing = Changing(parts, searching, self._writing)

    def add(self, text: str, *, scope: Scope, steps: Sequence[str] = (), mode: MemoryMode | None = None) -> Decision:
        """Remember a goal. One that is pursued already is confirmed, and takes the plan where one is given.

        Args:
            text: In words that stand alone ("Ana wants to pass the state exam in June").
            scope: Whose.
            steps: The plan, in order, where there is one; the first is the next step.
            mode: Stricter than the memory's own mode for this call: `frozen` or `off` refuse.

        Raises:
            ConfigurationError: The text or a step cannot be stored.
        """
        return run(self._add(text, scope, steps, mode))

    async def aadd(
        self, text: str, *, scope: Scope, steps: Sequence[str] = (), mode: MemoryMode | None = None
    ) -> Decision:
        """Remember a goal; see `add`."""
        return await arun(self._add(text, scope, steps, mode))

    def progress(
        self,
        goal_id: str,
        *,
        scope: Scope,
        completed: str | Sequence[str] = (),
        next_step: str | None = None,
        reason: str | None = None,
    ) -> Decision:
        """Note what was completed and what comes next; the goal is active from then on.

        Args:
            goal_id: Of the goal, as `add` returns it.
            scope: Whose.
            completed: A step, or several; one that is noted already is not noted twice, and one of the plan is found
                whatever its case and spaces.
            next_step: What comes next; not given, the first step of the plan that is left, if the last one is done.
            reason: For `why`; not given, how many steps are done.

        Raises:
            NotFoundError: The id does not exist in this scope.
            ConfigurationError: It is no goal, or one that waits for approval, is over, forgotten or replaced.
        """
        return run(self._progress(goal_id, scope, completed, next_step, reason))

    async def aprogress(
        self,
        goal_id: str,
        *,
        scope: Scope,
        completed: str | Sequence[str] = (),
        next_step: str | None = None,
        reason: str | None = None,
    ) -> Decision:
        """Note what was completed and what comes next; see `progress`."""
        return await arun(self._progress(goal_id, scope, completed, next_step, reason))

    def block(self, goal_id: str, *, scope: Scope, reason: str) -> Decision:
        """Note that it cannot go on, and why; `progress` takes it up again.

        Raises:
            NotFoundError: The id does not exist in this scope.
            ConfigurationError: It is no goal, or one that waits for approval, is over, forgotten or replaced.
        """
        return run(self._end(goal_id, scope, "blocked", reason))

    async def ablock(self, goal_id: str, *, scope: Scope, reason: str) -> Decision:
        """Note that it cannot go on; see `block`."""
        return await arun(self._end(goal_id, scope, "blocked", reason))

    def finish(self, goal_id: str, *, scope: Scope, reason: str = "reached") -> Decision:
        """Note that it is reached. It stays remembered, as done.

        Raises:
            NotFoundError: The id does not exist in this scope.
            ConfigurationError: It is no goal, or one that waits for approval, is over, forgotten or replaced.
        """
        return run(self._end(goal_id, scope, "done", reason))

    async def afinish(self, goal_id: str, *, scope: Scope, reason: str = "reached") -> Decision:
        """Note that it is reached; see `finish`."""
        return await arun(self._end(goal_id, scope, "done", reason))

    def abandon(self, goal_id: str, *, scope: Scope, reason: str = "given up") -> Decision:
        """Note that it is pursued no more. It stays remembered, as abandoned.

        Raises:
            NotFoundError: The id does not exist in this scope.
            ConfigurationError: It is no goal, or one that waits for approval, is over, forgotten or replaced.
        """
        return run(self._end(goal_id, scope, "abandoned", reason))

    async def aabandon(self, goal_id: str, *, scope: Scope, reason: str = "given up") -> Decision:
        """Note that it is pursued no more; see `abandon`."""
        return await arun(self._end(goal_id, scope, "abandoned", reason))

    def open(self, *, scope: Scope) -> tuple[Goal, ...]:
        """Return the goals that are pursued: active, then open, then blocked ones, what was moved last before others.

        None without consent, with memory off, and of a visitor.
        """
        return run(self.open_flow(scope))

    async def aopen(self, *, scope: Scope) -> tuple[Goal, ...]:
        """Return the goals that are pursued; see `open`."""
        return await arun(self.open_flow(scope))

    def resume(self, *, scope: Scope) -> Goal | None:
        """Return the goal to go on with: the active one that was moved last, else an open one; never a blocked one."""
        return run(self.resume_flow(scope))

    async def aresume(self, *, scope: Scope) -> Goal | None:
        """Return the goal to go on with; see `resume`."""
        return await arun(self.resume_flow(scope))

    # ---------------------------------------------------------------------------------------------------------- flows
    def open_flow(
        self, scope: Scope, mode: MemoryMode | None = None, query: RecallQuery | None = None
    ) -> Flow[tuple[Goal, ...]]:
        """Return the goals that are pursued, and that a query admits, as part of another flow; see `open`."""
        if check_scope(scope).is_anonymous or self._parts.effective_mode(scope, mode) == "off":
            return ()
        asked = query or RecallQuery()
        memories = yield from self._parts.ledger.read(scope, lambda reader: self._pursued(reader, asked))
        goals = [Goal(memory=shown_memory(self._parts.sensitive, it)) for it in memories]
        return tuple(sorted(goals, key=lambda it: (_ACTIVE_FIRST.index(it.progress.status), -it.memory.revision)))

    def resume_flow(
        self, scope: Scope, mode: MemoryMode | None = None, query: RecallQuery | None = None
    ) -> Flow[Goal | None]:
        """Return the goal to go on with, as part of another flow; see `resume`."""
        goals = yield from self.open_flow(scope, mode, query)
        return next((it for it in goals if it.progress.status != "blocked"), None)

    def _pursued(self, reader: LedgerReader, query: RecallQuery) -> list[Memory]:
        if not self._parts.may_read(reader.head.consent, query.purpose, ("goal",)):
            return []
        admission = self._parts.admission(reader.head.consent, query)
        goals = reader.every(Page(kinds=("goal",)))
        return [it for it in goals if admission.objection(it) is None and not (it.goal and it.goal.is_over)]

    def _add(self, text: str, scope: Scope, steps: Sequence[str], mode: MemoryMode | None) -> Flow[Decision]:
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

    def _progress(
        self, goal_id: str, scope: Scope, completed: str | Sequence[str], next_step: str | None, reason: str | None
    ) -> Flow[Decision]:
        done = GoalProgress(completed=(completed,) if isinstance(completed, str) else completed, next_step=next_step)  # type: ignore[arg-type]  # it takes any sequence, and keeps a tuple
        moving = self._change(goal_id, scope, reason, lambda it: _moved(it, done))
        return (yield from self._parts.watch.write("revise", moving, scope))

    def _end(self, goal_id: str, scope: Scope, status: GoalStatus, reason: str) -> Flow[Decision]:
        check_text("reason", reason)
        ending = self._change(goal_id, scope, f"{status}: {reason}", lambda it: _in_status(it, status))
        return (yield from self._parts.watch.write("revise", ending, scope))

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

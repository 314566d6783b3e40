"""Goals: what a user pursues for weeks, how far it has come, and where another session goes on."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_agentmem._flow import arun, run
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.profiles.goal import Goal
from langchain_agentmem.profiles.goal_flows import GoalFlows
from langchain_agentmem.types import Decision, MemoryMode, Scope


class Goals:
    """Goals of each user: memories of kind `goal` whose progress is kept, each step an event of the log.

    Anyone may pursue a goal of the user, in any session and process; two that report progress at once lose none of it.
    What was remembered as a goal by other means is one of these too, and open.

    Raises (every method): `ScopeError` for anything but a `Scope`, `StorageError` when the database fails.
    """

    def __init__(self, parts: Parts, searching: Searching) -> None:
        """Compose; made by `AgentMemory`."""
        self._flows = GoalFlows(parts, searching)

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
        return run(self._flows.add(text, scope, steps, mode))

    async def aadd(
        self, text: str, *, scope: Scope, steps: Sequence[str] = (), mode: MemoryMode | None = None
    ) -> Decision:
        """Remember a goal; see `add`."""
        return await arun(self._flows.add(text, scope, steps, mode))

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
        return run(self._flows.progress(goal_id, scope, completed, next_step, reason))

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
        return await arun(self._flows.progress(goal_id, scope, completed, next_step, reason))

    def block(self, goal_id: str, *, scope: Scope, reason: str) -> Decision:
        """Note that it cannot go on, and why; `progress` takes it up again.

        Raises:
            NotFoundError: The id does not exist in this scope.
            ConfigurationError: It is no goal, or one that waits for approval, is over, forgotten or replaced.
        """
        return run(self._flows.end(goal_id, scope, "blocked", reason))

    async def ablock(self, goal_id: str, *, scope: Scope, reason: str) -> Decision:
        """Note that it cannot go on; see `block`."""
        return await arun(self._flows.end(goal_id, scope, "blocked", reason))

    def finish(self, goal_id: str, *, scope: Scope, reason: str = "reached") -> Decision:
        """Note that it is reached. It stays remembered, as done.

        Raises:
            NotFoundError: The id does not exist in this scope.
            ConfigurationError: It is no goal, or one that waits for approval, is over, forgotten or replaced.
        """
        return run(self._flows.end(goal_id, scope, "done", reason))

    async def afinish(self, goal_id: str, *, scope: Scope, reason: str = "reached") -> Decision:
        """Note that it is reached; see `finish`."""
        return await arun(self._flows.end(goal_id, scope, "done", reason))

    def abandon(self, goal_id: str, *, scope: Scope, reason: str = "given up") -> Decision:
        """Note that it is pursued no more. It stays remembered, as abandoned.

        Raises:
            NotFoundError: The id does not exist in this scope.
            ConfigurationError: It is no goal, or one that waits for approval, is over, forgotten or replaced.
        """
        return run(self._flows.end(goal_id, scope, "abandoned", reason))

    async def aabandon(self, goal_id: str, *, scope: Scope, reason: str = "given up") -> Decision:
        """Note that it is pursued no more; see `abandon`."""
        return await arun(self._flows.end(goal_id, scope, "abandoned", reason))

    def open(self, scope: Scope) -> tuple[Goal, ...]:
        """Return the goals that are pursued: active, then open, then blocked ones, what was moved last before others.

        None without consent, with memory off, and of a visitor.
        """
        return run(self._flows.open(scope))

    async def aopen(self, scope: Scope) -> tuple[Goal, ...]:
        """Return the goals that are pursued; see `open`."""
        return await arun(self._flows.open(scope))

    def resume(self, scope: Scope) -> Goal | None:
        """Return the goal to go on with: the active one that was moved last, else an open one; never a blocked one."""
        return run(self._flows.resume(scope))

    async def aresume(self, scope: Scope) -> Goal | None:
        """Return the goal to go on with; see `resume`."""
        return await arun(self._flows.resume(scope))

"""Working memory as a service: read, changed, completed, listed; by user and conversation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

from langchain_agentmem._flow import Face, arun, flows_of, run
from langchain_agentmem.states.base import States
from langchain_agentmem.types import MemoryMode, Outcome, Scope
from langchain_agentmem.types.paging import DEFAULT_LIMIT, Page
from langchain_agentmem.types.working import WorkingSession, WorkingState
from langchain_agentmem.types.working_update import StateChanges, StateUpdate
from langchain_agentmem.working.flows import Completion, Expected, Learning, WorkingFlows

if TYPE_CHECKING:
    from langchain_agentmem.long_term.parts import ModeChoice


class WorkingMemory:
    """The state of each task, for hours to days: one per conversation, shared by every process that works on it.

    Nothing of it reaches long-term memory but what `complete` is told, and that by the write policy.

    Args:
        states: Where states are.
        long_term: Learns how tasks ended; `None`: nothing is learned.
        mode: `on`, `frozen` (read-only) or `off`, for all or by a callable per scope.
    """

    def __init__(self, states: States, *, long_term: Face[Learning] | None = None, mode: ModeChoice = "on") -> None:
        """Compose."""
        learning = None if long_term is None else flows_of(long_term)
        self._flows = WorkingFlows(states, learning, mode)

    def mode(self, scope: Scope, turn: MemoryMode | None = None) -> MemoryMode:
        """Return the strictest of what the application, the scope and the turn allow."""
        return self._flows.mode(scope, turn)

    # ------------------------------------------------------------------------------------------------------- read
    def get(self, scope: Scope) -> WorkingState | None:
        """Return the state of a conversation; `None` where there is none, or it expired, or memory is `off`.

        Raises:
            ScopeError: The scope names no session.
            StorageError: The store cannot be read.
        """
        return run(self._flows.get(scope))

    async def aget(self, scope: Scope) -> WorkingState | None:
        """Return the state of a conversation; see `get`."""
        return await arun(self._flows.get(scope))

    def sessions(self, scope: Scope, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None) -> Page[WorkingSession]:
        """Return a user's conversations with a task in them, the one changed last first.

        Args:
            scope: Whose; its session narrows nothing, but a visitor sees their own only.
            limit: At most so many, up to 1,000.
            cursor: Of the page before.

        Raises:
            ConfigurationError: The limit or the cursor cannot be used.
        """
        return run(self._flows.sessions(scope, limit, cursor))

    async def asessions(
        self, scope: Scope, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None
    ) -> Page[WorkingSession]:
        """Return a user's conversations with a task in them; see `sessions`."""
        return await arun(self._flows.sessions(scope, limit, cursor))

    # ------------------------------------------------------------------------------------------------------ change
    def update(
        self,
        scope: Scope,
        change: StateUpdate | Mapping[str, Any] | None = None,
        *,
        expected: Expected = None,
        **changes: Unpack[StateChanges],
    ) -> WorkingState:
        """Change a part of the state, or begin one; return it as it is stored.

        Without `expected`, the change is applied to whatever is stored at that moment: of two writers at once neither
        loses anything. With it, the change is stored only if nobody else wrote first.

        Args:
            scope: Whose.
            change: What to set, add and take out.
            expected: The version the change is for, or the state; 0: none is stored yet.
            changes: Fields of a `StateUpdate`, in place of `change`.

        Returns:
            The state with its new version.

        Raises:
            ConfigurationError: A field cannot be, or what must stay of the state is too large.
            ConflictError: Somebody else wrote first; it names both versions.
            GovernanceError: Memory is `frozen` or `off`.
            ScopeError: The scope names no session.
        """
        return run(self._flows.update(scope, change, expected, changes))

    async def aupdate(
        self,
        scope: Scope,
        change: StateUpdate | Mapping[str, Any] | None = None,
        *,
        expected: Expected = None,
        **changes: Unpack[StateChanges],
    ) -> WorkingState:
        """Change a part of the state; see `update`."""
        return await arun(self._flows.update(scope, change, expected, changes))

    def put(self, scope: Scope, state: WorkingState, *, expected: Expected = None) -> WorkingState:
        """Store a whole state in place of what is there; return it as it is stored.

        Without `expected` it must follow the stored one: its own `version` is what is expected.

        Raises:
            ConflictError: Somebody else wrote first; it names both versions.
            GovernanceError: Memory is `frozen` or `off`.
            ScopeError: The scope names no session.
        """
        return run(self._flows.put(scope, state, expected))

    async def aput(self, scope: Scope, state: WorkingState, *, expected: Expected = None) -> WorkingState:
        """Store a whole state; see `put`."""
        return await arun(self._flows.put(scope, state, expected))

    def clear(self, scope: Scope) -> bool:
        """Delete the state of a conversation for good; return whether there was one. Works in every mode."""
        return run(self._flows.clear(scope))

    async def aclear(self, scope: Scope) -> bool:
        """Delete the state of a conversation; see `clear`."""
        return await arun(self._flows.clear(scope))

    def complete(self, scope: Scope, outcome: Outcome | None = None, *, expected: Expected = None) -> Completion:
        """End a task: its outcome is offered to long-term memory, and its state is cleared.

        The outcome is the only thing that long-term memory learns of it, and the write policy decides. It is offered
        first: after a failure the call can be repeated, and what was learned already is confirmed.

        Raises:
            ConflictError: Somebody changed the state meanwhile, or it is not the one expected; it is kept.
            GovernanceError: Memory is `frozen` or `off`.
            ScopeError: The scope names no session.
        """
        return run(self._flows.complete(scope, outcome, expected))

    async def acomplete(self, scope: Scope, outcome: Outcome | None = None, *, expected: Expected = None) -> Completion:
        """End a task; see `complete`."""
        return await arun(self._flows.complete(scope, outcome, expected))

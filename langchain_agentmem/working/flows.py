"""The flows behind `WorkingMemory`."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, cast, get_args

from langchain_agentmem._checks import check_choice, check_count, check_instance
from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import ConfigurationError, ConflictError, GovernanceError, StorageError
from langchain_agentmem.policies.working import merged
from langchain_agentmem.sessions.base import check_owner, check_session
from langchain_agentmem.states.base import Apply, States, StoredState
from langchain_agentmem.types import Decision, MemoryMode, Outcome, Scope
from langchain_agentmem.types.paging import DEFAULT_LIMIT, LastUsed, Order, Page, check_limit
from langchain_agentmem.types.working import MAX_COUNT, WorkingSession, WorkingState
from langchain_agentmem.types.working_update import StateChanges, StateUpdate
from langchain_agentmem.vault.base import Cipher

if TYPE_CHECKING:
    from langchain_agentmem.long_term.parts import ModeChoice

_LISTED: Final = Order("working.sessions", (datetime, str))
MODES: Final = cast("tuple[MemoryMode, ...]", get_args(MemoryMode))  # the strictest last

LOGGER: Final = logging.getLogger("langchain_agentmem")

Expected: TypeAlias = int | WorkingState | None
"""Which state a change is for: its version (0: none is stored yet), the state itself, or whichever is stored."""


class Learning(Protocol):
    """What working memory needs of the flows of long-term memory."""

    def learn(self, outcome: Outcome, scope: Scope, mode: MemoryMode | None = None) -> Flow[Sequence[Decision]]:
        """Remember how something ended, unless a rule objects."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What was left of a task when it was completed.

    Attributes:
        state: As it was; `None` where there was none.
        decisions: On the outcome, and on memories whose confidence moved with it.
    """

    state: WorkingState | None
    decisions: Sequence[Decision] = ()


class WorkingFlows:
    """What `WorkingMemory` promises, as flows."""

    def __init__(self, states: States, long_term: Learning | None = None, mode: ModeChoice = "on") -> None:
        """Compose."""
        self._states = states
        self._long_term = long_term
        self._mode = mode

    def get(self, scope: Scope) -> Flow[WorkingState | None]:
        """Return the state of a conversation; `None` where there is none, or it expired, or memory is `off`."""
        found = yield from self.load(scope)
        return None if found is None else found.state

    def sessions(
        self, scope: Scope, limit: int = DEFAULT_LIMIT, cursor: str | None = None
    ) -> Flow[Page[WorkingSession]]:
        """Return a user's conversations with a task in them, the one changed last first."""
        check_owner(scope)
        start, most = _LISTED.start(cursor), check_limit(limit) + 1
        last = None if start is None else LastUsed(*start)
        if self.mode(scope) == "off":
            return Page()
        found = yield from self._states.sessions(scope, limit=most, before=last)
        return _LISTED.page(found, limit, LastUsed.of)

    def load(self, scope: Scope, mode: MemoryMode | None = None) -> Flow[StoredState | None]:
        """Read; see `WorkingMemory.get`."""
        check_session(scope)
        allowed = self.mode(scope, mode)
        return None if allowed == "off" else (yield from self._states.read(scope, prolongs=allowed == "on"))

    def change(self, scope: Scope, apply: Apply, mode: MemoryMode | None = None) -> Flow[StoredState]:
        """Change what is stored by a function of it; see `WorkingMemory.update`."""
        check_session(scope)
        self._check_mode(scope, mode)
        return (yield from self._states.change(scope, apply))

    def cipher(self, scope: Scope) -> Flow[Cipher | None]:
        """Return what seals a user's states; `None`: nothing does."""
        return self._states.cipher(scope)

    def update(
        self, scope: Scope, change: StateUpdate | Mapping[str, Any] | None, expected: Expected, changes: StateChanges
    ) -> Flow[WorkingState]:
        """Change a part of the state, or begin one; return it as it is stored."""
        _check_expected(expected)
        wanted = _wanted(change, changes)

        def apply(before: WorkingState | None) -> WorkingState:
            _check_version(before, expected)
            return merged(before or WorkingState(), wanted)

        return (yield from self.change(scope, apply)).state

    def put(self, scope: Scope, state: WorkingState, expected: Expected) -> Flow[WorkingState]:
        """Store a whole state in place of what is there; return it as it is stored."""
        check_instance("state", state, WorkingState)
        _check_expected(expected)
        follows = expected if expected is not None else (state if state.version else 0)

        def apply(before: WorkingState | None) -> WorkingState:
            _check_version(before, follows)
            return state

        return (yield from self.change(scope, apply)).state

    def clear(self, scope: Scope) -> Flow[bool]:
        """Delete the state of a conversation for good; return whether there was one."""
        check_session(scope)
        return (yield from self._states.delete(scope))

    def complete(self, scope: Scope, outcome: Outcome | None, expected: Expected) -> Flow[Completion]:
        """End a task: its outcome is offered to long-term memory, and its state is cleared."""
        check_session(scope)
        _check_expected(expected)
        self._check_mode(scope, None)
        if outcome is not None:
            check_instance("outcome", outcome, Outcome)
        found = yield from self._states.read(scope)
        state = None if found is None else found.state
        _check_version(state, expected)
        decisions: Sequence[Decision] = ()
        if outcome is not None and self._long_term is not None:
            decisions = yield from self._long_term.learn(outcome, scope)
        if state is not None:
            yield from self._end(scope, state)
        return Completion(state=state, decisions=decisions)

    def mode(self, scope: Scope, turn: MemoryMode | None = None) -> MemoryMode:
        """Return the strictest of what the application, the scope and the turn allow."""
        asked = [self._mode(scope) if callable(self._mode) else self._mode, turn or "on"]
        for each in asked:
            check_choice("mode", each, MODES)
        return max(asked, key=MODES.index)

    def _end(self, scope: Scope, state: WorkingState) -> Flow[None]:
        """Delete a state that was completed; a failure after it was deleted is none of the task's."""
        try:
            is_deleted = yield from self._states.delete(scope, known=state)
        except StorageError as error:
            left = yield from self._states.read(scope, prolongs=False)
            if left is not None and left.state.started_at == state.started_at:
                raise
            LOGGER.warning("a completed task is deleted, but not yet from every file: %s", error)
            return
        if not is_deleted:
            left = yield from self._states.read(scope)
            _check_version(None if left is None else left.state, 0 if left is None else state)

    def _check_mode(self, scope: Scope, turn: MemoryMode | None) -> None:
        mode = self.mode(scope, turn)
        if mode != "on":
            msg = f"memory is {mode!r} here: working memory is not changed; use mode='on' where it may be"
            raise GovernanceError(msg, rule="mode")


def _wanted(change: StateUpdate | Mapping[str, Any] | None, changes: StateChanges) -> StateUpdate:
    if change is not None and changes:
        msg = f"pass either change or fields of a StateUpdate, not both: {', '.join(changes)}"
        raise ConfigurationError(msg)
    if isinstance(change, StateUpdate):
        return change
    return StateUpdate.from_dict(changes if change is None else change)


def _check_expected(expected: object) -> None:
    if expected is not None and not isinstance(expected, WorkingState):
        check_count("expected", expected, 0, MAX_COUNT)


def _check_version(stored: WorkingState | None, expected: Expected) -> None:
    """Raise `ConflictError` unless the stored state is the one expected."""
    if expected is None:
        return
    version = 0 if stored is None else stored.version
    wanted = expected.version if isinstance(expected, WorkingState) else expected
    is_another = isinstance(expected, WorkingState) and stored is not None and stored.started_at != expected.started_at
    if version != wanted or is_another:
        found = "none is stored" if stored is None else f"version {version} is stored"
        task = " of another task, begun after that one ended" if is_another else ""
        msg = f"the change is for version {wanted}, but {found}{task}; read it again and decide anew"
        raise ConflictError(msg)

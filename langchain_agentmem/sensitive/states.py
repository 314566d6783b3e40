"""Working states without the sensitive data that may not stand in them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.ledger.base import Ledger
from langchain_agentmem.policies.sensitive import Layer, SensitivePolicy
from langchain_agentmem.policies.sensitive_records import Protector, holder_of
from langchain_agentmem.sensitive.sessions import keep_found
from langchain_agentmem.states.base import DEFAULT_PAGE, Apply, States, StoredState
from langchain_agentmem.types import Scope
from langchain_agentmem.types.paging import LastUsed
from langchain_agentmem.types.working import WorkingSession, WorkingState
from langchain_agentmem.vault.base import Cipher

_NO_TEXT: Final = frozenset({"iteration", "seen", "version", "started_at", "updated_at"})


class ProtectedStates(States):
    """Working states that hold, and show, what a policy allows.

    Args:
        states: Where they are stored.
        policy: Says what becomes of each type.
        ledger: Keeps what tokens stand for, and notes what was refused.
    """

    def __init__(self, states: States, policy: SensitivePolicy, ledger: Ledger) -> None:
        """Compose."""
        self._states = states
        self._policy = policy
        self._ledger = ledger

    def read(self, scope: Scope, *, prolongs: bool = True) -> Flow[StoredState | None]:
        """Read what may be shown."""
        stored = yield from self._states.read(scope, prolongs=prolongs)
        if stored is None or self._policy.is_idle("shown"):
            return stored
        return stored._replace(state=protect_state(stored.state, self._protector("shown", scope)))

    def change(self, scope: Scope, apply: Apply, *, erases: bool = False) -> Flow[StoredState]:
        """Store what a change leaves, as it may be stored.

        Raises:
            GovernanceError: It holds what may not be stored; nothing is.
        """
        if self._policy.is_idle("working"):
            return (yield from self._states.change(scope, apply, erases=erases))
        stored = yield from self._states.read(scope, prolongs=False)
        seen = self._protector("working", scope)
        protect_state(apply(None if stored is None else stored.state), seen)
        yield from keep_found(self._ledger, scope, seen, holder_of(scope, "working"), "working")

        def protected(state: WorkingState | None) -> WorkingState:
            return protect_state(apply(state), self._protector("working", scope))

        return (yield from self._states.change(scope, protected, erases=erases))

    def delete(self, scope: Scope, *, known: WorkingState | None = None) -> Flow[bool]:
        """Delete a state, and then what its tokens stood for."""
        deleted = yield from self._states.delete(scope, known=known)
        if deleted and self._policy.tokenises("working") and not scope.is_anonymous:
            held = holder_of(scope, "working")
            yield from self._ledger.append(scope, lambda writer: writer.sensitive.drop(held))
        return deleted

    def sessions(
        self, scope: Scope, *, limit: int = DEFAULT_PAGE, before: LastUsed | None = None
    ) -> Flow[list[WorkingSession]]:
        """List them, with goals that may be shown."""
        listed = yield from self._states.sessions(scope, limit=limit, before=before)
        if self._policy.is_idle("shown"):
            return listed
        protector = self._protector("shown", scope)
        return [replace(it, goal=protector.text(it.goal)) for it in listed]

    def cipher(self, scope: Scope) -> Flow[Cipher | None]:
        """Seal like the states."""
        return self._states.cipher(scope)

    def sweep(self) -> Flow[int]:
        """Sweep the states."""
        return self._states.sweep()

    def _protector(self, layer: Layer, scope: Scope) -> Protector:
        return Protector(self._policy, layer, scope)


def protect_state(state: WorkingState, protector: Protector) -> WorkingState:
    """Return a state with its texts protected; the same one where nothing is to be changed."""
    data = state.to_dict()
    made: dict[str, Any] = {name: it if name in _NO_TEXT else protector.value(it) for name, it in data.items()}
    return state if made == data else WorkingState.from_dict(made)

"""Guards around the ports: whoever reads or writes somebody's rows, by whatever way, passes here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from langchain_agentmem._flow import Flow
from langchain_agentmem.access.flows import AccessFlows
from langchain_agentmem.ledger.base import ASKS as LEDGER_ASKS
from langchain_agentmem.ledger.base import PART_ASKS, Ledger, LedgerReader, LedgerWriter
from langchain_agentmem.ledger.verification import Anchor, Verification
from langchain_agentmem.sessions.base import ASKS as SESSION_ASKS
from langchain_agentmem.sessions.base import Sessions
from langchain_agentmem.states.base import ASKS as STATE_ASKS
from langchain_agentmem.states.base import States
from langchain_agentmem.types import Scope
from langchain_agentmem.types.asking import Action, Asks, is_implied

if TYPE_CHECKING:
    from langchain_agentmem.ledger.sql import SQLLedger
    from langchain_agentmem.sql.engine import Database

T = TypeVar("T")

_NO_PARTS: Final[Mapping[str, Asks]] = MappingProxyType({})


class GuardedLedger(Ledger):
    """A ledger that asks before it reads or writes.

    What a service does as a whole was asked about by it. For what nobody asked about, a transaction is begun; when it
    comes to what must be asked about, it is rolled back, and begun anew once that is allowed.
    """

    def __init__(self, ledger: SQLLedger, access: AccessFlows) -> None:
        """Nothing is asked yet."""
        self._ledger = ledger
        self._access = access

    @property
    def bare(self) -> SQLLedger:
        """The ledger itself, which asks nobody: for what was asked about as a whole, or is a job."""
        return self._ledger

    @property
    def database(self) -> Database:
        """Where the tables are."""
        return self._ledger.database

    def read(self, scope: Scope, body: Callable[[LedgerReader], T]) -> Flow[T]:
        """Ask, and read."""
        yield from self._access.check("read", scope)
        return (yield from self._ledger.read(scope, body))

    def read_prepared(self, scope: Scope, body: Callable[[LedgerReader], T]) -> Flow[T]:
        """Ask, and read the shortest way."""
        yield from self._access.check("read", scope)
        return (yield from self._ledger.read_prepared(scope, body))

    def append(self, scope: Scope, body: Callable[[LedgerWriter], T]) -> Flow[T]:
        """Ask for what the transaction turns out to do, and write."""
        allowed = self._access.allowed(scope)
        while True:
            try:
                return (yield from self._ledger.append(scope, lambda writer: _watched(writer, body, allowed)))
            except _NotAskedError as needed:
                action = needed.action
            yield from self._access.check(action, scope)
            allowed.add(action)

    def replay(self, scope: Scope) -> Flow[int]:
        """Ask, and rebuild."""
        yield from self._access.check("write", scope)
        return (yield from self._ledger.replay(scope))

    def scrub(self) -> Flow[None]:
        """Scrub: it concerns no single user."""
        return self._ledger.scrub()

    def empty_log(self) -> Flow[None]:
        """Empty it: it concerns no single user."""
        return self._ledger.empty_log()

    def verify(self, scope: Scope, anchor: Anchor | None = None) -> Flow[Verification]:
        """Ask, and check."""
        yield from self._access.check("read", scope)
        return (yield from self._ledger.verify(scope, anchor))


class _NotAskedError(Exception):
    """A transaction does something that nobody was asked about."""

    def __init__(self, action: Action) -> None:
        super().__init__(action)
        self.action = action


class _Watched:
    """A writer, or a part of one, that stops where something was not asked about.

    What is only read is asked about at the end of the transaction, which may be to write by then.
    """

    def __init__(self, inner: object, asks: Asks, allowed: set[Action], parts: Mapping[str, Asks] = _NO_PARTS) -> None:
        self._inner, self._asks, self._allowed, self._parts = inner, asks, allowed, parts

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  (whatever the writer has)
        if name in self._parts:
            return _Watched(getattr(self._inner, name), self._parts[name], self._allowed)
        action = asked_by(self._inner, name, self._asks)
        if action is not None and action != "read" and not is_implied(action, self._allowed):
            raise _NotAskedError(action)
        return getattr(self._inner, name)


def _watched(writer: LedgerWriter, body: Callable[[LedgerWriter], T], allowed: set[Action]) -> T:
    result = body(cast("LedgerWriter", _Watched(writer, LEDGER_ASKS, allowed, PART_ASKS)))
    looked: Action = "read"
    if is_implied(looked, allowed):
        return result
    raise _NotAskedError(looked)


def asked_by(port: object, name: str, asks: Asks) -> Action | None:
    """Return what a name of a port asks about.

    Raises:
        AttributeError: The port does not say: nothing passes that nobody thought of.
    """
    if name not in asks:
        msg = f"{name!r} of {type(port).__name__} is not in what its port asks about (ASKS): it does not pass the guard"
        raise AttributeError(msg)
    return asks[name]


def passing(port: object, name: str, asks: Asks) -> Any:  # noqa: ANN401  (whatever the port has)
    """Return what of a port concerns no user.

    Raises:
        AttributeError: It does, or the port does not say.
    """
    if asked_by(port, name, asks) is not None:
        msg = f"{name!r} of {type(port).__name__} asks first, and nothing here does"
        raise AttributeError(msg)
    return getattr(port, name)


class _GuardedPort:
    """A port whose methods take a scope first: each asks before it does anything."""

    def __init__(self, inner: object, asks: Asks, access: AccessFlows) -> None:
        self._inner, self._asks, self._access = inner, asks, access

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  (whatever the port has)
        action = asked_by(self._inner, name, self._asks)
        found = getattr(self._inner, name)
        if action is None:
            return found

        def guarded(scope: Scope, *args: Any, **kwargs: Any) -> Flow[Any]:
            if isinstance(scope, Scope):  # anything else the port refuses by itself
                yield from self._access.check(action, scope)
            return (yield from found(scope, *args, **kwargs))

        return guarded


def guarded_sessions(sessions: Sessions, access: AccessFlows) -> Sessions:
    """Return conversations that ask before they are read or written."""
    return cast("Sessions", _GuardedPort(sessions, SESSION_ASKS, access)) if access.is_asked else sessions


def guarded_states(states: States, access: AccessFlows) -> States:
    """Return working states that ask before they are read or written."""
    return cast("States", _GuardedPort(states, STATE_ASKS, access)) if access.is_asked else states

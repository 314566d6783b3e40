"""Guards around the ports: whoever reads or writes somebody's rows, by whatever way, passes here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from langchain_agentmem._flow import Flow
from langchain_agentmem.access.flows import AccessFlows, Action
from langchain_agentmem.ledger.base import Ledger, LedgerReader, LedgerWriter
from langchain_agentmem.ledger.verification import Anchor, Verification
from langchain_agentmem.sessions.base import Sessions
from langchain_agentmem.states.base import States
from langchain_agentmem.types import Scope

if TYPE_CHECKING:
    from langchain_agentmem.ledger.sql import SQLLedger
    from langchain_agentmem.sql.engine import Database

T = TypeVar("T")

SESSION_ACTIONS: Final[Mapping[str, Action]] = {
    **dict.fromkeys(("read", "page", "pick", "search", "summary", "count", "conversations"), "read"),
    **dict.fromkeys(("append", "keep_summary", "rewrite"), "write"),
    "clear": "erase",
}
STATE_ACTIONS: Final[Mapping[str, Action]] = {
    **dict.fromkeys(("read", "sessions", "cipher"), "read"),
    "change": "write",
    "delete": "erase",
}
"""What each method of a port does; those that are not named concern no single user."""

_WRITER_ACTIONS: Final[Mapping[str, Action]] = {
    **dict.fromkeys(("put_receipt", "touch"), "read"),  # what a read leaves
    **dict.fromkeys(
        (
            "append",
            "put_vector",
            "add_vectors",
            "drop_vectors",
            "enqueue",
            "enqueue_once",
            "postpone_job",
            "finish_job",
            "drop_job",
        ),
        "write",
    ),
    **dict.fromkeys(("erase", "forget_questions", "cancel_jobs", "redact_jobs"), "erase"),
}
_RUN_ACTIONS: Final[Mapping[str, Action]] = {"put": "write", "redact": "erase"}
_SENSITIVE_ACTIONS: Final[Mapping[str, Action]] = {"put": "write", "clean": "write", "drop": "erase"}
_EPISODE_ACTIONS: Final[Mapping[str, Action]] = {
    **dict.fromkeys(("put", "put_vectors", "supersede"), "write"),
    **dict.fromkeys(("drop", "clear", "clear_copies", "drop_expired"), "erase"),
}
_PART_ACTIONS: Final[Mapping[str, Mapping[str, Action]]] = {
    "episodes": _EPISODE_ACTIONS,
    "runs": _RUN_ACTIONS,
    "sensitive": _SENSITIVE_ACTIONS,
    "requests": {"put": "write"},
    "snapshots": {"put": "read"},  # what a read leaves
}


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
        yield from self._access.let_pass("read", scope)
        return (yield from self._ledger.read(scope, body))

    def read_prepared(self, scope: Scope, body: Callable[[LedgerReader], T]) -> Flow[T]:
        """Ask, and read the shortest way."""
        yield from self._access.let_pass("read", scope)
        return (yield from self._ledger.read_prepared(scope, body))

    def append(self, scope: Scope, body: Callable[[LedgerWriter], T]) -> Flow[T]:
        """Ask for what the transaction turns out to do, and write."""
        if self._access.is_under_way(scope):
            return (yield from self._ledger.append(scope, body))
        allowed: set[Action] = set()
        while True:
            try:
                return (yield from self._ledger.append(scope, lambda writer: _watched(writer, body, allowed)))
            except _NotAskedError as needed:
                action = needed.action
            yield from self._access.check(action, scope)
            allowed.add(action)

    def replay(self, scope: Scope) -> Flow[int]:
        """Ask, and rebuild."""
        yield from self._access.let_pass("write", scope)
        return (yield from self._ledger.replay(scope))

    def scrub(self) -> Flow[None]:
        """Scrub: it concerns no single user."""
        return self._ledger.scrub()

    def empty_log(self) -> Flow[None]:
        """Empty it: it concerns no single user."""
        return self._ledger.empty_log()

    def verify(self, scope: Scope, anchor: Anchor | None = None) -> Flow[Verification]:
        """Ask, and check."""
        yield from self._access.let_pass("read", scope)
        return (yield from self._ledger.verify(scope, anchor))


class _NotAskedError(Exception):
    """A transaction does something that nobody was asked about."""

    def __init__(self, action: Action) -> None:
        super().__init__(action)
        self.action = action


class _WatchedWriter:
    """A writer, or a part of one, that stops where something was not asked about."""

    def __init__(self, inner: Any, actions: Mapping[str, Action], allowed: set[Action]) -> None:  # noqa: ANN401  (a writer, or its episodes)
        self._inner, self._actions, self._allowed = inner, actions, allowed

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  (whatever the writer has)
        action = self._actions.get(name)
        if action is not None and not _is_covered(action, self._allowed):
            raise _NotAskedError(action)
        found = getattr(self._inner, name)
        part = _PART_ACTIONS.get(name) if self._actions is _WRITER_ACTIONS else None
        return found if part is None else _WatchedWriter(found, part, self._allowed)


def _watched(writer: LedgerWriter, body: Callable[[LedgerWriter], T], allowed: set[Action]) -> T:
    result = body(cast("LedgerWriter", _WatchedWriter(writer, _WRITER_ACTIONS, allowed)))
    if allowed:
        return result
    looked: Action = "read"  # nothing was changed: then something was looked at
    raise _NotAskedError(looked)


def _is_covered(action: Action, allowed: set[Action]) -> bool:
    """Whether one was asked about that implies it: an erasure leaves events, and every change a receipt."""
    return action in allowed or (action == "read" and bool(allowed)) or (action == "write" and "erase" in allowed)


class _GuardedPort:
    """A port whose methods take a scope first: each asks before it does anything."""

    def __init__(self, inner: Any, actions: Mapping[str, Action], access: AccessFlows) -> None:  # noqa: ANN401  (any port)
        self._inner, self._actions, self._access = inner, actions, access

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  (whatever the port has)
        found, action = getattr(self._inner, name), self._actions.get(name)
        if action is None:
            return found

        def guarded(scope: Scope, *args: Any, **kwargs: Any) -> Flow[Any]:
            if isinstance(scope, Scope):  # anything else the port refuses by itself
                yield from self._access.let_pass(action, scope)
            return (yield from found(scope, *args, **kwargs))

        return guarded


def guarded_sessions(sessions: Sessions, access: AccessFlows) -> Sessions:
    """Return conversations that ask before they are read or written."""
    return cast("Sessions", _GuardedPort(sessions, SESSION_ACTIONS, access)) if access.is_asked else sessions


def guarded_states(states: States, access: AccessFlows) -> States:
    """Return working states that ask before they are read or written."""
    return cast("States", _GuardedPort(states, STATE_ACTIONS, access)) if access.is_asked else states

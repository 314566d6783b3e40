"""The flows behind `Access`: asks whether an actor may do something with somebody's memory, and notes each no."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, NamedTuple, TypeAlias, TypeVar

from langchain_agentmem._checks import check_choice
from langchain_agentmem._flow import Flow, in_executor, step
from langchain_agentmem.access.actor import acting_flow, named_actor, run_actor
from langchain_agentmem.errors import AgentMemError, ConfigurationError, GovernanceError
from langchain_agentmem.ledger.base import Draft, Ledger, LedgerWriter
from langchain_agentmem.policies.redact import redact
from langchain_agentmem.policies.shortening import beginning
from langchain_agentmem.types import Scope
from langchain_agentmem.types.asking import ACTIONS, Action, is_implied

T = TypeVar("T")

Said: TypeAlias = bool | str
Authorize: TypeAlias = Callable[[str, Action, Scope], Said | Awaitable[Said]]
"""`authorize(actor, action, scope)`: `True` lets it happen; `False`, or a text that says why, does not."""

RULE: Final = "authorize"
_REASON_CHARS: Final = 500

LOGGER: Final = logging.getLogger("langchain_agentmem")


class _Entry(NamedTuple):
    """What somebody was allowed, for as long as it lasts: what it implies is not asked about again."""

    access: int
    actor: str
    tenant_id: str
    user_id: str
    action: Action


_UNDER_WAY: Final[ContextVar[tuple[_Entry, ...]]] = ContextVar("agentmem_under_way", default=())
_EVERYBODY: Final = ("", "")
_WORKING_FOR: Final[ContextVar[tuple[str, str] | None]] = ContextVar("agentmem_working_for", default=None)
"""Tenant and user of what is being done unasked, or everybody's: a job, or what an action leaves."""


def unasked_flow(scope: Scope | None, flow: Flow[T]) -> Flow[T]:
    """Do what nobody asked for by itself: a job, about which was asked when it was queued, or what an action leaves.

    Args:
        scope: Whose memory it is about; of anybody else's it is asked as ever. `None`: it is about everybody's.
        flow: Does it.
    """
    before = _WORKING_FOR.get()
    _WORKING_FOR.set(_EVERYBODY if scope is None else (scope.tenant_id, scope.user_id))
    try:
        return (yield from flow)
    finally:
        _WORKING_FOR.set(before)


class AccessFlows:
    """Asks before memory is read, written, exported or erased; without a rule of the application's, nothing is asked.

    Args:
        authorize: The application's rule. What it raises is a no, whatever it is: nobody passes because it failed.
        ledger: Where each no is noted, in the log of the user whose memory it is about.
        actor_of: Tells who acts by the run around a call; `None`: it does not say, and it is the user.
    """

    def __init__(
        self,
        authorize: Authorize | None = None,
        *,
        ledger: Ledger | None = None,
        actor_of: Callable[[], str | None] = lambda: None,
    ) -> None:
        """Nothing is asked yet."""
        self._authorize = authorize
        self._ledger = ledger
        self._actor_of = actor_of

    @property
    def is_asked(self) -> bool:
        """Whether there is a rule at all."""
        return self._authorize is not None

    def actor(self, scope: Scope) -> str:
        """Return who acts: as `acting_as` says, else as the run does, else the user; of a visitor, no name.

        A run that names nobody is a visitor's also where its thread is somebody's.
        """
        by_run = run_actor()
        return named_actor() or self._actor_of() or (scope.user_id if by_run is None else by_run)

    def other(self, scope: Scope) -> str | None:
        """Return who acts, where that is somebody else than the user."""
        actor = self.actor(scope)
        return None if actor == scope.user_id else actor

    def queued(self, actor: str | None, scope: Scope, flow: Flow[T]) -> Flow[T]:
        """Do what was queued, as who queued it: somebody else than the user is asked about anew, to write.

        Args:
            actor: Who queued it; `None`: the user, who was asked about then.
            scope: Whose memory it is about.
            flow: Does it.

        Raises:
            GovernanceError: They may not any more; nothing of it was done.
        """
        if actor is None:
            return (yield from flow)
        before = _WORKING_FOR.get()
        _WORKING_FOR.set(None)
        try:
            yield from acting_flow(actor, self.check("write", scope))
        except BaseException:
            flow.close()
            raise
        finally:
            _WORKING_FOR.set(before)
        return (yield from acting_flow(actor, flow))

    def check(self, action: Action, scope: Scope) -> Flow[None]:
        """Ask whether who acts may do something with the memory of a scope's user, unless what is under way implies it.

        Raises:
            GovernanceError: They may not (`rule` is `authorize`); it stands in the user's log, as `access_refused`.
            ConfigurationError: The rule has to be awaited, and the call is not.
        """
        check_choice("action", action, ACTIONS)
        if self._authorize is None or is_implied(action, self.allowed(scope)):
            return
        actor = self.actor(scope)
        reason = yield from step(self._refusal, self._arefusal, actor, action, scope)
        if reason is not None:
            yield from self._note(actor, action, scope, reason)
            who = repr(actor) if actor else "a visitor, whom the run does not name,"
            msg = f"{who} may not {action} memory of this user: {reason}"
            raise GovernanceError(msg, rule=RULE)

    def within(self, action: Action, scope: Scope, flow: Flow[T]) -> Flow[T]:
        """Ask, and then do something as a whole: what it implies of this user is not asked about again."""
        if not self._is_asked_about(scope):
            return (yield from flow)
        try:
            yield from self.check(action, scope)
        except BaseException:
            flow.close()
            raise
        with self.under_way(action, scope):
            return (yield from flow)

    def check_whole(self, action: Action, scope: Scope) -> Flow[None]:
        """Ask whether who acts may do something as a whole; see `under_way`."""
        if self._is_asked_about(scope):
            yield from self.check(action, scope)

    @contextmanager
    def under_way(self, action: Action, scope: Scope) -> Iterator[None]:
        """Ask no more about what an action implies for this user meanwhile: it was asked about as a whole."""
        before = _UNDER_WAY.get()
        if self._is_asked_about(scope):
            _UNDER_WAY.set((*before, self._entry(self.actor(scope), action, scope)))
        try:
            yield
        finally:
            _UNDER_WAY.set(before)

    def _is_asked_about(self, scope: Scope) -> bool:
        return self._authorize is not None and not scope.is_anonymous

    def allowed(self, scope: Scope) -> set[Action]:
        """Return what of this user's who acts is at, and was allowed as a whole; at a job of theirs, everything."""
        if _is_worked_for(scope):
            return set(ACTIONS)
        actor = self.actor(scope)
        return {it.action for it in _UNDER_WAY.get() if self._entry(actor, it.action, scope) == it}

    # ---------------------------------------------------------------------------------------------------------- asking
    def _refusal(self, actor: str, action: Action, scope: Scope) -> str | None:
        said = self._called(actor, action, scope)
        if inspect.isawaitable(said):
            if inspect.iscoroutine(said):
                said.close()
            msg = "authorize has to be awaited; call the awaitable methods (arecall, ainvoke), or pass a plain function"
            raise ConfigurationError(msg)
        return _reason(said)

    async def _arefusal(self, actor: str, action: Action, scope: Scope) -> str | None:
        if inspect.iscoroutinefunction(self._authorize):
            said = self._called(actor, action, scope)
        else:
            said = await in_executor(self._called, actor, action, scope)
        try:
            return _reason(await said if inspect.isawaitable(said) else said)
        except Exception as error:  # noqa: BLE001  (whatever an application's rule raises is a no)
            return _of_error(error)

    def _called(self, actor: str, action: Action, scope: Scope) -> object:
        try:
            return None if self._authorize is None else self._authorize(actor, action, scope)
        except Exception as error:  # noqa: BLE001  (as above)
            return _of_error(error)

    def _note(self, actor: str, action: Action, scope: Scope, reason: str) -> Flow[None]:
        """Note a no in the log of whose memory it is; it stays a no where it cannot be noted."""
        LOGGER.warning("authorize refused: action %s", action)
        if self._ledger is None or scope.is_anonymous:
            return
        note = {"actor": actor, "action": action, "reason": reason}

        def noted(writer: LedgerWriter) -> None:
            writer.append(Draft(type="access_refused", note=note, rule=RULE))

        try:
            yield from self._ledger.append(scope, noted)
        except AgentMemError as error:
            LOGGER.warning("a refusal could not be noted: %s", type(error).__name__)

    def _entry(self, actor: str, action: Action, scope: Scope) -> _Entry:
        return _Entry(id(self), actor, scope.tenant_id, scope.user_id, action)


def _is_worked_for(scope: Scope) -> bool:
    return _WORKING_FOR.get() in (_EVERYBODY, (scope.tenant_id, scope.user_id))


def _reason(said: object) -> str | None:
    """Return why not; `None`: `authorize` said `True`, and nothing else is a yes."""
    if said is True:
        return None
    if isinstance(said, str) and said.strip():
        return redact(beginning(said, _REASON_CHARS))
    if said is False or said == "":
        return "authorize said no; ask whoever grants access here"
    return f"authorize must return True, False or a reason, got {type(said).__name__}, which counts as a no"


def _of_error(error: Exception) -> str:
    is_told = isinstance(error, (GovernanceError, PermissionError)) and bool(str(error))
    return redact(beginning(str(error), _REASON_CHARS)) if is_told else f"authorize failed ({type(error).__name__})"

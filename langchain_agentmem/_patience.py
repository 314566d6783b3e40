"""Waits that end: what is called from outside may never answer, and no turn waits for it for ever.

A call that does not answer in time cannot be stopped where it blocks a thread. It is left alone in a thread of its own,
which keeps neither a pool of threads nor the end of the process; whatever it answers later, nobody hears. Such threads
are counted: while many of them hang, hardly another one is begun to find out whether there are answers again.

A turn asks the same thing several times. What has not answered once is given a rest, see `Breaker`: so the waits of a
turn do not add up.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import weakref
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextvars import copy_context
from functools import partial
from math import inf
from time import monotonic
from types import TracebackType
from typing import Any, Final, Literal, TypeAlias, TypeVar

from langchain_agentmem._flow import Flow, Step, in_executor, step
from langchain_agentmem.errors import StorageError

T = TypeVar("T")
Manner: TypeAlias = Literal["waits", "probes", "tries"]
"""A call waits as long as it may; does so to find out whether there are answers again; or waits for nothing."""

DEFAULT_BUSY_TIMEOUT_S: Final = 30.0
"""For the lock of a SQLite database."""

DEFAULT_ANSWER_TIMEOUT_S: Final = 60.0
"""For PostgreSQL: twice what a writer waits for another one on SQLite, for here the statement itself is in it."""

REST_RATIO: Final = 2.0
"""So many times as long as it was waited for in vain, nobody waits again: waits are a third of the time at most, …"""

MAX_REST_S: Final = 10.0
"""… but no longer than this: most turns of an agent are over by then, and what is well again is soon asked again."""

MANY_LEFT: Final = 8
"""While so many calls hang, whether there are answers again is found out once in `LEFT_REST_S` only, …"""

LEFT_REST_S: Final = 3_600.0

MOST_LEFT: Final = 32
"""… and while so many do, not before one of them ends."""

SHORTEST_S: Final = 0.02
"""What failed sooner has cost nobody a wait: a fiftieth of what a reader notices."""

_LEFT: Final = "agentmem_left_alone"

_LOCKS: Final = ("SQLITE_BUSY", "SQLITE_LOCKED")

LOGGER: Final = logging.getLogger("langchain_agentmem")


class Breaker:
    """Remembers that a wait for something was in vain, so that nobody waits for it again at once.

    Whoever asks meanwhile is told the same without asking. After that one caller asks again, and the others go on being
    told: is there an answer, whatever it says, all is well. A wait that ran out while others were answered is a matter
    of that call alone.

    Args:
        name: What it is, in the log.
        is_tried: Trying costs no wait, as with a lock: then everybody may try, and is to wait for nothing while it
            `is_resting`.
    """

    __slots__ = ("_answered_at", "_is_tried", "_left", "_name", "_probed_at", "_told", "_until")

    def __init__(self, name: str, *, is_tried: bool = False) -> None:
        """All is well."""
        self._name = name
        self._is_tried = is_tried
        self._told: Callable[[], Exception] | None = None
        self._until = self._answered_at = self._probed_at = -inf
        self._left: set[Future[Any]] = set()

    @property
    def is_resting(self) -> bool:
        """Whether nobody is to wait now."""
        return self._told is not None and monotonic() < self._until

    def watched(self) -> Watched:
        """Return the context of one call, sync, awaited, or in a flow.

        Raises:
            StorageError: There was no answer lately, and this is what was said of it; retryable.
            TimeoutError: Likewise, where the error was none of ours.
        """
        return Watched(self)

    def begin(self, at: float) -> Manner:
        """Let a call begin, or raise."""
        told = self._told
        if told is None:
            return "waits"
        if at >= self._until and self._may_probe(at):
            self._probed_at = at
            self._until = self._until if self._is_tried else at + MAX_REST_S  # it finds out, while others do not wait
            return "probes"
        if self._is_tried:
            return "tries"
        raise told()

    def end(self, error: BaseException | None, began_at: float, manner: Manner) -> None:
        """Note how a call ended."""
        self._note_left(error)
        if error is None:
            self._answered_at = monotonic()
            self._told = None
        elif not isinstance(error, Exception):  # it was cancelled: there is neither an answer nor none
            self._until = -inf if manner == "probes" else self._until
        elif not ran_out(error):
            self._told = None
        elif manner != "tries":
            self._silence(error, began_at)

    def _may_probe(self, at: float) -> bool:
        """Whether one more call may be begun that may hang as well."""
        hanging = len(self._left)
        return hanging < MANY_LEFT or (hanging < MOST_LEFT and at >= self._probed_at + LEFT_REST_S)

    def _note_left(self, error: BaseException | None) -> None:
        """Count a call that was left alone, until it ends."""
        while error is not None and not isinstance(getattr(error, _LEFT, None), Future):
            error = error.__cause__
        answer: Future[Any] | None = getattr(error, _LEFT, None)
        if answer is not None and not answer.done():
            self._left.add(answer)
            answer.add_done_callback(self._left.discard)

    def _silence(self, error: Exception, began_at: float) -> None:
        waited_s = monotonic() - began_at
        if waited_s < SHORTEST_S or self._answered_at > began_at:
            self._told = None
            return
        rest_s = min(REST_RATIO * waited_s, MAX_REST_S)
        self._until = monotonic() + rest_s
        self._told = _teller(error)
        LOGGER.warning("no answer from %s in %.1f s; nobody waits for it for %.1f s", self._name, waited_s, rest_s)


class Watched:
    """One call of something that may not answer."""

    __slots__ = ("_began_at", "_breaker", "_manner")

    def __init__(self, breaker: Breaker) -> None:
        """Nothing has begun."""
        self._breaker = breaker
        self._began_at = 0.0
        self._manner: Manner = "waits"

    def __enter__(self) -> None:
        """Begin, unless there was no answer lately."""
        self._began_at = monotonic()
        self._manner = self._breaker.begin(self._began_at)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Note how it ended."""
        self._breaker.end(error, self._began_at, self._manner)


def ran_out(error: BaseException | None) -> bool:
    """Whether an error says that a wait was in vain: by its own kind, or that of what it came from.

    Drivers and providers have kinds of their own, which have nothing in common but their names.
    """
    while error is not None:
        is_lock = str(getattr(error, "sqlite_errorname", "")).startswith(_LOCKS)
        if is_lock or any("timeout" in kind.__name__.lower() for kind in type(error).__mro__):
            return True
        error = error.__cause__
    return False


def breaker_of(thing: object) -> Breaker:
    """Return the breaker of something that the application made, the same one for whoever calls it."""
    found = _breakers.get(id(thing))
    if found is None:
        found = Breaker(type(thing).__name__)
        try:
            weakref.finalize(thing, _breakers.pop, id(thing), None).atexit = False
        except TypeError:  # nobody can tell when it ends
            return found
        _breakers[id(thing)] = found
    return found


_breakers: Final[dict[int, Breaker]] = {}


def _teller(failure: Exception) -> Callable[[], Exception]:
    """Return what makes an error that says the same, without what the first one holds on to."""
    if isinstance(failure, StorageError):
        return partial(StorageError, str(failure), is_retryable=failure.is_retryable)
    return partial(TimeoutError, str(failure) or type(failure).__name__)


def within(timeout_s: float | None, blocking: Callable[..., T], *args: Any) -> T:
    """Return `blocking(*args)`, called with the caller's context variables; `None` waits for ever.

    Raises:
        TimeoutError: There was no answer within `timeout_s` seconds.
    """
    if timeout_s is None:
        return blocking(*args)
    answer = _begun(blocking, args)
    try:
        return answer.result(timeout_s)
    except TimeoutError:
        if answer.done():  # it is its own
            raise
        raise _left_alone(answer) from None


async def awithin(timeout_s: float | None, awaitable: Callable[..., Awaitable[T]], *args: Any) -> T:
    """Return what `awaitable(*args)` gives; see `within`. What is awaited is cancelled when the time is up."""
    async with asyncio.timeout(timeout_s):
        return await awaitable(*args)


async def athread_within(timeout_s: float | None, blocking: Callable[..., T], *args: Any) -> T:
    """Return `blocking(*args)`, of something that cannot be awaited; see `within`."""
    answer = _begun(blocking, args)
    try:
        async with asyncio.timeout(timeout_s):
            return await asyncio.wrap_future(answer)
    except TimeoutError:
        if answer.done():  # it is its own
            raise
        raise _left_alone(answer) from None


def step_within(
    timeout_s: float | None,
    blocking: Callable[..., T],
    awaitable: Callable[..., Awaitable[T]],
    *args: Any,
    of: object,
) -> Flow[T]:
    """Wait as `step` does, and no longer than `timeout_s` seconds; see `within`.

    Args:
        timeout_s: How long at most.
        blocking: The call.
        awaitable: The same, awaited.
        args: Of both.
        of: Whom they ask: one who did not answer lately is not asked, see `Breaker`.

    Raises:
        TimeoutError: There was no answer, now or lately.
    """
    with breaker_of(of).watched():
        return (yield from step(partial(within, timeout_s, blocking), partial(awithin, timeout_s, awaitable), *args))


def flow_within(timeout_s: float | None, flow: Flow[T], *, of: object) -> Flow[T]:
    """Go through a flow, each wait of which ends after `timeout_s` seconds; arguments and errors as `step_within`."""
    with breaker_of(of).watched():
        try:
            waiting = next(flow)
            while True:
                try:
                    answer = yield _bounded(waiting, timeout_s)
                except BaseException as error:  # noqa: BLE001  (the flow decides what to do with it)
                    waiting = flow.throw(error)
                else:
                    waiting = flow.send(answer)
        except StopIteration as end:
            result: T = end.value
            return result


def _bounded(waiting: Step, timeout_s: float | None) -> Step:
    """Return a wait that ends; a thread that does not come back is none of the executor's."""
    blocking, awaitable, args = waiting
    is_work = isinstance(awaitable, partial) and awaitable.func is in_executor
    bounded = partial(athread_within, timeout_s, blocking) if is_work else partial(awithin, timeout_s, awaitable)
    return Step(partial(within, timeout_s, blocking), bounded, args)


def _left_alone(answer: Future[Any]) -> TimeoutError:
    """Return the error of a call that hangs in its thread; it carries what tells that the call has ended."""
    error = TimeoutError()
    setattr(error, _LEFT, answer)
    return error


def _begun(blocking: Callable[..., T], args: tuple[Any, ...]) -> Future[T]:
    answer: Future[T] = Future()
    context = copy_context()

    def work() -> None:
        if not answer.set_running_or_notify_cancel():  # else nobody can cancel it from here on, and it may be set
            return
        try:
            answer.set_result(context.run(blocking, *args))
        except BaseException as error:  # noqa: BLE001  (it is raised where it is waited for)
            answer.set_exception(error)

    threading.Thread(target=work, name="agentmem-call", daemon=True).start()
    return answer

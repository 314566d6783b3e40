"""Waits that end: what is called from outside may never answer, and no turn waits for it for ever.

A call that does not answer in time cannot be stopped where it blocks a thread. It is left alone in a thread of its own,
which keeps neither a pool of threads nor the end of the process; whatever it answers later, nobody hears.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

from langchain_agentmem._flow import Flow, step

T = TypeVar("T")


def within(timeout_s: float | None, blocking: Callable[..., T], *args: Any) -> T:
    """Return `blocking(*args)`, called with the caller's context variables; `None` waits for ever.

    Raises:
        TimeoutError: There was no answer within `timeout_s` seconds.
    """
    if timeout_s is None:
        return blocking(*args)
    return _begun(blocking, args).result(timeout_s)


async def awithin(timeout_s: float | None, awaitable: Callable[..., Awaitable[T]], *args: Any) -> T:
    """Return what `awaitable(*args)` gives; see `within`. What is awaited is cancelled when the time is up."""
    async with asyncio.timeout(timeout_s):
        return await awaitable(*args)


async def athread_within(timeout_s: float | None, blocking: Callable[..., T], *args: Any) -> T:
    """Return `blocking(*args)`, of something that cannot be awaited; see `within`."""
    async with asyncio.timeout(timeout_s):
        return await asyncio.wrap_future(_begun(blocking, args))


def step_within(
    timeout_s: float | None, blocking: Callable[..., T], awaitable: Callable[..., Awaitable[T]], *args: Any
) -> Flow[T]:
    """Wait as `step` does, and no longer than `timeout_s` seconds; see `within`."""
    return (yield from step(partial(within, timeout_s, blocking), partial(awithin, timeout_s, awaitable), *args))


def _begun(blocking: Callable[..., T], args: tuple[Any, ...]) -> Future[T]:
    answer: Future[T] = Future()
    context = copy_context()

    def work() -> None:
        answer.set_running_or_notify_cancel()  # from here on nobody can cancel it, and it may be set
        try:
            answer.set_result(context.run(blocking, *args))
        except BaseException as error:  # noqa: BLE001  (it is raised where it is waited for)
            answer.set_exception(error)

    threading.Thread(target=work, name="agentmem-call", daemon=True).start()
    return answer

"""Write a procedure once, run it sync or await it.

A *flow* is a generator that yields a `Step` wherever it has to wait and receives what the wait returned. It has no
colour: `run` drives it with the blocking callables of its steps, `arun` with the awaitable ones. A public pair of
methods is therefore two lines over one flow:

```python
def recall(self, ...): return run(self._flows.recall(...))
async def arecall(self, ...): return await arun(self._flows.recall(...))
```

What users hold has such pairs alone. The flows stand on an object behind it, and other flows go on with those:
`yield from flows_of(memory.long_term).recall(...)`.

An exception of a step is thrown into the generator at its `yield`, cancellation included, so that `try/finally` inside
a flow works as in ordinary code.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

T = TypeVar("T")
F_co = TypeVar("F_co", covariant=True)


class Step(NamedTuple):
    """One wait: the blocking callable, the awaitable one, and the arguments of both."""

    blocking: Callable[..., Any]
    awaitable: Callable[..., Awaitable[Any]]
    args: tuple[Any, ...] = ()


Flow: TypeAlias = Generator[Step, Any, T]


def step(blocking: Callable[..., T], awaitable: Callable[..., Awaitable[T]], *args: Any) -> Flow[T]:
    """Wait for `blocking(*args)`, or for `awaitable(*args)` where the flow is awaited."""
    result: T = yield Step(blocking, awaitable, args)
    return result


def work(blocking: Callable[..., T], *args: Any) -> Flow[T]:
    """Wait for a callable that has no awaitable form: awaited, it runs in the executor with the caller's context."""
    result: T = yield Step(blocking, partial(in_executor, blocking), args)
    return result


def whole(flow: Flow[T]) -> Flow[T]:
    """Wait for a flow that is not broken off: whoever is cancelled meanwhile is so once it has ended."""
    result: T = yield Step(run, _to_its_end, (flow,))
    return result


async def _to_its_end(flow: Flow[T]) -> T:
    task = asyncio.ensure_future(arun(flow))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # it is asked for, and nobody is left who could do anything about it
        raise


async def in_executor(blocking: Callable[..., T], *args: Any) -> T:
    """Await a blocking callable in the default executor, with the caller's context variables."""
    from langchain_core.runnables.config import run_in_executor  # awaited code has imported runnables long ago

    return await run_in_executor(None, blocking, *args)


def run(flow: Flow[T]) -> T:
    """Drive a flow to its end on this thread."""
    try:
        waiting = next(flow)
        while True:
            try:
                result = waiting.blocking(*waiting.args)
            except BaseException as error:  # noqa: BLE001  (the flow decides what to do with it)
                waiting = flow.throw(error)
            else:
                waiting = flow.send(result)
    except StopIteration as end:
        value: T = end.value
        return value
    finally:
        flow.close()


async def arun(flow: Flow[T]) -> T:
    """Drive a flow to its end on the running event loop."""
    try:
        waiting = next(flow)
        while True:
            try:
                result = await waiting.awaitable(*waiting.args)
            except BaseException as error:  # noqa: BLE001  (the flow decides what to do with it)
                waiting = flow.throw(error)
            else:
                waiting = flow.send(result)
    except StopIteration as end:
        value: T = end.value
        return value
    finally:
        flow.close()


class Face(Protocol[F_co]):
    """What users hold: pairs of methods, run and awaited, over an object whose methods are the flows."""

    @property
    def _flows(self) -> F_co: ...


def flows_of(face: Face[T]) -> T:
    """Return the flows behind what users hold: for a flow that goes on with one of them."""
    return face._flows  # noqa: SLF001  (what nobody else is to reach for is reached for here alone)

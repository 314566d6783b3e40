from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem._flow import Flow, Step, arun, run, step, work
from tests.conftest import Colour

Drive: TypeAlias = Callable[[Flow[Any]], Awaitable[Any]]
WHO: Final[contextvars.ContextVar[str]] = contextvars.ContextVar("who", default="nobody")


@pytest.fixture
def drive(colour: Colour) -> Drive:
    """Run a flow in this test's colour."""

    async def drive_sync(flow: Flow[Any]) -> Any:  # noqa: ANN401
        return run(flow)

    return drive_sync if colour == "sync" else arun


def double(value: int) -> int:
    return 2 * value


async def adouble(value: int) -> int:
    await asyncio.sleep(0)
    return 2 * value


def fail(error: BaseException) -> int:
    raise error


async def afail(error: BaseException) -> int:
    await asyncio.sleep(0)
    raise error


def doubled(values: list[int]) -> Flow[list[int]]:
    found = []
    for value in values:
        found.append((yield from step(double, adouble, value)))  # noqa: PERF401  (a comprehension cannot wait)
    return found


def rescued(error: BaseException, notes: list[str]) -> Flow[str]:
    """Waits for what fails, and waits again while it clears up."""
    try:
        yield from step(fail, afail, error)
    except ValueError as caught:
        notes.append(f"caught {caught}")
        return "rescued"
    finally:
        notes.append(str((yield from step(double, adouble, 21))))
    return "unharmed"


@given(st.lists(st.integers(), max_size=20))
def test_both_colours_give_the_same_result(values: list[int]) -> None:
    """A flow has one meaning, whichever driver runs it."""
    assert run(doubled(values)) == asyncio.run(arun(doubled(values))) == [2 * value for value in values]


async def test_a_flow_that_never_waits_returns_at_once(drive: Drive) -> None:
    """A flow without a step is an ordinary function."""

    def still() -> Flow[int]:
        yield from ()
        return 7

    assert await drive(still()) == 7


async def test_an_error_of_a_step_is_raised_at_its_yield(drive: Drive) -> None:
    """A flow catches the error of its step with `except`, and cleans up with steps of its own."""
    notes: list[str] = []
    assert await drive(rescued(ValueError("broken"), notes)) == "rescued"
    assert notes == ["caught broken", "42"]


async def test_an_error_that_the_flow_does_not_catch_reaches_the_caller(drive: Drive) -> None:
    """What a flow lets pass is raised as it was, after its `finally` has run."""
    notes: list[str] = []
    error = KeyError("unexpected")
    with pytest.raises(KeyError) as caught:
        await drive(rescued(error, notes))
    assert caught.value is error
    assert notes == ["42"]


async def test_the_end_of_an_iterator_in_a_step_does_not_end_the_flow(drive: Drive) -> None:
    """`StopIteration` of a step is an error, never mistaken for the flow's own return."""
    with pytest.raises(RuntimeError):
        await drive(rescued(StopIteration("no result"), []))


async def test_a_step_of_a_flow_inside_a_flow_is_driven_too(drive: Drive) -> None:
    """Flows nest: the inner one's steps are waits of the outer one."""

    def outer() -> Flow[int]:
        return sum((yield from doubled([1, 2, 3])))

    assert await drive(outer()) == 12


async def test_work_runs_in_the_callers_context(drive: Drive) -> None:
    """A callable that has no awaitable form sees the caller's context variables in both colours."""

    def seen() -> Flow[str]:
        return (yield from work(WHO.get))

    WHO.set("alice")
    assert await drive(seen()) == "alice"


async def test_an_awaited_step_does_not_block_the_loop() -> None:
    """While one flow waits, another one runs: the second lets the first go on."""
    gate = asyncio.Event()

    async def open_gate() -> None:
        gate.set()

    first = asyncio.create_task(arun(step(fail, gate.wait)))
    await arun(step(fail, open_gate))
    assert await first is True


async def test_cancellation_is_thrown_into_the_flow() -> None:
    """A cancelled flow cleans up, with a step of its own, before its task is cancelled."""
    notes: list[str] = []
    started = asyncio.Event()

    async def never(_: object) -> None:
        started.set()
        await asyncio.Event().wait()

    def waiting() -> Flow[None]:
        try:
            yield from step(fail, never, None)
        except asyncio.CancelledError:
            notes.append(str((yield from step(double, adouble, 1))))
            raise

    task = asyncio.create_task(arun(waiting()))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert notes == ["2"]


def test_a_flow_can_be_driven_by_hand() -> None:
    """A flow only says what it waits for: a test answers with `send`, without a database or a model."""
    flow = doubled([1, 2])
    first = next(flow)
    assert first == Step(double, adouble, (1,))
    assert flow.send("any").args == (2,)
    with pytest.raises(StopIteration) as end:
        flow.send("answer")
    assert end.value.value == ["any", "answer"]


def test_a_flow_that_is_given_up_cleans_up() -> None:
    """Closing a flow by hand runs its `finally`."""
    notes: list[str] = []

    def guarded() -> Flow[None]:
        try:
            yield from step(double, adouble, 1)
        finally:
            notes.append("closed")

    flow = guarded()
    next(flow)
    flow.close()
    assert notes == ["closed"]

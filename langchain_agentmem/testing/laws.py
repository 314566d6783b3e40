"""What the suites share: the two colours, and a clock that stands."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable, Coroutine, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal, TypeAlias, TypeVar

import pytest

from langchain_agentmem._flow import Flow, arun, run

Colour: TypeAlias = Literal["sync", "async"]
T = TypeVar("T")

COLOURS: Final[tuple[Colour, ...]] = ("sync", "async")


class Call:
    """Calls methods in one colour: `await call(store, "put", …)` is `store.put(…)`, or `await store.aput(…)`."""

    def __init__(self, colour: Colour) -> None:
        """Nothing is called yet."""
        self.colour = colour

    async def __call__(self, thing: object, name: str, /, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (what it returns)
        """Return what the method returns."""
        if self.colour == "sync":
            return getattr(thing, name)(*args, **kwargs)
        return await getattr(thing, f"a{name}")(*args, **kwargs)


async def drive(call: Call, flow: Flow[T]) -> T:
    """Run a flow of a port in a colour."""
    return run(flow) if call.colour == "sync" else await arun(flow)


class StillClock:
    """A clock that stands until it is put forward."""

    def __init__(self) -> None:
        """It is some noon."""
        self.now = datetime(2026, 5, 4, 12, 0, 0, 123_456, tzinfo=UTC)

    def __call__(self) -> datetime:
        """Return the time."""
        return self.now

    def forward(self, *, minutes: float = 0, micros: int = 0) -> None:
        """Let time go by."""
        self.now += timedelta(minutes=minutes, microseconds=micros)


class Laws:
    """What every suite of laws has: each law is run through the blocking methods and through the awaited ones.

    Attributes:
        colours: The colours to run.
    """

    colours: tuple[Colour, ...] = COLOURS

    def pytest_generate_tests(self, metafunc: Any) -> None:  # noqa: ANN401  (pytest's own class; it names it privately)
        """Run each law in both colours."""
        parametrize(metafunc, "colour", metafunc.cls.colours)

    @pytest.fixture
    def clock(self) -> StillClock:
        """Give the clock that the tested thing is to read."""
        return StillClock()


def law(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Make a test that awaits and takes a `call` one that pytest runs without a plugin, once per `colour`."""
    signature = inspect.signature(test)
    asked = [it.replace(name="colour") if it.name == "call" else it for it in signature.parameters.values()]

    def judge(*args: Any, colour: Colour, **given: Any) -> None:
        asyncio.run(test(*args, call=Call(colour), **given))

    functools.update_wrapper(judge, test)
    del judge.__wrapped__  # type: ignore[attr-defined]  # else pytest, and who looks for colours, would see through it
    judge.__signature__ = signature.replace(parameters=asked)  # type: ignore[attr-defined]  # a function takes one
    return judge


def keys(items: Iterable[Any]) -> list[str]:
    """Return the keys of a store's items, in their order."""
    return [item.key for item in items]


def fail(msg: str) -> None:
    """Fail.

    Raises:
        AssertionError: Always.
    """
    raise AssertionError(msg)


def parametrize(metafunc: Any, name: str, values: object) -> None:  # noqa: ANN401  (pytest's own class; it is not imported)
    """Run a test once per value, where it has a parameter of that name."""
    if name in metafunc.fixturenames:
        metafunc.parametrize(name, values)

"""Sizes have a past: how fast each layer grows, held against how fast it grew."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem._flow import Flow, work
from langchain_agentmem.errors import ConfigurationError, ScopeError
from langchain_agentmem.metrics import LayerGrowth, Metrics
from langchain_agentmem.metrics.looks import MAX_LOOKS, MAX_OWNERS, Looks
from langchain_agentmem.policies.drift import Grown, growth
from langchain_agentmem.types import Scope
from langchain_agentmem.types.watching import LayerSize, Usage
from tests.conftest import Call

ALICE = Scope("alice")
START = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
GROWN = st.builds(Grown, by=st.integers(-(10**6), 10**6), seconds=st.floats(60, 10**6))


class Place:
    """A database that a test fills, and a clock that a test moves."""

    def __init__(self) -> None:
        self.now = START
        self.layers = {"memories": LayerSize()}

    def of(self, scope: Scope | None, at: datetime) -> Flow[Usage]:
        return (yield from work(self._usage, at))

    def _usage(self, at: datetime) -> Usage:
        return Usage(at=at, layers=dict(self.layers))


@pytest.fixture
def place() -> Place:
    return Place()


@pytest.fixture
def metrics(place: Place) -> Metrics:
    return Metrics([place], lambda: place.now)


async def looked(metrics: Metrics, place: Place, call: Call, *sizes: tuple[int, int]) -> LayerGrowth:
    """Look once an hour at what is stored then; return the growth of the last hour."""
    for rows, size in sizes:
        place.layers["memories"] = LayerSize(rows, size)
        found = await call(metrics, "growth")
        place.now += HOUR
    layer: LayerGrowth = found["memories"]
    return layer


async def test_steady_growth_has_not_moved(metrics: Metrics, place: Place, call: Call) -> None:
    """As much in the last hour as in the one before, in rows and in bytes."""
    found = await looked(metrics, place, call, (100, 10_000), (200, 20_000), (303, 30_500))
    assert not found.has_moved
    assert [it and it.per_hour for it in (found.rows.before, found.rows.now)] == [100, 103]


@pytest.mark.parametrize("last", [(1_000, 100_000), (90, 9_000)], ids=["faster", "shrinks"])
async def test_growth_that_changed_has_moved(metrics: Metrics, place: Place, call: Call, last: tuple[int, int]) -> None:
    """A layer that suddenly fills, or loses what it had, says so; faster is above 0, slower below."""
    found = await looked(metrics, place, call, (100, 10_000), (200, 20_000), last)
    assert (found.rows.has_moved, found.bytes.has_moved) == (True, True)
    assert ((found.rows.z or 0) > 0) is (last[0] > 200)


async def test_rows_that_are_larger_move_the_bytes_alone(metrics: Metrics, place: Place, call: Call) -> None:
    """As many rows as before, a hundred times as large."""
    found = await looked(metrics, place, call, (100, 10_000), (200, 20_000), (300, 1_020_000))
    assert (found.rows.has_moved, found.bytes.has_moved) == (False, True)


async def test_without_a_past_nothing_is_said(metrics: Metrics, place: Place, call: Call) -> None:
    """One look tells no growth, and two tell no change of it."""
    first = await looked(metrics, place, call, (100, 10_000))
    assert (first.rows.now, first.has_moved) == (None, False)
    second = await looked(metrics, place, call, (5_000, 500_000))
    assert (second.rows.before, second.rows.now, second.has_moved) == (None, Grown(by=4_900, seconds=3_600), False)


async def test_every_look_is_remembered_for_whom_it_was(metrics: Metrics, place: Place, call: Call) -> None:
    """`usage` of a user and `totals` are looks as well; one user's say nothing of another's, nor of all."""
    for rows in (100, 200):
        place.layers["memories"] = LayerSize(rows, rows)
        await call(metrics, "usage", ALICE)
        await call(metrics, "totals")
        place.now += HOUR
    place.layers["memories"] = LayerSize(900, 900)
    for scope, has_moved in (
        (ALICE, True),
        (None, True),
        (Scope("bob"), False),
        (Scope("alice", tenant_id="b"), False),
    ):
        assert (await call(metrics, "growth", scope))["memories"].has_moved is has_moved


@pytest.mark.parametrize(
    ("scope", "window", "error"),
    [
        (Scope("alice", agent_id="coder"), HOUR, ScopeError),
        (Scope.anonymous("s"), HOUR, ScopeError),
        ("alice", HOUR, ScopeError),
        (ALICE, timedelta(seconds=59), ConfigurationError),
        (ALICE, timedelta(hours=25), ConfigurationError),
    ],
)
async def test_what_is_asked_for_is_checked(
    metrics: Metrics,
    call: Call,
    scope: Any,  # noqa: ANN401
    window: timedelta,
    error: type[Exception],
) -> None:
    """A whole user or nobody, and a window that there is; before anything is looked at."""
    with pytest.raises(error):
        await call(metrics, "growth", scope, window=window)


@given(st.lists(st.integers(1, 100_000), min_size=MAX_LOOKS, max_size=4 * MAX_LOOKS))
def test_looks_are_few_and_reach_far(gaps: list[int]) -> None:
    """However often somebody looks, so many are kept, the first and the last among them."""
    looks, at = Looks(), START
    for gap in [0, *gaps]:
        at += timedelta(seconds=gap)
        looks.add(None, Usage(at=at, layers={"memories": LayerSize()}))
    kept = looks._of[None]
    assert len(kept) == MAX_LOOKS
    assert (kept[0].at, kept[-1].at) == (START, at)


@pytest.mark.parametrize("window", [timedelta(minutes=5), HOUR, timedelta(hours=24)])
def test_a_look_each_minute_serves_every_window(window: timedelta) -> None:
    """The two windows that are compared are about as long as was asked for."""
    looks = Looks()
    for minute in range(3 * 24 * 60):
        looks.add(None, Usage(at=START + timedelta(minutes=minute), layers={"memories": LayerSize(minute, minute)}))
    found = looks.growth(None, window)["memories"].rows
    assert found.before is not None
    assert found.now is not None
    assert found.before.seconds == pytest.approx(window.total_seconds(), rel=0.4)
    assert found.now.seconds == pytest.approx(window.total_seconds(), rel=0.4)
    assert not found.has_moved


def test_owners_are_few() -> None:
    """Of more users than that, those who were looked at last are remembered."""
    looks = Looks()
    for number in range(MAX_OWNERS + 5):
        looks.add(Scope(f"user-{number}"), Usage(at=START, layers={"memories": LayerSize()}))
    assert len(looks._of) == MAX_OWNERS
    assert looks.growth(Scope("user-0"), HOUR) == {}
    assert looks.growth(Scope(f"user-{MAX_OWNERS}"), HOUR)


@given(GROWN, GROWN, st.floats(0.1, 1e4))
def test_turned_round_a_growth_moves_the_other_way(before: Grown, now: Grown, unit: float) -> None:
    """The test is of a difference: its sign turns with time, and its size stays."""
    there, back = growth(before, now, unit=unit).z, growth(now, before, unit=unit).z
    assert there is not None
    assert back is not None
    assert there == pytest.approx(-back)

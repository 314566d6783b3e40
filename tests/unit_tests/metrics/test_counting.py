"""Counts by the minute, and what is read from them."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from threading import Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem._flow import run
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.ledger.sql.usage import SQLUsage
from langchain_agentmem.metrics import Metrics
from langchain_agentmem.metrics.counting import BROUGHT, SHOWN, added, quantile, step_of, step_of_tokens
from langchain_agentmem.metrics.metrics import MAX_NAMES
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.types import Scope
from langchain_agentmem.types.watching import InjectionSeen, RecallSeen, Ruled, UseSeen, WriteSeen

ALICE = Scope("alice")
START = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATENCIES = st.lists(st.floats(2e-6, 100), min_size=1, max_size=50)


class Hours:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def hours() -> Hours:
    return Hours()


@pytest.fixture
def metrics(hours: Hours) -> Metrics:
    return Metrics([SQLUsage(Database("sqlite://"))], hours)


def recalled(status: Any = "ok", seconds: float = 0.01, **told: Any) -> RecallSeen:  # noqa: ANN401
    return RecallSeen(ALICE, status, seconds, **told)


@given(LATENCIES, st.sampled_from([0.5, 0.95]))
def test_a_quantile_is_right_within_five_percent(latencies: list[float], share: float) -> None:
    """The histogram gives the latency that this share of the recalls did not exceed."""
    counts: dict[str | int, int] = dict(Counter(map(step_of, latencies)))
    exact = sorted(latencies)[max(0, -int(-share * len(latencies) // 1) - 1)]
    found = quantile(counts, share)
    assert found is not None
    assert found == pytest.approx(exact, rel=0.05)


@given(st.lists(st.dictionaries(st.sampled_from(["a", "b", 1, 2]), st.integers(0, 9))))
def test_nothing_is_lost_in_a_sum(many: list[dict[str | int, int]]) -> None:
    """The counts of all minutes together are what was counted."""
    assert sum(added(many).values()) == sum(sum(counts.values()) for counts in many)


def test_recalls_are_counted_by_status(metrics: Metrics) -> None:
    """Hit, empty and failure are ratios of what they are about; what was declined searched nothing."""
    for status in ("ok", "ok", "empty", "skipped"):
        metrics.on_recall(recalled(status))
    metrics.on_recall(recalled("failed", error="StorageError"))
    found = metrics.snapshot()
    assert found.recalls == {"empty": 1, "failed": 1, "ok": 2, "skipped": 1}
    assert (found.hit.ratio, found.empty.ratio, found.failed.ratio) == (2 / 5, 1 / 3, 1 / 5)
    assert found.errors == {"StorageError": 1}


def test_a_degraded_recall_has_searched(metrics: Metrics) -> None:
    """One that returned something without its index is a hit, one that did not found nothing; both took their time."""
    metrics.on_recall(recalled("degraded", 1.0)._replace(memory_ids=("a",)))
    metrics.on_recall(recalled("degraded", 1.0))
    found = metrics.snapshot()
    assert (found.hit.ratio, found.empty.ratio) == (1 / 2, 1 / 2)
    assert found.p50_s == pytest.approx(1.0, rel=0.05)


def test_a_recall_that_searched_nothing_makes_no_latency(metrics: Metrics) -> None:
    """What was declined is quick; it would make the others look quick too."""
    metrics.on_recall(recalled("ok", 1.0, tokens=30))
    metrics.on_recall(recalled("off", 0.001))
    found = metrics.snapshot()
    assert found.p50_s == pytest.approx(1.0, rel=0.05)
    assert found.p95_tokens == pytest.approx(30, rel=0.05)
    assert found.tokens_injected == 0


def test_what_model_calls_were_shown_is_injected(metrics: Metrics) -> None:
    """And not what a recall brought."""
    metrics.on_injection(InjectionSeen(ALICE, "r", 2, 30))
    metrics.on_injection(InjectionSeen(ALICE, "r", 1, 12))
    assert metrics.snapshot().tokens_injected == 42


def test_writes_are_counted_by_verdict_and_rule(metrics: Metrics) -> None:
    """Of what was offered, so much was refused; what changed without a decision was not offered."""
    metrics.on_write(WriteSeen(ALICE, "remember", 0.1, (Ruled("written", "accepted"),)))
    metrics.on_write(WriteSeen(ALICE, "remember", 0.1, (Ruled("refused", "secret"),)))
    kept = (Ruled("written", "keep_episodes", 7), Ruled("refused", "injected_text", 1))
    metrics.on_write(WriteSeen(ALICE, "keep_episodes", 0.1, kept))
    metrics.on_write(WriteSeen(ALICE, "forget", 0.1, (Ruled("changed", "forget"),)))
    found = metrics.snapshot()
    assert (found.refused.count, found.refused.of, found.episodes_kept) == (2, 10, 7)
    assert found.rules["secret"] == 1
    assert found.verdicts == {"changed": 1, "refused": 2, "written": 8}


def test_success_is_what_answers_used_and_users_confirmed(metrics: Metrics) -> None:
    """What could not be judged is no failure."""
    metrics.on_use(UseSeen(ALICE, "r", used=3, unused=1, unknown=5))
    for signal in ("confirmed", "contradicted", "task_succeeded"):
        metrics.on_write(WriteSeen(ALICE, "feedback", 0.1, (Ruled("changed", signal),)))
    found = metrics.snapshot()
    assert (found.used.ratio, found.confirmed.ratio) == (3 / 4, 1 / 2)


def test_a_ratio_that_moved_says_so(metrics: Metrics, hours: Hours) -> None:
    """The last hour is held against the hour before it."""
    for status, minutes in (("ok", 0), ("empty", 60)):
        hours.now = START + timedelta(minutes=minutes)
        for _ in range(50):
            metrics.on_recall(recalled(status))
    moved = metrics.drift(timedelta(hours=1))
    assert (moved["empty"].has_moved, moved["hit"].has_moved, moved["failed"].has_moved) == (True, True, False)
    assert moved["empty"].now.ratio == 1.0


def test_slower_recalls_are_a_drift(metrics: Metrics, hours: Hours) -> None:
    """More than one in twenty beyond what nineteen in twenty took before."""
    for seconds, minutes in ((0.01, 0), (0.1, 1)):
        hours.now = START + timedelta(minutes=minutes)
        for _ in range(50):
            metrics.on_recall(recalled("ok", seconds))
    assert metrics.drift(timedelta(minutes=1))["slow"].has_moved


def test_larger_prompts_are_a_drift(metrics: Metrics, hours: Hours) -> None:
    """More than one in twenty recalls beyond the tokens that nineteen in twenty brought before."""
    for tokens, minutes in ((100, 0), (400, 1)):
        hours.now = START + timedelta(minutes=minutes)
        for _ in range(50):
            metrics.on_recall(recalled("ok", 0.01, tokens=tokens))
    moved = metrics.drift(timedelta(minutes=1))
    assert (moved["large"].has_moved, moved["slow"].has_moved) == (True, False)
    assert metrics.snapshot().p95_tokens == pytest.approx(400, rel=0.05)


@given(st.integers(0, 10**7), st.floats(0, 100))
def test_a_prompt_is_not_counted_as_a_latency(tokens: int, seconds: float) -> None:
    """The histograms share no key."""
    assert step_of(seconds) < BROUGHT <= step_of_tokens(tokens, BROUGHT) < SHOWN <= step_of_tokens(tokens, SHOWN)


def test_old_minutes_stay_in_the_sum(metrics: Metrics, hours: Hours) -> None:
    """What no window reaches any more is still counted, and takes the space of one minute."""
    for day in range(5):
        hours.now = START + timedelta(days=day)
        metrics.on_recall(recalled())
    assert metrics.snapshot().recalls == {"ok": 5}
    assert len(metrics._minutes) == 2


def test_more_tokens_shown_are_a_drift(metrics: Metrics, hours: Hours) -> None:
    """Of what model calls were shown, whatever recalls brought."""
    for tokens, minutes in ((100, 0), (400, 1)):
        hours.now = START + timedelta(minutes=minutes)
        for _ in range(50):
            metrics.on_recall(recalled("ok", 0.01, tokens=1_000))
            metrics.on_injection(InjectionSeen(ALICE, "r", memories=3, tokens=tokens))
    moved = metrics.drift(timedelta(minutes=1))
    assert (moved["injected"].has_moved, moved["large"].has_moved) == (True, False)


@pytest.mark.parametrize("window", [timedelta(seconds=59), timedelta(hours=25), -timedelta(hours=1), 3600])
def test_a_window_has_bounds(metrics: Metrics, window: Any) -> None:  # noqa: ANN401
    """Less than a minute is not counted apart, more than a day is not held."""
    with pytest.raises(ConfigurationError, match="window"):
        metrics.drift(window)


def test_names_do_not_grow_without_end(metrics: Metrics) -> None:
    """A rule that names itself anew each time fills no memory."""
    for number in range(2 * MAX_NAMES):
        metrics.on_write(WriteSeen(ALICE, "remember", 0.1, (Ruled("refused", f"rule {number}"),)))
    rules = metrics.snapshot().rules
    assert len(rules) <= MAX_NAMES
    assert sum(rules.values()) == 2 * MAX_NAMES


def test_no_count_is_lost_between_threads(metrics: Metrics) -> None:
    """Threads count at once, and every recall is counted."""

    def count() -> None:
        for _ in range(500):
            metrics.on_recall(recalled())

    threads = [Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert metrics.snapshot().recalls == {"ok": 4_000}


def test_a_snapshot_is_plain_numbers(metrics: Metrics) -> None:
    """It can be logged as it is, and names no user."""
    metrics.on_recall(recalled(memory_ids=("m",), receipt_id="r"))
    told = json.dumps(metrics.snapshot().as_dict())
    assert json.loads(told)["hit"] == {"of": 1, "count": 1, "ratio": 1.0}
    assert "alice" not in told


def test_measuring_needs_the_database_open_no_sooner_than_asked() -> None:
    """Counting opens nothing."""
    database = Database("sqlite://")
    Metrics([SQLUsage(database)], Hours()).on_recall(recalled())
    assert run(SQLUsage(database).of(None, START)).rows == 0

"""The forgetting curve and its thresholds: laws of pure functions."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langchain_agentmem import ConfigurationError, Fate, ForgettingPolicy, Memory, Scope
from langchain_agentmem.policies.approve import DECIDABLE
from langchain_agentmem.policies.forget import Trace, due, judge, retention, stability_days
from langchain_agentmem.policies.forget_fates import REASONS, SAVED_BY, Move
from langchain_agentmem.policies.rank import FADED_SHARE, Usage, Weights, score
from langchain_agentmem.types import KINDS, Kind

BORN: Final = datetime(2026, 1, 1, tzinfo=UTC)
DAY: Final = timedelta(days=1)
POLICY: Final = ForgettingPolicy()
FACT: Final = Memory(
    id="m",
    scope=Scope("alice"),
    kind="fact",
    content="Alice owns a violin",
    confidence=0.9,
    importance=0.5,
    source="explicit",
    created_at=BORN,
)
DAYS: Final = st.floats(0, 5_000)
UNIT: Final = st.floats(0, 1)
MEMORIES: Final = st.builds(
    replace,
    st.just(FACT),
    kind=st.sampled_from(KINDS),
    importance=UNIT,
    confidence=UNIT,
    pinned=st.booleans(),
    status=st.sampled_from(["active", "pending", "superseded", "archived"]),
    expires_at=st.none() | DAYS.map(lambda it: BORN + it * DAY),
    expired_at=DAYS.map(lambda it: BORN + it * DAY),
    faded_at=st.none() | DAYS.map(lambda it: BORN + it * DAY),
)
TRACES: Final = st.builds(Trace, uses=st.integers(0, 50), last_used_at=st.none() | DAYS.map(lambda it: BORN + it * DAY))


@given(MEMORIES, TRACES, DAYS, DAYS)
def test_retention_falls_with_time(memory: Memory, trace: Trace, one: float, other: float) -> None:
    """Whatever the kind, it begins at 1 and never rises without use."""
    early, late = sorted((one, other))
    first, before, after = (retention(memory, trace, it, POLICY) for it in (0.0, early, late))
    assert 1.0 == first >= before >= after >= 0.0


@given(MEMORIES, TRACES, DAYS, st.integers(0, 20), UNIT)
def test_stability_grows_with_use_and_importance(
    memory: Memory, trace: Trace, days: float, more: int, importance: float
) -> None:
    """Neither another use nor a greater importance ever makes a memory less stable."""
    used = replace(trace, uses=trace.uses + more)
    weightier = replace(memory, importance=max(memory.importance, importance))
    before, after, heavier = (
        stability_days(*it, days, POLICY) for it in ((memory, trace), (memory, used), (weightier, trace))
    )
    if before is None:
        assert (after, heavier) == (None, None)
    else:
        assert after is not None
        assert heavier is not None
        assert before <= min(after, heavier)
        assert max(after, heavier) <= POLICY.max_stability_days


def test_only_spaced_uses_count() -> None:
    """A hundred on one day make a memory no more stable than none; ten on ten days do."""
    crammed = Trace(uses=100, last_used_at=BORN + timedelta(hours=20))
    spaced = Trace(uses=10, last_used_at=BORN + 10 * DAY)
    assert stability_days(FACT, crammed, 0, POLICY) == stability_days(FACT, Trace(), 0, POLICY) == 270
    assert stability_days(FACT, spaced, 0, POLICY) == 3_650


@given(MEMORIES, TRACES, DAYS)
@settings(max_examples=40)
def test_every_fate_is_explained_and_comes_when_it_was_told(memory: Memory, trace: Trace, days: float) -> None:
    """The rule has words; just before the next move nothing is due, and at its time it is."""
    now = BORN + days * DAY
    fate = judge(memory, trace, POLICY, now)
    assert (fate.reason, fate.move) == (REASONS[fate.rule], due(memory, trace, POLICY, now))
    if fate.move is None and fate.next_at is not None:
        assert due(memory, trace, POLICY, fate.next_at) == fate.next_move
        assert due(memory, trace, POLICY, max(now, fate.next_at - timedelta(minutes=3))) is None
        assert fate.saved_by == SAVED_BY[str(fate.next_rule)]


@given(MEMORIES, TRACES, DAYS)
def test_what_is_held_or_pinned_is_not_moved(memory: Memory, trace: Trace, days: float) -> None:
    """A hold binds all; a pin yields to nothing but a time that was set for the memory itself."""
    now = BORN + days * DAY
    assert due(memory, trace, POLICY, now, keeps="held") is None
    pinned = replace(memory, pinned=True)
    assert due(pinned, trace, POLICY, now) in {None, "archive"}
    assert due(replace(pinned, expires_at=None), trace, POLICY, now) is None


@given(MEMORIES, TRACES, DAYS, st.sampled_from(sorted(DECIDABLE)))
def test_what_waits_for_a_person_is_due_for_nothing(memory: Memory, trace: Trace, days: float, rule: str) -> None:
    """However old it is, unused or expired: whoever is to decide about it finds it."""
    waiting = replace(memory, status="pending", held_by=rule)
    fate = judge(waiting, trace, POLICY, BORN + days * DAY)
    assert (fate.move, fate.rule, fate.next_move) == (None, "waits", None)


@given(MEMORIES, TRACES, DAYS)
def test_a_move_leaves_nothing_due(memory: Memory, trace: Trace, days: float) -> None:
    """So a second cycle at the same time changes nothing."""
    now = BORN + days * DAY
    move = due(memory, trace, POLICY, now)
    after = {
        "fade": replace(memory, faded_at=now),
        "refresh": replace(memory, faded_at=None),
        "archive": replace(memory, status="archived", expired_at=now),
    }
    if move in after:
        assert due(after[str(move)], trace, POLICY, now) is None


@pytest.mark.parametrize(
    ("days", "uses", "rule"),
    [(100, 0, "fresh"), (250, 0, "faded"), (366, 2, "old_and_rare"), (366, 3, "faded"), (1_000, 3, "decayed")],
)
def test_the_defaults_are_these(days: int, uses: int, rule: str) -> None:
    """Of a fact that was used on its first day only."""
    trace = Trace(uses=uses, last_used_at=BORN)
    assert judge(FACT, trace, POLICY, BORN + days * DAY).rule == rule


def test_confidence_decays_where_it_is_not_used() -> None:
    """Not for ninety days; below 0.3 it is archived, by that rule."""
    unsure = replace(FACT, confidence=0.32)
    kept, gone = (judge(unsure, Trace(), POLICY, BORN + days * DAY) for days in (90, 200))
    assert (kept.rule, kept.confidence) == ("fresh", 0.32)
    assert (gone.rule, gone.move, gone.saved_by) == ("low_confidence", "archive", ("confirm", "pin"))


def test_what_is_fresh_ranks_as_if_nothing_ever_faded() -> None:
    """Faded, it has half of its score, until it is used."""
    later, weights = BORN + 9 * DAY, Weights()
    faded = replace(FACT, faded_at=BORN + 8 * DAY)
    values = [
        score(memory, 0.8, Usage(uses=1, last_used_at=used), now=later, task=None, weights=weights)
        for memory, used in ((FACT, BORN), (faded, BORN), (faded, later))
    ]
    assert values[1][0] == values[0][0] * FADED_SHARE
    assert values[2] == values[0]
    assert [it[1].get("faded") for it in values] == [None, 1.0, None]


def test_a_clock_that_goes_back_forgets_nothing() -> None:
    """What is of the future is fresh."""
    fate = judge(FACT, Trace(), POLICY, BORN - 900 * DAY)
    assert (fate.move, fate.retention) == (None, 1.0)


def test_a_year_of_a_life() -> None:
    """Looked at each week: what is used each month stays fresh; what is not goes its way, once through each stage."""
    used, unused = Trace(), Trace()
    memories: dict[str, Memory] = {"used": FACT, "unused": FACT}
    told: dict[str, list[Move]] = {"used": [], "unused": []}
    for week in range(80):
        now = BORN + 7 * week * DAY
        if week % 4 == 0:
            used = Trace(uses=used.uses + 1, last_used_at=now)
        for name, trace in (("used", used), ("unused", unused)):
            fate = judge(memories[name], trace, POLICY, now)
            if fate.move is not None and "erase" not in told[name]:
                told[name].append(fate.move)
                memories[name] = _moved(memories[name], fate, now)
    assert told == {"used": [], "unused": ["fade", "archive", "erase"]}


def _moved(memory: Memory, fate: Fate, now: datetime) -> Memory:
    if fate.move == "fade":
        return replace(memory, faded_at=now)
    return replace(memory, status="archived", expired_at=now)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"fade_below": 0.1, "archive_below": 0.2}, "archive_below must not be above fade_below"),
        ({"fade_below": 1.5}, "fade_below"),
        ({"growth": 0.9}, "growth must be a number at least 1"),
        ({"growth": True}, "growth"),
        ({"max_idle_days": 0}, "max_idle_days must be a number above 0"),
        ({"archived_days": float("nan")}, "archived_days"),
        ({"rare_uses": -1}, "rare_uses"),
        ({"max_memories": 0}, "max_memories"),
        ({"stability_days": {"facts": 3}}, "unknown kind 'facts'"),
        ({"stability_days": {"fact": 0}}, "above 0"),
        ({"stability_days": [1]}, "dict of days by kind"),
    ],
)
def test_impossible_thresholds_are_refused(given: dict[str, Any], told: str) -> None:
    """Before anything is opened; the message names the value."""
    with pytest.raises(ConfigurationError, match=told):
        ForgettingPolicy(**given)


def test_every_kind_has_a_stability_that_can_be_changed() -> None:
    """One that is given leaves the others; `None` is for ever."""
    policy = ForgettingPolicy(stability_days={"constraint": 30, "fact": None})
    assert {kind: policy.initial_days(kind) is None for kind in get_args(Kind)} == {
        **dict.fromkeys(KINDS, False),
        "fact": True,
    }
    assert judge(FACT, Trace(), policy, BORN + 9_000 * DAY).rule == "lasting"

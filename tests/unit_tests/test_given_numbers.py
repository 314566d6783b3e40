"""The numbers that stand in the constructors: each is written here once more, so that none changes by accident.

What follows from a number is held where it is used; here only that it is this one, at its edges where it has any.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from langchain_agentmem import ForgettingPolicy, Memory, Scope
from langchain_agentmem.consolidation import QUIET
from langchain_agentmem.context.summary_buffer import SummaryLimits
from langchain_agentmem.context.triggers import Load, after_fraction, after_messages
from langchain_agentmem.long_term.parts import OVER_FETCH
from langchain_agentmem.long_term.recall.listing import ListQuery
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.policies.approve import ApprovalPolicy
from langchain_agentmem.policies.forget import Trace, due, stability_days
from langchain_agentmem.policies.rank import Usage, Weights, recency, score, task_fit
from langchain_agentmem.retrievers import MemoryRetriever
from langchain_agentmem.sessions.redis.sessions import REDIS_TTL
from langchain_agentmem.states.options import WorkingOptions
from langchain_agentmem.types import Kind
from langchain_agentmem.types.recall import RecallQuery

BORN: Final = datetime(2026, 1, 1, tzinfo=UTC)
DAY: Final = timedelta(days=1)
FACT: Final = Memory(
    id="m",
    scope=Scope("alice"),
    kind="fact",
    content="deploy on Thursdays",
    confidence=1.0,
    importance=0.5,
    source="explicit",
    created_at=BORN,
)
LONG_AGO: Final = 1_000
"""Days after which recency is at its floor."""


def prior(*, kind: Kind = "fact", confidence: float = 0.0, days: float = LONG_AGO, **given: Any) -> float:
    """Return the prior of a memory: the whole score, where relevance is full and all of it can be taken away."""
    memory, usage = replace(FACT, kind=kind, confidence=confidence), Usage(uses=given.get("uses", 0))
    now, weights = BORN + days * DAY, Weights(prior_share=1.0)
    return score(memory, 1.0, usage, now=now, task=given.get("task"), weights=weights)[0]


# ----------------------------------------------------------------------------------------------------------- the rank
@pytest.mark.parametrize(
    ("given", "share"),
    [
        ({"task": "cook"}, 0.03),
        ({"task": "cook", "confidence": 1.0}, 0.4 + 0.03),
        ({"task": "cook", "days": 0}, 0.3),
        ({"task": "cook", "uses": 50}, 0.03 + 0.2),
        ({"task": "cook", "uses": 25}, 0.03 + 0.1),
        ({"task": "cook", "uses": 500}, 0.03 + 0.2),
        ({"task": "deploy"}, 0.03 + 0.1),
        ({"confidence": 1.0, "days": 0, "uses": 50}, 1.0),
        ({"confidence": 1.0}, (0.4 + 0.03) / 0.9),
    ],
)
def test_the_prior_is_four_parts_of_confidence_three_of_recency_two_of_use_and_one_of_the_task(
    given: dict[str, Any], share: float
) -> None:
    """Fifty uses are full; without a task, its part is no one's."""
    assert prior(**given) == pytest.approx(share)


@pytest.mark.parametrize(("days", "left"), [(-1, 1.0), (0, 1.0), (9, 0.9), (45, 0.5), (81, 0.1), (90, 0.1), (900, 0.1)])
def test_recency_falls_by_a_ninetieth_each_day_to_a_tenth(days: float, left: float) -> None:
    """In a straight line, from when it holds."""
    assert recency(FACT, BORN + days * DAY) == pytest.approx(left)


def test_the_fit_to_a_task_is_the_share_of_its_terms() -> None:
    """Half of them is a half; no task fits nothing."""
    assert [task_fit(FACT.content, it) for it in ("deploy", "deploy bananas", "bananas", None)] == [1.0, 0.5, 0.0, 0.0]


def test_recency_matters_more_for_preferences_and_less_for_outcomes_and_constraints() -> None:
    """What a day takes from each, beside a fact."""
    kinds: tuple[Kind, ...] = ("preference", "fact", "outcome", "constraint")
    lost = {it: prior(kind=it, confidence=1.0, days=0) - prior(kind=it, confidence=1.0, days=45) for it in kinds}
    assert lost["preference"] > lost["fact"] > max(lost["outcome"], lost["constraint"]) > 0.0


# -------------------------------------------------------------------------------------------------------- forgetting
@pytest.mark.parametrize(
    ("fields", "days", "is_due"),
    [
        ({"confidence": 0.3}, 0, None),
        ({"confidence": 0.299}, 0, "archive"),
        ({"status": "superseded", "expired_at": BORN}, 90 - 0.01, None),
        ({"status": "superseded", "expired_at": BORN}, 90, "erase"),
        ({"status": "archived", "expired_at": BORN}, 90 - 0.01, None),
        ({"status": "archived", "expired_at": BORN}, 90, "erase"),
    ],
)
def test_a_memory_is_forgotten_at_its_threshold(fields: dict[str, Any], days: float, is_due: str | None) -> None:
    """Below a confidence of 0.3 to the archive; 90 days there, or replaced for as long, and it is erased."""
    assert due(replace(FACT, **fields), Trace(), ForgettingPolicy(), BORN + days * DAY) == is_due


@pytest.mark.parametrize(("days", "is_due"), [(365, None), (365.01, "archive")])
def test_what_is_old_and_rare_is_forgotten_after_a_year(days: float, is_due: str | None) -> None:
    """Of a kind that would be retained for longer."""
    lasting = ForgettingPolicy(stability_days={"fact": 3_650}, fade_below=0.05)
    assert due(FACT, Trace(), lasting, BORN + days * DAY) == is_due


def test_importance_halves_with_each_year_without_use() -> None:
    """Of a fact that is half as important as can be: it is retained by half of that a year later."""
    days = [stability_days(FACT, Trace(), it, ForgettingPolicy()) for it in (0, 365, 730)]
    assert days == [pytest.approx(180 * (1 + it)) for it in (0.5, 0.25, 0.125)]


# ----------------------------------------------------------------------------------------------------- conversations
def test_a_view_is_compressed_beyond_twenty_messages() -> None:
    """Not with the twentieth."""
    loads = [Load(messages=it, steps=0, count=lambda: 0) for it in (20, 21)]
    assert [after_messages()(it) for it in loads] == [False, True]
    assert SummaryLimits().max_messages == 20


def test_a_context_window_has_a_hundred_thousand_tokens() -> None:
    """Where a model does not say another."""
    loads = [Load(messages=1, steps=0, count=lambda it=it: it) for it in (100_000, 100_001)]  # type: ignore[misc]  # (int)
    assert [after_fraction(1.0)(it) for it in loads] == [False, True]
    assert SummaryLimits().max_tokens == 100_000


# -------------------------------------------------------------------------------------------------------- what stands
@pytest.mark.parametrize(
    ("found", "number"),
    [
        pytest.param(REDIS_TTL, timedelta(days=7), id="a history on Redis"),
        pytest.param(WorkingOptions().ttl, timedelta(hours=24), id="a working state"),
        pytest.param(ApprovalPolicy().expires_after, timedelta(days=7), id="what waits for a person"),
        pytest.param(MemoryOptions().receipts_days, 90, id="receipts, in days"),
        pytest.param(QUIET, timedelta(seconds=30), id="quiet before a consolidation"),
        pytest.param(ListQuery().limit, 100, id="memories listed"),
        pytest.param(RecallQuery().limit, 5, id="memories recalled"),
        pytest.param(RecallQuery().min_confidence, 0.7, id="confidence of a recall"),
        pytest.param(MemoryRetriever.model_fields["min_confidence"].default, 0.7, id="confidence of a retriever"),
        pytest.param(OVER_FETCH, 3, id="times as many candidates"),
    ],
)
def test_a_default_is_what_was_promised(found: object, number: object) -> None:
    """Nobody has to choose it, and nobody finds another one tomorrow."""
    assert found == number

"""The order of a recall: relevance dominates, what is known about a memory moves it a little.

    score = relevance * (1 - prior_share + prior_share * prior)

The prior is a weighted mean, in [0, 1], of confidence, recency, frequency and fit to the task at hand. Measured on two
public conversation benchmarks, recency as a ranking signal of its own costs 3 to 8 points of recall: hence a share, not
a sum. Recency counts more for preferences, which drift, and less for outcomes and constraints, which do not age.

What has faded (`policies.forget`) has half of its score until it is used again; nothing fades by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from langchain_agentmem._checks import check_share, check_unit
from langchain_agentmem._terms import tokenize
from langchain_agentmem.policies.forget import is_faded
from langchain_agentmem.types import Kind, Memory

RECENCY_DAYS: Final = 90.0
"""Age at which recency has fallen to its floor."""

RECENCY_FLOOR: Final = 0.1
FREQUENT_USES: Final = 50
"""Uses at which frequency is full."""

FADED_SHARE: Final = 0.5
"""Of the score of what has faded: it answers where nothing better does."""

_SECONDS_PER_DAY: Final = 86_400.0
_RECENCY_OF_KIND: Final[Mapping[Kind, float]] = {"preference": 1.5, "outcome": 0.5, "constraint": 0.25}


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What the order is made of; the four parts of the prior stand in these proportions.

    Args:
        prior_share: Share of the score that the prior can take away from relevance, in [0, 1].
        min_relevance: Candidates below it are no answer. Relevance is absolute; with all-MiniLM-L6-v2 this is a cosine
            of 0.21, and of 0.13 where the user asks about themselves: "which language should I use?" finds "Alice
            prefers Python for backend services" (0.36), "tell me a joke" nothing.
        min_likelihood: Conversations that are less likely than this to answer a question at all give no answer.
        min_share: Turns without any word of the question give no answer where their score is less than this share of
            the best one's: by default those that lie one and a half times as far below it as an average turn does.
        diversity: Share of its score that a hit loses where it is the same as a better one, less where it resembles it
            less, in [0, 1]; what says the same in the same words takes no second place at all. 0: nothing of this.
            0.04 leaves recall as it is on two public conversation benchmarks, 0.08 and more cost 1 to 2 points.

    Raises:
        ConfigurationError: A part of the prior is below 0, or another value is not in [0, 1].
    """

    confidence: float = 0.4
    recency: float = 0.3
    frequency: float = 0.2
    task: float = 0.1
    prior_share: float = 0.2
    min_relevance: float = 0.03
    min_likelihood: float = 0.025
    min_share: float = 0.05
    diversity: float = 0.04

    def __post_init__(self) -> None:
        """Check what would turn the order around."""
        for name in ("confidence", "recency", "frequency", "task"):
            check_share(name, getattr(self, name))
        for name in ("prior_share", "min_relevance", "min_likelihood", "min_share", "diversity"):
            object.__setattr__(self, name, check_unit(name, getattr(self, name)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What is known of a memory's use."""

    uses: int = 0
    last_used_at: datetime | None = None


def score(
    memory: Memory, relevance: float, usage: Usage, *, now: datetime, task: str | None, weights: Weights
) -> tuple[float, dict[str, float]]:
    """Return a memory's score in [0, 1] and the parts of its prior, each in [0, 1]."""
    parts = {
        "confidence": memory.confidence,
        "recency": recency(memory, now),
        "frequency": min(1.0, usage.uses / FREQUENT_USES),
        "task": task_fit(memory.content, task),
    }
    shares = {
        "confidence": weights.confidence,
        "recency": weights.recency * _RECENCY_OF_KIND.get(memory.kind, 1.0),
        "frequency": weights.frequency,
        "task": weights.task if task else 0.0,
    }
    total = sum(shares.values())
    prior = sum(parts[name] * share for name, share in shares.items()) / total if total else 1.0
    value = relevance * (1 - weights.prior_share + weights.prior_share * prior)
    if is_faded(memory, usage.last_used_at):
        return value * FADED_SHARE, {**parts, "faded": 1.0}
    return value, parts


def recency(memory: Memory, now: datetime) -> float:
    """Return 1 for what is new, falling linearly to a floor at 90 days."""
    days = (now - (memory.valid_at or memory.created_at)).total_seconds() / _SECONDS_PER_DAY
    return min(1.0, max(RECENCY_FLOOR, 1 - days / RECENCY_DAYS))


def task_fit(content: str, task: str | None) -> float:
    """Return the share of the task's terms that the content has."""
    wanted = set(tokenize(task)) if task else set()
    return len(wanted & set(tokenize(content))) / len(wanted) if wanted else 0.0

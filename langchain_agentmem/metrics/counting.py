"""Counts by the minute, with latencies and sizes in histograms of fixed size.

Whatever happens is one key counted up in the minute it happens in. Text keys are events, numbers are steps of
histograms. Key `n` counts latencies from 1.1**n to 1.1**(n + 1) microseconds, so that a quantile is right within 5 %,
and three hundred keys reach from a microsecond to weeks. From 1,000 on they count what recalls brought likewise, by its
tokens, and from 2,000 on what model calls were shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from math import log, sqrt
from typing import Any, Final, TypeAlias

from langchain_agentmem.policies.drift import Share

Counts: TypeAlias = dict[str | int, int]

LATENCIES: Final = 0
BROUGHT: Final = 1_000
SHOWN: Final = 2_000
"""The first keys of the histograms."""

_KEYS: Final = 1_000
"""Of one histogram; none ever has so many."""

GROWTH: Final = 1.1
"""From one step of the histogram to the next."""

_MICROS: Final = 1e6
_LOG_GROWTH: Final = log(GROWTH)
_TAIL: Final = 0.95

RATIOS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "hit": (("hits",), ("recalls",)),
    "empty": (("misses",), ("hits", "misses")),
    "failed": (("recalls.failed",), ("recalls",)),
    "used": (("used",), ("used", "unused")),
    "confirmed": (("confirmed",), ("confirmed", "contradicted")),
    "refused": (("refused",), ("writes",)),
}
"""Each ratio by the keys that are added up above and below its line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What a process counted since it began: numbers by names of ours, of no user and with no content.

    Attributes:
        recalls: By status; `failed` where one raised.
        hit: Recalls that returned something, of all recalls. `empty`: those that found nothing, of those that searched.
            `failed`: those that raised, of all.
        p50_s: Seconds that a recall which searched took at the median, within 5 %; `p95_s`: 95 of 100 took less.
        tokens_injected: About how many tokens of memories model calls were shown, as receipts note it: by the graph,
            the middleware and `note_injected`; the constraints of turns that searched nothing are among them.
            `p95_tokens`: 95 of 100 recalls brought fewer, within 5 %.
        used: Memories that an answer used, of those judged. `confirmed`: judgements of the user that confirmed one, of
            all of them.
        refused: Records that were refused, of all that were offered.
        verdicts: Records by verdict. `rules`: by the rule that decided.
        episodes_kept: Turns of conversations that became searchable.
        errors: What was raised, by class.
    """

    since: datetime
    recalls: Mapping[str, int] = field(default_factory=dict)
    hit: Share = field(default_factory=Share)
    empty: Share = field(default_factory=Share)
    failed: Share = field(default_factory=Share)
    p50_s: float | None = None
    p95_s: float | None = None
    tokens_injected: int = 0
    p95_tokens: float | None = None
    used: Share = field(default_factory=Share)
    confirmed: Share = field(default_factory=Share)
    refused: Share = field(default_factory=Share)
    verdicts: Mapping[str, int] = field(default_factory=dict)
    rules: Mapping[str, int] = field(default_factory=dict)
    episodes_kept: int = 0
    errors: Mapping[str, int] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers as JSON-like values, for a log or a gauge; a share with its `ratio`."""
        plain = asdict(self)
        for name in RATIOS:
            share: Share = getattr(self, name)
            plain[name] = {**plain[name], "ratio": share.ratio}
        return {**plain, "since": self.since.isoformat()}


def snapshot(counts: Counts, since: datetime) -> Snapshot:
    """Return counts by their names."""
    return Snapshot(
        since=since,
        recalls=_family(counts, "recalls."),
        p50_s=quantile(counts, 0.5),
        p95_s=quantile(counts, 0.95),
        tokens_injected=counts.get("tokens", 0),
        p95_tokens=_quantile(_steps(counts, BROUGHT), 0.95),
        verdicts=_family(counts, "verdict."),
        rules=_family(counts, "rule."),
        episodes_kept=counts.get("episodes", 0),
        errors=_family(counts, "error."),
        **{name: share(counts, name) for name in RATIOS},
    )


def share(counts: Counts, name: str) -> Share:
    """Return one of the ratios."""
    above, below = RATIOS[name]
    return Share(count=_sum(counts, above), of=_sum(counts, below))


def beyond(before: Counts, now: Counts, histogram: int) -> tuple[Share, Share]:
    """Return how many took longer, or more tokens, than 95 of 100 did before: before, and now."""
    steps = _steps(before, histogram)
    limit = _step_at(steps, _TAIL)
    if limit is None:
        return Share(), Share()
    return _above(steps, limit), _above(_steps(now, histogram), limit)


def step_of(seconds: float) -> int:
    """Return the key under which a latency is counted."""
    return LATENCIES + _step(seconds * _MICROS)


def step_of_tokens(tokens: int, histogram: int) -> int:
    """Return the key under which tokens are counted, those of a recall or of a model call."""
    return histogram + _step(tokens)


def quantile(counts: Counts, quantile: float) -> float | None:
    """Return the seconds within which this share of the recalls answered; `None` where none did."""
    found = _quantile(_steps(counts, LATENCIES), quantile)
    return None if found is None else found / _MICROS


def added(many: Iterable[Counts]) -> Counts:
    """Return the sum of several counts."""
    total: Counts = {}
    for counts in many:
        for key, count in counts.items():
            total[key] = total.get(key, 0) + count
    return total


def _sum(counts: Counts, keys: Iterable[str]) -> int:
    return sum(counts.get(key, 0) for key in keys)


def _family(counts: Counts, prefix: str) -> dict[str, int]:
    named = {key: count for key, count in counts.items() if isinstance(key, str)}
    return {key.removeprefix(prefix): named[key] for key in sorted(named) if key.startswith(prefix)}


def _step(value: float) -> int:
    return int(log(value) / _LOG_GROWTH) if value > 1 else 0


def _steps(counts: Counts, histogram: int) -> dict[int, int]:
    """Return one of the histograms."""
    ours = range(histogram, histogram + _KEYS)
    return {key - histogram: count for key, count in counts.items() if isinstance(key, int) and key in ours}


def _step_at(steps: Mapping[int, int], quantile: float) -> int | None:
    """Return the step at which this share is reached."""
    wanted = quantile * sum(steps.values())
    reached = 0
    for step in sorted(steps):
        reached += steps[step]
        if reached >= wanted:
            return step
    return None


def _quantile(steps: Mapping[int, int], quantile: float) -> float | None:
    step = _step_at(steps, quantile)
    return None if step is None else float(GROWTH**step * sqrt(GROWTH))


def _above(steps: Mapping[int, int], limit: int) -> Share:
    return Share(count=sum(count for step, count in steps.items() if step > limit), of=sum(steps.values()))

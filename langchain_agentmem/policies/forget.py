"""When a memory fades, goes to the archive, and is erased: a forgetting curve for each kind, and thresholds.

    R = exp(-t / S)

Retention R falls with the time t since a memory was last used, confirmed or learned (Ebbinghaus 1885, in the form of
MemoryBank, Zhong et al. 2023). Stability S, in days, is what the kind has at first, more for what is important, and
multiplied by each spaced use, as intervals are in SM-2 (Wozniak 1990). Nothing is rewritten because time passes: what
decays is computed from when it last mattered, so that the same memory at the same time always has the same fate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final

from langchain_agentmem._checks import check_count, check_unit
from langchain_agentmem._copying import Remake, reduced
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.policies.approve import is_decidable
from langchain_agentmem.policies.forget_fates import REASONS, SAVED_BY, Fate, Move
from langchain_agentmem.types import KINDS, Kind, Memory
from langchain_agentmem.types.memories import LIVE_STATUSES

DAY: Final = timedelta(days=1)
MAX_DAYS: Final = 36_500.0
"""A hundred years: what is to be kept longer is kept for ever."""

SPACING_DAYS: Final = 1.0
"""Between two uses that count apart: many uses on one day are one repetition (the spacing effect, Ebbinghaus 1885)."""

_STEPS: Final = 26
"""Halvings of a hundred years: to a minute."""


STABILITY_DAYS: Final[Mapping[Kind, float | None]] = MappingProxyType(
    {"episode": 60.0, "outcome": 120.0, "preference": 120.0, "goal": 120.0, "fact": 180.0, "constraint": None}
)
"""Of a memory that matters to nobody in particular. Outcomes and preferences drift; a constraint ("allergic to nuts")
binds however seldom it is needed, so it does not decay at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """What is known of a memory's use.

    Args:
        uses: How often it was recalled.
        last_used_at: When last.
        evident_at: When it was last learned, confirmed, revised or restored; `None`: when it was created.
    """

    uses: int = 0
    last_used_at: datetime | None = None
    evident_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgettingPolicy:
    """How memories fade, go to the archive, and are erased. Every default works.

    Args:
        stability_days: Of each kind at first; `None`: the kind does not decay. Kinds left out have the default.
        growth: Each spaced use multiplies stability by it; 1.3, the least that SM-2 multiplies an interval by.
        importance_gain: What is as important as can be is that much more stable: 1.0 doubles it.
        importance_half_life_days: After so many days without use half of the importance is left.
        max_stability_days: Beyond that, uses add nothing.
        fade_below: Retention below which a memory is ranked lower; `archive_below`: below which it is archived.
        forget_below: Confidence below which it is archived.
        confidence_grace_days: So long without use confidence stands. `confidence_half_life_days`: after so many days
            more, half of it is left; `None`: it does not decay.
        max_idle_days: Unused for longer, and used rarely before, it is archived; `None`: never for that.
        rare_uses: As many uses are no longer rare.
        archived_days: From the archive to the erasure; `None`: never.
        superseded_days: From being replaced to the erasure; `None`: never.
        max_memories: Of a scope. Near-duplicates are merged first, then what is least retained is archived; `None`:
            there is no bound. As many may wait: they are counted apart, and the least trusted are archived first.

    Raises:
        ConfigurationError: A value is out of its range, or thresholds contradict each other.
    """

    stability_days: Mapping[Kind, float | None] = field(default_factory=dict)
    growth: float = 1.3
    importance_gain: float = 1.0
    importance_half_life_days: float = 365.0
    max_stability_days: float = 3_650.0
    fade_below: float = 0.5
    archive_below: float = 0.05
    forget_below: float = 0.3
    confidence_grace_days: float = 90.0
    confidence_half_life_days: float | None = 730.0
    max_idle_days: float | None = 365.0
    rare_uses: int = 3
    archived_days: float | None = 90.0
    superseded_days: float | None = 90.0
    max_memories: int | None = None

    def __post_init__(self) -> None:
        """Refuse what could forget everything, or nothing, by mistake."""
        for name in ("fade_below", "archive_below", "forget_below"):
            object.__setattr__(self, name, check_unit(name, getattr(self, name)))
        if self.archive_below > self.fade_below:
            msg = f"archive_below must not be above fade_below, got {self.archive_below!r} and {self.fade_below!r}"
            raise ConfigurationError(msg)
        check_count("rare_uses", self.rare_uses, 0)
        if self.max_memories is not None:
            check_count("max_memories", self.max_memories)
        for name in ("importance_half_life_days", "max_stability_days"):
            _check_number(name, getattr(self, name), 0.0, is_open=True)
        _check_number("growth", self.growth, 1.0, most=10.0)
        _check_number("importance_gain", self.importance_gain, 0.0, most=100.0)
        _check_number("confidence_grace_days", self.confidence_grace_days, 0.0)
        for name in ("confidence_half_life_days", "max_idle_days", "archived_days", "superseded_days"):
            if getattr(self, name) is not None:
                _check_number(name, getattr(self, name), 0.0, is_open=True)
        object.__setattr__(self, "stability_days", _checked_stability(self.stability_days))

    def __reduce__(self) -> Remake:
        return reduced(self)

    def initial_days(self, kind: Kind) -> float | None:
        """Return the stability that a kind has at first; `None`: it does not decay."""
        return self.stability_days[kind]


# ---------------------------------------------------------------------------------------------------------- the curve
def stability_days(memory: Memory, trace: Trace, idle_days: float, policy: ForgettingPolicy) -> float | None:
    """Return S after so many days without use; it never falls with more uses, nor with more importance.

    Example:
        >>> from datetime import UTC, datetime
        >>> from langchain_agentmem import Scope
        >>> fact = Memory(
        ...     id="m",
        ...     scope=Scope("alice"),
        ...     kind="fact",
        ...     content="…",
        ...     confidence=0.9,
        ...     importance=0.5,
        ...     source="explicit",
        ...     created_at=datetime(2026, 1, 1, tzinfo=UTC),
        ... )
        >>> stability_days(fact, Trace(), 0.0, ForgettingPolicy())
        270.0
    """
    first = policy.initial_days(memory.kind)
    if first is None:
        return None
    importance = memory.importance * 0.5 ** (idle_days / policy.importance_half_life_days)
    repeated: float = policy.growth ** min(spaced_uses(memory, trace), 200)
    return float(min(policy.max_stability_days, first * (1.0 + policy.importance_gain * importance) * repeated))


def retention(memory: Memory, trace: Trace, idle_days: float, policy: ForgettingPolicy) -> float:
    """Return R in [0, 1] after so many days without use; it never rises with them."""
    stability = stability_days(memory, trace, idle_days, policy)
    return 1.0 if stability is None else math.exp(-idle_days / stability)


def spaced_uses(memory: Memory, trace: Trace) -> int:
    """Return how many uses count: no more than there are days between the creation and the last one."""
    if trace.last_used_at is None:
        return 0
    return min(trace.uses, int(_days(trace.last_used_at, memory.created_at) / SPACING_DAYS))


def confidence_after(confidence: float, idle_days: float, policy: ForgettingPolicy) -> float:
    """Return what is left of a confidence after so many days without use."""
    beyond = idle_days - policy.confidence_grace_days
    if policy.confidence_half_life_days is None or beyond <= 0:
        return confidence
    return float(confidence * 0.5 ** (beyond / policy.confidence_half_life_days))


def last_mattered(memory: Memory, trace: Trace) -> datetime:
    """Return when a memory was last used, confirmed or learned."""
    return max(filter(None, (memory.created_at, trace.last_used_at, trace.evident_at)))


def is_faded(memory: Memory, last_used_at: datetime | None) -> bool:
    """Whether a memory is ranked lower: it faded, and was not used since."""
    return memory.faded_at is not None and (last_used_at is None or last_used_at <= memory.faded_at)


# ---------------------------------------------------------------------------------------------------------- judgement
def judge(memory: Memory, trace: Trace, policy: ForgettingPolicy, now: datetime, *, keeps: str | None = None) -> Fate:
    """Return what is to become of a memory now, by which rule, what comes next and what would save it.

    Args:
        memory: Of any status but `erased`.
        trace: Its use.
        policy: The thresholds.
        now: When.
        keeps: A rule that keeps it whatever else applies: `held`; or another, against age alone.
    """
    case = _Case(memory=memory, trace=trace, policy=policy, since=last_mattered(memory, trace), keeps=keeps)
    move, rule = case.decide(now)
    idle = _days(now, case.since)
    stability = stability_days(memory, trace, idle, policy)
    fate = Fate(
        memory_id=memory.id,
        kind=memory.kind,
        status=memory.status,
        move=move,
        rule=rule,
        reason=REASONS[rule],
        retention=round(retention(memory, trace, idle, policy), 6),
        stability_days=None if stability is None else round(stability, 3),
        confidence=round(case.confidence(idle), 6),
        uses=trace.uses,
        last_mattered_at=case.since,
        saved_by=SAVED_BY.get(rule, ()),
    )
    return _with_next(fate, case.after(move, now), now)


def due(
    memory: Memory, trace: Trace, policy: ForgettingPolicy, now: datetime, *, keeps: str | None = None
) -> Move | None:
    """Return the move that is due, as `judge` would, and nothing else."""
    since = last_mattered(memory, trace)
    return _Case(memory=memory, trace=trace, policy=policy, since=since, keeps=keeps).decide(now)[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A memory under judgement."""

    memory: Memory
    trace: Trace
    policy: ForgettingPolicy
    since: datetime
    keeps: str | None

    def decide(self, now: datetime) -> tuple[Move | None, str]:
        """Return the move that is due by then, and its rule."""
        memory = self.memory
        if self.keeps == "held":
            return None, "held"
        if is_decidable(memory):
            return None, "waits"
        if memory.status in LIVE_STATUSES and memory.expires_at is not None and memory.expires_at <= now:
            return "archive", "expired"  # said of this very memory: that binds a pin, too
        if memory.pinned:
            return None, "pinned"
        return self._live(_days(now, self.since)) if memory.status in LIVE_STATUSES else self._ended(now)

    def confidence(self, idle: float) -> float:
        """Return what is left of its confidence."""
        decays = self.policy.initial_days(self.memory.kind) is not None
        return confidence_after(self.memory.confidence, idle, self.policy) if decays else self.memory.confidence

    def after(self, move: Move | None, now: datetime) -> _Case | None:
        """Return the memory as a move leaves it."""
        if move == "erase":
            return None
        if move == "archive":
            return replace(self, memory=replace(self.memory, status="archived", expired_at=now))
        faded_at = {"fade": now, "refresh": None}.get(move or "", self.memory.faded_at)
        return replace(self, memory=replace(self.memory, faded_at=faded_at))

    def _ended(self, now: datetime) -> tuple[Move | None, str]:
        status = self.memory.status
        kept = self.policy.superseded_days if status == "superseded" else self.policy.archived_days
        days = _days(now, self.memory.expired_at or self.since)
        return ("erase" if kept is not None and days >= kept else None), status

    def _live(self, idle: float) -> tuple[Move | None, str]:
        memory, policy = self.memory, self.policy
        if self.confidence(idle) < policy.forget_below:
            return "archive", "low_confidence"
        if self.keeps is not None:
            return None, self.keeps
        if policy.initial_days(memory.kind) is None:
            return None, "lasting"
        if policy.max_idle_days is not None and self.trace.uses < policy.rare_uses and idle > policy.max_idle_days:
            return "archive", "old_and_rare"
        left = retention(memory, self.trace, idle, policy)
        if left < policy.archive_below:
            return "archive", "decayed"
        if left < policy.fade_below:
            return (None if is_faded(memory, self.since) else "fade"), "faded"
        return (None if memory.faded_at is None else "refresh"), "fresh"


def _with_next(fate: Fate, case: _Case | None, now: datetime) -> Fate:
    """Return a fate with the move that comes next if nothing happens, and when."""

    def at(days: float) -> tuple[Move | None, str]:
        return (None, "") if case is None else case.decide(now + timedelta(days=days))

    days = _first(lambda it: at(it)[0] is not None)
    if days is None:
        return fate
    move, rule = at(days)
    saved_by = SAVED_BY.get(fate.rule if fate.move else rule, ())
    return replace(fate, next_move=move, next_rule=rule, next_at=now + timedelta(days=days), saved_by=saved_by)


def _first(is_so: Callable[[float], bool]) -> float | None:
    """Return the first day from which something is so for good, or `None` within a hundred years.

    Every rule is: time alone takes nothing of it back.
    """
    if not is_so(MAX_DAYS):
        return None
    low, high = 0.0, MAX_DAYS
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if is_so(middle) else (middle, high)
    return high


# ------------------------------------------------------------------------------------------------------------- checks
def _days(now: datetime, since: datetime) -> float:
    """Return how many days lie between; none where a clock went back."""
    return max(0.0, (now - since) / DAY)


def _check_number(name: str, value: object, least: float, *, most: float = MAX_DAYS, is_open: bool = False) -> None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    if not is_number or not least <= float(str(value)) <= most or (is_open and value == least):
        bound = f"above {least:g}" if is_open else f"at least {least:g}"
        msg = f"{name} must be a number {bound} and at most {most:g}, got {value!r}"
        raise ConfigurationError(msg)


def _checked_stability(given: object) -> Mapping[Kind, float | None]:
    if not isinstance(given, Mapping):
        msg = f"stability_days must be a dict of days by kind, got {type(given).__name__}; for example {{'fact': 365}}"
        raise ConfigurationError(msg)
    unknown = sorted(str(it) for it in given.keys() - set(KINDS))
    if unknown:
        msg = f"stability_days has the unknown kind {unknown[0]!r}; use one of {', '.join(KINDS)}"
        raise ConfigurationError(msg)
    for kind, days in given.items():
        if days is not None:
            _check_number(f"stability_days[{kind!r}]", days, 0.0, is_open=True)
    return MappingProxyType({**STABILITY_DAYS, **given})

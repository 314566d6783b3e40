"""`memory.metrics`: what a process counts, and what the database holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from threading import Lock
from typing import Final, Protocol

from langchain_agentmem._checks import check_instance
from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.errors import ConfigurationError, ScopeError
from langchain_agentmem.metrics.counting import (
    BROUGHT,
    LATENCIES,
    RATIOS,
    SHOWN,
    Counts,
    Snapshot,
    added,
    beyond,
    share,
    snapshot,
    step_of,
    step_of_tokens,
)
from langchain_agentmem.metrics.looks import LayerGrowth, Looks
from langchain_agentmem.policies.drift import Drift, drift
from langchain_agentmem.types import Scope
from langchain_agentmem.types.recall import SEARCHED
from langchain_agentmem.types.scope import check_scope
from langchain_agentmem.types.watching import InjectionSeen, Observer, RecallSeen, Ruled, Usage, UseSeen, WriteSeen

MINUTE: Final = 60
MAX_WINDOW: Final = timedelta(hours=24)
"""Two of them are held by the minute; what is older is one sum."""

MAX_NAMES: Final = 200
"""Names of rules and of errors that are counted apart; an application's own rule could make a new one each time."""

OTHERS: Final = "others"

_OFFERING: Final = frozenset({"remember", "learn", "revise", "merge", "keep_episodes"})
"""Operations whose records the write policy rules on."""

_JUDGED: Final = {"confirmed": "confirmed", "contradicted": "contradicted", "corrected": "contradicted"}
"""What a user's signal says of a memory; how a task ended says nothing sure."""

_HELD: Final = 2 * int(MAX_WINDOW.total_seconds()) // MINUTE


class Measure(Protocol):
    """Tells how much is stored in one place."""

    def of(self, scope: Scope | None, at: datetime) -> Flow[Usage]:
        """Return what is stored of the scope's user; `None`: of all."""
        ...


class Metrics(Observer):
    """Counts what this process does with memory, for all users together; and measures what is stored, user by user.

    A recall costs it a few microseconds. Nothing here is content, and the counters know no user.

    Args:
        measures: Measure the databases.
        clock: Gives the time, aware UTC.
        asked: Asks whether what is stored of a user may be read; `None`: nobody is asked.
    """

    def __init__(
        self,
        measures: Sequence[Measure],
        clock: Callable[[], datetime],
        asked: Callable[[Scope], Flow[None]] | None = None,
    ) -> None:
        """Begin at nothing."""
        self._measures = tuple(measures)
        self._asked = asked
        self._clock = clock
        self._lock = Lock()
        self._since = clock()
        self._past: Counts = {}
        self._minutes: dict[int, defaultdict[str | int, int]] = {}
        self._names: dict[tuple[str, str], str] = {}
        self._looks = Looks()

    # ------------------------------------------------------------------------------------------------------- counters
    def snapshot(self) -> Snapshot:
        """Return what was counted since this memory was opened in this process."""
        with self._lock:
            counts = added([self._past, *self._minutes.values()])
        return snapshot(counts, self._since)

    def drift(self, window: timedelta = timedelta(hours=1)) -> Mapping[str, Drift]:
        """Return how each ratio moved in the last window of time, held against the window before it.

        One that differs by more than three standard errors has moved (`has_moved`). `slow` is the share of recalls that
        took longer than 95 of 100 did in the window before, `large` the share that brought more tokens likewise, and
        `injected` the share of notes of what a model call was shown that are of more tokens.
        Of sizes, `growth` tells it.

        Args:
            window: One minute to 24 hours, taken in whole minutes.

        Raises:
            ConfigurationError: The window is none of that length.
        """
        minutes = _minutes_of(window)
        with self._lock:
            last = self._minute()
            now = added(it for minute, it in self._minutes.items() if last - minutes < minute <= last)
            before = added(it for minute, it in self._minutes.items() if last - 2 * minutes < minute <= last - minutes)
        moved = {name: drift(share(before, name), share(now, name)) for name in RATIOS}
        beside = {"slow": LATENCIES, "large": BROUGHT, "injected": SHOWN}
        return moved | {name: drift(*beyond(before, now, histogram)) for name, histogram in beside.items()}

    def on_recall(self, seen: RecallSeen) -> None:
        """Count a recall."""
        with self._lock:
            counts = self._counts()
            counts["recalls"] += 1
            counts[f"recalls.{seen.status}"] += 1
            if seen.status in SEARCHED:
                counts["hits" if _has_found(seen) else "misses"] += 1
                counts[step_of(seen.seconds)] += 1
                counts[step_of_tokens(seen.tokens, BROUGHT)] += 1
            if seen.error is not None:
                counts[self._name("error", seen.error)] += 1

    def on_write(self, seen: WriteSeen) -> None:
        """Count a write."""
        with self._lock:
            counts = self._counts()
            if seen.error is not None:
                counts[self._name("error", seen.error)] += 1
            for outcome in seen.outcomes:
                self._count_outcome(counts, seen, outcome)

    def on_injection(self, seen: InjectionSeen) -> None:
        """Count what a model call was shown."""
        with self._lock:
            counts = self._counts()
            counts["tokens"] += seen.tokens
            counts[step_of_tokens(seen.tokens, SHOWN)] += 1

    def on_use(self, seen: UseSeen) -> None:
        """Count what an answer used."""
        with self._lock:
            counts = self._counts()
            counts["used"] += seen.used
            counts["unused"] += seen.unused

    def _count_outcome(self, counts: Counts, seen: WriteSeen, outcome: Ruled) -> None:
        counts[self._name("verdict", outcome.verdict)] += outcome.records
        counts[self._name("rule", outcome.rule)] += outcome.records
        if seen.operation in _OFFERING:
            counts["writes"] += outcome.records
        if outcome.verdict == "refused":
            counts["refused"] += outcome.records
        if seen.operation == "keep_episodes" and outcome.verdict == "written":
            counts["episodes"] += outcome.records
        if seen.operation == "feedback" and outcome.rule in _JUDGED:
            counts[_JUDGED[outcome.rule]] += outcome.records

    def _name(self, family: str, name: str) -> str:
        """Return the key of a name that others choose; of too many, one for the rest."""
        known = self._names.get((family, name))
        if known is None:
            known = f"{family}.{name if len(self._names) < MAX_NAMES else OTHERS}"
            if len(self._names) < MAX_NAMES:
                self._names[family, name] = known
        return known

    def _minute(self) -> int:
        return int(self._clock().timestamp()) // MINUTE

    def _counts(self) -> defaultdict[str | int, int]:
        """Return the counts of this minute; what is too old for any window goes into one sum."""
        minute = self._minute()
        counts = self._minutes.get(minute)
        if counts is None:
            counts = self._minutes[minute] = defaultdict(int)
            for old in [it for it in self._minutes if it <= minute - _HELD]:
                self._past = added([self._past, self._minutes.pop(old)])
        return counts

    # ---------------------------------------------------------------------------------------------------------- sizes
    def usage(self, scope: Scope) -> Usage:
        """Return the rows and bytes that are stored of a user, layer by layer, by all of their agents.

        In the SQL database, and on Redis where conversations and threads are there. Threads count where they are bound
        to the user, which a run with `user_id` in its config does.

        Raises:
            ScopeError: The scope is anonymous, or an agent's: an agent does not learn what another one keeps.
        """
        return run(self._sum(_whole_user(scope)))

    async def ausage(self, scope: Scope) -> Usage:
        """Return what is stored of a user; see `usage`."""
        return await arun(self._sum(_whole_user(scope)))

    def totals(self) -> Usage:
        """Return the rows and bytes of all users together, with what has no user; it looks at every row and key."""
        return run(self._sum(None))

    async def atotals(self) -> Usage:
        """Return the rows and bytes of all users together; see `totals`."""
        return await arun(self._sum(None))

    def growth(
        self, scope: Scope | None = None, *, window: timedelta = timedelta(hours=1)
    ) -> Mapping[str, LayerGrowth]:
        """Look at the sizes, and return how fast each layer grew in the last window, held against the window before it.

        A layer whose growth differs by more than three standard errors has moved (`has_moved`); so has one that shrinks
        and did not shrink before. What there was before is known from the looks of this process: of `usage`, `totals`
        and `growth`. Looks that are at least half a window apart stand for its ends; where there is none, nothing is
        said.

        Args:
            scope: Whose; `None`: of all users together, which looks at every row and key.
            window: One minute to 24 hours.

        Raises:
            ScopeError: As for `usage`.
            ConfigurationError: The window is none of that length.
        """
        return run(self._growth(scope, window))

    async def agrowth(
        self, scope: Scope | None = None, *, window: timedelta = timedelta(hours=1)
    ) -> Mapping[str, LayerGrowth]:
        """Look at the sizes, and return how fast each layer grows; see `growth`."""
        return await arun(self._growth(scope, window))

    def _growth(self, scope: Scope | None, window: timedelta) -> Flow[Mapping[str, LayerGrowth]]:
        _minutes_of(window)
        whole = None if scope is None else _whole_user(scope)
        yield from self._sum(whole)
        return self._looks.growth(whole, window)

    def _sum(self, scope: Scope | None) -> Flow[Usage]:
        if scope is not None and self._asked is not None:
            yield from self._asked(scope)
        at = self._clock()
        found = Usage(at=at)
        for measure in self._measures:
            found += yield from measure.of(scope, at)
        self._looks.add(scope, found)
        return found


def _has_found(seen: RecallSeen) -> bool:
    """Whether a recall that has searched returned something; one without its index or model does so as well."""
    return seen.status == "ok" or (seen.status == "degraded" and bool(seen.memory_ids or seen.constraints))


def _minutes_of(window: timedelta) -> int:
    length = check_instance("window", window, timedelta, "timedelta(hours=1)")
    if not timedelta(minutes=1) <= length <= MAX_WINDOW:
        msg = f"window must be from one minute to 24 hours, got {window!r}; for example timedelta(hours=1)"
        raise ConfigurationError(msg)
    return int(length.total_seconds()) // MINUTE


def _whole_user(scope: Scope) -> Scope:
    if check_scope(scope).is_anonymous or scope.agent_id is not None:
        msg = "what is stored is measured user by user; pass Scope(user_id=…) without an agent"
        raise ScopeError(msg)
    return scope

"""Whether a ratio or a size has moved: the same in two windows of time, held against what chance does."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Final

MOVED: Final = 3.0
"""Standard errors between two ratios from which on they differ for a reason: chance alone gives 3 in about one of 370
looks. Source: the two-sided normal distribution; the customary limit of control charts (Shewhart, 1931)."""

_HOUR_S: Final = 3_600


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """So many of so many."""

    of: int = 0
    count: int = 0

    @property
    def ratio(self) -> float | None:
        """Return the ratio in [0, 1]; `None` of nothing."""
        return self.count / self.of if self.of else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """How a ratio moved from one window of time to the next.

    Attributes:
        z: The difference in standard errors, above 0 where the ratio rose; `None` where a window has no cases.
    """

    before: Share
    now: Share
    z: float | None = None

    @property
    def has_moved(self) -> bool:
        """Whether it moved by more than 3 standard errors."""
        return self.z is not None and abs(self.z) > MOVED


def drift(before: Share, now: Share) -> Drift:
    """Return how a ratio moved.

    Source: the pooled two-proportion z-test, for example Fleiss, Levin and Paik, *Statistical Methods for Rates and
    Proportions* (2003), chapter 3.
    """
    return Drift(before=before, now=now, z=_z(before, now))


def _z(before: Share, now: Share) -> float | None:
    if not before.of or not now.of:
        return None
    pooled = (before.count + now.count) / (before.of + now.of)
    error = sqrt(pooled * (1 - pooled) * (1 / before.of + 1 / now.of))
    difference = now.count / now.of - before.count / before.of
    return difference / error if error else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Grown:
    """So much more (below 0: less) in so many seconds."""

    by: int
    seconds: float

    @property
    def per_hour(self) -> float:
        """Return how fast it grew."""
        return self.by / self.seconds * _HOUR_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """How fast something grew in two windows of time, one after the other.

    Attributes:
        before: `None` where it was not looked at so early; `now` likewise.
        z: The difference in standard errors, above 0 where it grows faster now; `None` where a window is missing.
    """

    before: Grown | None = None
    now: Grown | None = None
    z: float | None = None

    @property
    def has_moved(self) -> bool:
        """Whether its growth changed by more than 3 standard errors; what shrinks and did not shrink has moved too."""
        return self.z is not None and abs(self.z) > MOVED


def growth(before: Grown | None, now: Grown | None, *, unit: float = 1.0) -> Growth:
    """Return how something grew, in two windows of whatever length.

    Args:
        before: In the first one.
        now: In the second one.
        unit: How much comes or goes at once: 1 of rows, the mean row of bytes.

    Source: the normal test of two Poisson rates, for example Przyborowski and Wilenski, *Homogeneity of results in
    testing samples from Poisson series* (1940).
    """
    if before is None or now is None:
        return Growth(before=before, now=now)
    error = sqrt(sum(abs(it.by) * unit / it.seconds**2 for it in (before, now)))
    difference = now.by / now.seconds - before.by / before.seconds
    return Growth(before=before, now=now, z=difference / error if error else 0.0)

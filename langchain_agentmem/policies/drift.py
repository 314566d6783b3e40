"""Whether a ratio has moved: the same ratio in two windows of time, held against what chance does."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Final

MOVED: Final = 3.0
"""Standard errors between two ratios from which on they differ for a reason: chance alone gives 3 in about one of 370
looks. Source: the two-sided normal distribution; the customary limit of control charts (Shewhart, 1931)."""


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

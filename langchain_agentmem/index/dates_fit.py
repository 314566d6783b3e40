"""How well the time at which an episode was said fits the dates that a question names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from langchain_agentmem._search import NamedDate, Period
from langchain_agentmem.english.time.dates import SOON_DAYS

DAY: Final = 86_400_000_000
"""Microseconds."""

NEXT_DAY: Final = 0.95
SOON: Final = 0.7
LATE: Final = 0.4
"""How well what is said the day after fits, what is said the day after that (or the day before), and on the last of the
`SOON_DAYS`; between them it falls evenly."""

AT_SLACK: Final = 0.5
"""How well the last day fits that may be meant as well."""

Fits: TypeAlias = NDArray[np.float64]


def dates_fit(at: NDArray[np.int64], dates: Sequence[NamedDate | Period]) -> Fits:
    """Return how well the time of each episode fits the dates that a question names, in [0, 1]."""
    fits = np.zeros(at.size)
    for named in dates:
        fit: Callable[..., Fits] = _fit_period if isinstance(named, Period) else _fit_named
        fits = np.maximum(fits, fit(at, named))
    return fits


def _fit_period(at: NDArray[np.int64], period: Period) -> Fits:
    days = at // DAY
    fit = _near(days - period.last, days - period.first)
    if period.slack:
        away = np.maximum(period.first - days, days - period.last)
        around = 1.0 - (1.0 - AT_SLACK) * away / period.slack
        fit = np.where((away > 0) & (away <= period.slack), np.maximum(fit, around), fit)
    weighed: Fits = period.weight * fit
    return weighed


def _fit_named(at: NDArray[np.int64], named: NamedDate) -> Fits:
    months = at.astype("datetime64[us]").astype("datetime64[M]").astype(np.int64)  # since January 1970
    years = months // 12
    wanted = (years if named.year is None else np.full(at.size, named.year - 1970)) * 12 + named.month - 1
    if named.day is None:
        later = months - wanted
        return np.where(later == 0, 1.0, np.where(later == 1, 0.5, 0.0))
    firsts = wanted.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    later = at // DAY - (firsts + named.day - 1)
    fit: Fits = named.weight * _near(later, later)
    return fit


def _near(after_last: NDArray[np.int64], after_first: NDArray[np.int64]) -> Fits:
    """Return how well days fit, by how long they lie after the last and the first day that is named."""
    soon = SOON - (SOON - LATE) * (after_last - 2) / (SOON_DAYS - 2)
    later = np.where(after_last == 1, NEXT_DAY, np.where(after_last <= SOON_DAYS, soon, 0.0))
    inside = np.where(after_first >= 0, 1.0, np.where(after_first == -1, SOON, 0.0))
    fit: Fits = np.where(after_last > 0, later, inside)
    return fit

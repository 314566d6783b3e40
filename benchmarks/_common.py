"""What the benchmarks that measure time share: one BLAS thread, interleaved medians, and figures as text."""

from __future__ import annotations

import gc
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, TypeVar

Case = TypeVar("Case", bound=Hashable)

WIDTH: Final = 150  # characters: wide enough for a table in a file or a CI log
MIN_SAMPLES: Final = 5
ONE_THREAD: Final = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def pin_threads() -> None:
    """Start this program again with one BLAS thread, unless it has one: numpy reads the number when it is imported."""
    if any(os.environ.get(name) != value for name, value in ONE_THREAD.items()):
        sys.stdout.flush()
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], os.environ | ONE_THREAD)  # noqa: S606


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this process, and the servers that it starts, on one core where the system can.

    Waking another core that idles takes longer than most of what is measured here, and how long depends on the machine.
    """
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    every = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(every)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, every)


def interleave(
    cases: Mapping[Case, Callable[[int], object]], rounds: int, *, cap_s: float = float("inf")
) -> dict[Case, float]:
    """Return the median seconds of every case, all of them measured in turn, in another order each round.

    Args:
        cases: Called with the number of the round, from 1; round 0 is not counted.
        rounds: Samples of each case.
        cap_s: A case that has taken this long altogether is not measured further, beyond a few samples.
    """
    samples: dict[Case, list[float]] = {case: [] for case in cases}
    order, rng = list(cases), random.Random(1)  # noqa: S311  (an order, not a secret)
    freezes = not gc.get_freeze_count()  # else the process has frozen what it keeps, and goes on with it
    if freezes:
        gc.collect()
        gc.freeze()  # what was filled in before is not searched for garbage again and again meanwhile
    for number in range(rounds + 1):
        rng.shuffle(order)
        for case in order:
            taken = samples[case]
            if len(taken) >= MIN_SAMPLES and sum(taken) > cap_s:
                continue
            began = time.perf_counter()
            cases[case](number)
            if number:
                taken.append(time.perf_counter() - began)
    if freezes:
        gc.unfreeze()
    return {case: statistics.median(taken) for case, taken in samples.items()}


def machine() -> dict[str, Any]:
    """Return what the figures depend on."""
    return {"python": platform.python_version(), "machine": platform.machine(), "cpus": os.cpu_count()}


def ratio_text(value: float, floor: float) -> str:
    """Return a multiple of the floor, with two digits that mean something."""
    times = value / floor
    return f"x{times:,.0f}" if times >= 10 else f"x{times:.1f}"


def micros_text(seconds: float) -> str:
    """Return seconds as microseconds."""
    return f"{seconds * 1e6:,.0f} µs"

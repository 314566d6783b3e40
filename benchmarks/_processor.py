"""Processor time of this process and of the servers it has started: what other work on the machine disturbs less."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

_PROCESSES: Final = Path("/proc")


def processor_seconds(work: Callable[[], object]) -> float:
    """Do something and return the time spent on it; without Linux's `/proc`, that of this process alone."""
    servers = list(_descendants(os.getpid()))
    before = sum(map(_nanoseconds, servers))
    began = time.process_time()
    work()
    own = time.process_time() - began
    return own + (sum(map(_nanoseconds, servers)) - before) / 1e9


def _descendants(pid: int) -> Iterator[int]:
    for listed in _PROCESSES.glob(f"{pid}/task/*/children"):
        with suppress(OSError):
            for child in map(int, listed.read_text().split()):
                yield child
                yield from _descendants(child)


def _nanoseconds(pid: int) -> int:
    """Return what a process has spent (proc(5), schedstat: the first number); one that has ended, nothing."""
    try:
        return int((_PROCESSES / str(pid) / "schedstat").read_text().split()[0])
    except OSError:
        return 0

"""Say that somebody is still at work, however long one of the steps takes.

A thread of its own, also where the work is awaited: it has to beat while the event loop is busy, and while every thread
of the executor waits for a model. It lives as long as the work does.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, TypeVar

from langchain_agentmem._flow import Flow, run, work
from langchain_agentmem.errors import AgentMemError

LOGGER: Final = logging.getLogger("langchain_agentmem")

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How often a heart beats, and how often at most: what hangs for ever must not be held for ever."""

    every_s: float
    most: int


def beating(flow: Flow[T], beat: Callable[[], Flow[bool]], pace: Pace) -> Flow[T]:
    """Do `flow`, and `beat` beside it until it ends or a beat returns `False`; none is under way afterwards."""
    heart = _Heart(beat, pace)
    try:
        return (yield from flow)
    finally:
        yield from heart.stop()


class _Heart:
    def __init__(self, beat: Callable[[], Flow[bool]], pace: Pace) -> None:
        self._beat = beat
        self._pace = pace
        self._is_over = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._live, name="agentmem-heartbeat", daemon=True)
        with suppress(RuntimeError):  # no thread can be had: what it would hold is held for its first while only
            self._thread.start()

    def stop(self) -> Flow[None]:
        self._is_over.set()
        if self._lock.acquire(blocking=False):  # it rests, and will see that it is over before it beats again
            self._lock.release()
        else:
            yield from work(self._thread.join)

    def _live(self) -> None:
        for _ in range(self._pace.most):
            self._is_over.wait(self._pace.every_s)
            with self._lock:
                if self._is_over.is_set() or not self._goes_on():
                    return

    def _goes_on(self) -> bool:
        try:
            return run(self._beat())
        except AgentMemError as error:  # the database may be back in time for the next one
            LOGGER.warning("a lease could not be renewed: %s", type(error).__name__)
            return True

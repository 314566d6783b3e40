"""What threads were last seen as, which saves the round trip to look: a guess, which the backend checks."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Generic, TypeVar

T = TypeVar("T")

MAX_SEEN: Final = 1_024
"""Threads that are remembered: about a kilobyte each."""


class Seen(Generic[T]):
    """The threads seen last, each as it was.

    Args:
        together: Returns what is remembered, of what was known of a thread and what is seen of it now.
        capacity: Threads at most.
    """

    def __init__(self, together: Callable[[T, T], T], capacity: int = MAX_SEEN) -> None:
        """Remember nothing yet."""
        self._together = together
        self._capacity = capacity
        self._lock = threading.Lock()
        self._threads: OrderedDict[str, T] = OrderedDict()

    def get(self, thread_id: str) -> T | None:
        """Return what a thread was last seen as."""
        with self._lock:
            found = self._threads.get(thread_id)
            if found is not None:
                self._threads.move_to_end(thread_id)
            return found

    def put(self, thread_id: str, thread: T) -> None:
        """Remember what a thread is."""
        with self._lock:
            known = self._threads.get(thread_id)
            self._threads[thread_id] = thread if known is None else self._together(known, thread)
            self._threads.move_to_end(thread_id)
            while len(self._threads) > self._capacity:
                self._threads.popitem(last=False)

    def drop(self, thread_id: str) -> None:
        """Forget a thread."""
        with self._lock:
            self._threads.pop(thread_id, None)

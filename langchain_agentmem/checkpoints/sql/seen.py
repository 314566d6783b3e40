"""What threads were last seen as, which saves the round trip to look."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import replace
from typing import Final

from langchain_agentmem.checkpoints.sql.thread import OpenThread

MAX_SEEN: Final = 1_024
"""Threads that are remembered: about a kilobyte each."""

MAX_NAMES: Final = 64
"""Namespaces of one thread that are remembered."""


class SeenThreads:
    """The threads seen last, each as it was: a guess, which the database checks."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._lock = threading.Lock()
        self._threads: OrderedDict[str, OpenThread] = OrderedDict()

    def get(self, thread_id: str) -> OpenThread | None:
        """Return what a thread was last seen as."""
        with self._lock:
            found = self._threads.get(thread_id)
            if found is not None:
                self._threads.move_to_end(thread_id)
            return found

    def put(self, thread_id: str, thread: OpenThread) -> None:
        """Remember what a thread is, and what is known of other namespaces while it is of the same version."""
        if thread.version is None:
            return
        with self._lock:
            known = self._threads.get(thread_id)
            if known is not None and known.version == thread.version:
                refs, heads = {**known.refs, **thread.refs}, {**known.heads, **thread.heads}
                thread = replace(thread, refs=refs, heads=heads) if len(refs) <= MAX_NAMES else thread
            self._threads[thread_id] = thread
            self._threads.move_to_end(thread_id)
            while len(self._threads) > MAX_SEEN:
                self._threads.popitem(last=False)

    def drop(self, thread_id: str) -> None:
        """Forget a thread."""
        with self._lock:
            self._threads.pop(thread_id, None)

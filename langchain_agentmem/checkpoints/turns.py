"""Changes of one thread by one process, one after the other, in the order in which they came.

LangGraph puts a checkpoint and its writes at once. Each built on the thread as it is, all but one would be built in
vain. Turns only spare that: the server checks every change, also those of other processes, and who has waited too long
goes on without a turn.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections import deque
from collections.abc import Callable
from typing import Final

from langchain_agentmem._flow import Flow, step

PATIENCE_S: Final = 0.5
"""A change takes about a millisecond."""


class Turns:
    """Whose turn it is, by thread; for threads of the process and tasks of its event loops alike."""

    def __init__(self) -> None:
        """It is nobody's turn."""
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._queues: dict[str, deque[Callable[[], object]]] = {}

    def wait(self, thread_id: str) -> Flow[bool]:
        """Wait for the turn; return whether it came in time: then `end` has to follow."""
        if self._process != os.getpid():  # whoever had a turn when this process was forked, has it elsewhere
            Turns.__init__(self)
        return self.take(thread_id) or (yield from step(self.enter, self.aenter, thread_id))

    def take(self, thread_id: str) -> bool:
        """Take the turn if it is nobody's."""
        with self._lock:
            return self._is_taken(thread_id)

    def enter(self, thread_id: str) -> bool:
        """Wait for the turn; return whether it came in time."""
        came = threading.Event()
        if self._is_next(thread_id, came.set) or came.wait(PATIENCE_S):
            return True
        return not self._leave(thread_id, came.set)

    async def aenter(self, thread_id: str) -> bool:
        """Wait for the turn; see `enter`."""
        came = asyncio.Event()
        loop = asyncio.get_running_loop()

        def wake() -> None:
            loop.call_soon_threadsafe(came.set)

        if self._is_next(thread_id, wake):
            return True
        try:
            async with asyncio.timeout(PATIENCE_S):
                await came.wait()
        except BaseException as error:
            has_turn = not self._leave(thread_id, wake)
            if isinstance(error, TimeoutError):
                return has_turn
            if has_turn:
                self.end(thread_id)
            raise
        return True

    def end(self, thread_id: str) -> None:
        """Give the turn to who waits for it."""
        with self._lock:
            queue = self._queues[thread_id]
            while queue:
                with contextlib.suppress(RuntimeError):  # the event loop of who waited is closed
                    queue.popleft()()
                    return
            del self._queues[thread_id]

    def _is_taken(self, thread_id: str) -> bool:
        if thread_id in self._queues:
            return False
        self._queues[thread_id] = deque()
        return True

    def _is_next(self, thread_id: str, wake: Callable[[], object]) -> bool:
        """Take the turn if it is nobody's, else stand in line for it."""
        with self._lock:
            is_taken = self._is_taken(thread_id)
            if not is_taken:
                self._queues[thread_id].append(wake)
            return is_taken

    def _leave(self, thread_id: str, wake: Callable[[], object]) -> bool:
        """Leave the line; return whether the turn had not come in the last moment."""
        with self._lock:
            try:
                self._queues[thread_id].remove(wake)
            except (KeyError, ValueError):
                return False
            return True

"""What every operation on threads in Redis needs: keys, the registry, the time, and what threads were last seen as."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoints.redis.registry import Registry
from langchain_agentmem.checkpoints.redis.rows import Known
from langchain_agentmem.checkpoints.turns import Turns
from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.redis.keys import name_key
from langchain_agentmem.redis.scripts import Script
from langchain_agentmem.redis.wire import Argument

PARTS: Final = ("meta", "items", "digests", "checkpoints", "writes")
MAX_KNOWN: Final = 1_024
"""Threads that are remembered: about a kilobyte each."""


class KnownThreads:
    """The threads seen last, each as it was; a guess, which Redis checks."""

    def __init__(self, capacity: int = MAX_KNOWN) -> None:
        """Remember nothing yet."""
        self._capacity = capacity
        self._lock = threading.Lock()
        self._threads: OrderedDict[str, Known] = OrderedDict()

    def get(self, thread_id: str) -> Known | None:
        """Return what a thread was last seen as."""
        with self._lock:
            found = self._threads.get(thread_id)
            if found is not None:
                self._threads.move_to_end(thread_id)
            return found

    def put(self, thread_id: str, known: Known) -> None:
        """Remember what a thread is, unless something later is known of it already."""
        with self._lock:
            before = self._threads.get(thread_id)
            if before is None or before.generation != known.generation or before.revision <= known.revision:
                self._threads[thread_id] = known
            self._threads.move_to_end(thread_id)
            while len(self._threads) > self._capacity:
                self._threads.popitem(last=False)

    def drop(self, thread_id: str) -> None:
        """Forget a thread."""
        with self._lock:
            self._threads.pop(thread_id, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """Where threads are."""

    database: RedisDatabase
    registry: Registry
    now: Callable[[], int]
    known: KnownThreads = field(default_factory=KnownThreads)
    turns: Turns = field(default_factory=Turns)

    def keys(self, thread_id: str) -> tuple[bytes, ...]:
        """Return every key of a thread but its lease, in the order that scripts want."""
        return thread_keys(self.database.prefix, thread_id)

    def call(
        self, thread_id: str, script: Script, args: Sequence[Argument], *, is_repeatable: bool = True
    ) -> Flow[Any]:
        """Run a script on the keys of a thread.

        Raises:
            IntegrityError: What is stored of the thread itself is damaged.
            StorageError: Redis failed.
        """
        try:
            return (yield from self.database.call(script, self.keys(thread_id), args, is_repeatable=is_repeatable))
        except IntegrityError as error:
            msg = f"thread {thread_id!r}: {error}"
            raise IntegrityError(msg) from error

    def lease_key(self, thread_id: str) -> bytes:
        """Return the key of a thread's lease."""
        return self.database.key(thread_id, "thread", "lease")


@lru_cache(MAX_KNOWN)
def thread_keys(prefix: str, thread_id: str) -> tuple[bytes, ...]:
    """Return every key of a thread but its lease."""
    return tuple(name_key(prefix, thread_id, "thread", part) for part in PARTS)

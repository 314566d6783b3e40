"""What every operation on threads in Redis needs: keys, the registry, the time, and what threads were last seen as."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoints.redis.registry import Registry
from langchain_agentmem.checkpoints.redis.rows import Known
from langchain_agentmem.checkpoints.seen import MAX_SEEN, Seen
from langchain_agentmem.checkpoints.turns import Turns
from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.redis.keys import name_key
from langchain_agentmem.redis.scripts import Script
from langchain_agentmem.redis.wire import Argument

PARTS: Final = ("meta", "items", "digests", "checkpoints", "writes")


def later(before: Known, known: Known) -> Known:
    """Return what a thread is, of two of its states: whoever comes late with an earlier one changes nothing."""
    is_later = before.generation != known.generation or before.revision <= known.revision
    return known if is_later else before


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """Where threads are."""

    database: RedisDatabase
    registry: Registry
    now: Callable[[], int]
    known: Seen[Known] = field(default_factory=lambda: Seen(later))
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


@lru_cache(MAX_SEEN)
def thread_keys(prefix: str, thread_id: str) -> tuple[bytes, ...]:
    """Return every key of a thread but its lease."""
    return tuple(name_key(prefix, thread_id, "thread", part) for part in PARTS)

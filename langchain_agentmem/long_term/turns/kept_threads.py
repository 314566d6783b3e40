"""Threads of LangGraph whose turns became episodes: these end with their thread, and with their messages."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, Protocol

from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import AgentMemError
from langchain_agentmem.jobs import Handler
from langchain_agentmem.ledger.base import Ledger, LedgerWriter
from langchain_agentmem.ledger.codec import EPOCH, from_micros, to_micros
from langchain_agentmem.ledger.sql.jobs import Job
from langchain_agentmem.long_term.turns.episode_flows import EpisodeFlows
from langchain_agentmem.policies.sensitive_records import holder_of
from langchain_agentmem.types import Scope

if TYPE_CHECKING:  # a process without threads loads nothing for them
    from langchain_agentmem.policies.sensitive import Layer
    from langchain_agentmem.types.scope import Owner

THREAD_JOB: Final = "thread"
"""Looks whether a thread, or messages of it, are gone: a checkpointer may drop a thread without a word."""

DELETED: Final = "the thread was deleted, or has expired"
TAKEN_OUT: Final = "messages were taken out of the thread"

LOOKS_PER_LIFE: Final = 4
"""A thread in use is looked after so often in the time that it lives: what expired is gone a quarter of it later."""

MIN_SPAN: Final = timedelta(minutes=1)
"""Between two looks at least."""

LOOK_AGAIN: Final = timedelta(minutes=10)
"""Longer than a run takes that was on its way as its thread was deleted."""

AFTER_HOLD: Final = timedelta(days=1)
"""Between two looks at a thread whose user is under a legal hold."""

MAX_NOTED: Final = 10_000
"""Threads remembered as noted, at about 200 bytes each; what is forgotten is noted once more, which changes nothing."""

_KEY_BYTES: Final = 16
LOGGER: Final = logging.getLogger("langchain_agentmem")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What is followed, and in what it differs from whatever else is.

    Attributes:
        job: Kind of the jobs that look.
        reason: Why that ends which was copied of it.
        layer: In which the values of its tokens are held.
        is_prolonged: Reading may prolong its life, and nobody says so: each look leads to another one.
    """

    job: str
    reason: str
    layer: Layer
    is_prolonged: bool = False


THREADS: Final = Kept(job=THREAD_JOB, reason=DELETED, layer="threads")
"""Each use of a thread notes it anew."""


class Saver(Protocol):
    """Knows threads."""

    def owner(self, thread_id: str) -> Flow[Owner | None]:
        """Return whose a thread is; `None`: nobody's, or it is not there."""
        ...

    def message_ids(self, thread_id: str) -> Flow[set[str]]:
        """Return the ids of messages that at least one checkpoint of a thread holds."""
        ...


class KeptThreads:
    """Follows the threads of a memory's own checkpointer, as a `Follower`.

    Words go first and the thread after them: whatever fails in between leaves a thread to be deleted once more. What
    expires is found by a job that was queued while the thread was in use, on whatever database it stands.

    Args:
        episodes: Of the same memory.
        ledger: Where jobs are queued.
        ttl: How long a thread lives after its last use; `None`: none expires.
        clock: Gives the time, aware UTC.
        kept: What is followed in this way, where that is no thread.
    """

    def __init__(
        self,
        episodes: EpisodeFlows,
        ledger: Ledger,
        ttl: timedelta | None,
        clock: Callable[[], datetime],
        kept: Kept = THREADS,
    ) -> None:
        """Nothing is noted yet."""
        self._episodes = episodes
        self._ledger = ledger
        self._clock = clock
        self._ttl = ttl
        self._kept = kept
        self._span = max((ttl or MIN_SPAN) / LOOKS_PER_LIFE, MIN_SPAN)
        self._noted: dict[tuple[str, Owner], datetime] = {}

    def has_any(self, owner: Owner) -> Flow[bool]:
        """Whether the user has episodes, turns that wait to become some, states of tasks, or values behind tokens."""
        if (yield from self._episodes.has_any(_scope(owner))):
            return True
        return (yield from self._ledger.read(_scope(owner), lambda reader: reader.has_tokens))

    def used(self, thread_id: str, owner: Owner, expires_at: int) -> Flow[None]:
        """Queue a look at the thread for when it will have expired, once for each span of time, whoever uses it."""
        due = _after(from_micros(expires_at) or EPOCH, self._span)
        if self._noted.get((thread_id, owner)) == due:
            return
        try:
            if (yield from self.has_any(owner)):
                yield from self._queue(thread_id, owner, due)
                self._note(thread_id, owner, due)
        except AgentMemError as error:  # the thread is another database's, perhaps, and its run goes on
            LOGGER.warning(
                "the end of a %s is not noted, its next use tries again: %s", self._kept.job, type(error).__name__
            )

    def prolonged(self, thread_id: str, owner: Owner) -> Flow[None]:
        """Queue a look at a thread that is used now, for when it will have expired; none, if it never will."""
        if self._ttl is not None:
            yield from self.used(thread_id, owner, to_micros(self._clock() + self._ttl) or 0)

    def end(self, thread_id: str, owner: Owner) -> Flow[None]:
        """Take out what was copied of its turns, and look once more for what a run on its way leaves after that."""
        yield from self.expect(thread_id, owner, frozenset())
        yield from self._end(_scope(owner, thread_id))

    def expect(self, thread_id: str, owner: Owner, message_ids: frozenset[str]) -> Flow[None]:
        """Queue a look at the thread."""
        yield from self._queue(thread_id, owner, self._clock() + LOOK_AGAIN, message_ids)

    def end_messages(self, thread_id: str, owner: Owner, message_ids: frozenset[str]) -> Flow[None]:
        """Take out the turns that consist of them."""
        yield from self._episodes.end_copies(_scope(owner, thread_id), TAKEN_OUT, message_ids)

    def handlers(self, saver: Callable[[Scope], Saver]) -> dict[str, Handler]:
        """Return what looks after threads that were noted.

        Args:
            saver: Gives what knows the threads of a user, made anew for each look.
        """
        return {self._kept.job: partial(self._look_after, saver)}

    def _look_after(self, saver: Callable[[Scope], Saver], job: Job) -> Flow[None]:
        """Let go of a thread that is not there any more, or another user's; one that lives has a later job."""
        if job.scope is None:
            return
        if (yield from self._ledger.read(job.scope, lambda reader: reader.head.is_held)):
            yield from self._look_later(job.scope, job)
            return
        thread_id, threads = job.payload["session"], saver(job.scope)
        scope = replace(job.scope, session_id=thread_id)
        owner = yield from threads.owner(thread_id)
        if owner is None or owner != (scope.tenant_id, scope.user_id):
            yield from self._end(scope)
            return
        if self._kept.is_prolonged:
            yield from self.prolonged(thread_id, owner)
        expected = yield from self._ledger.read(job.scope, lambda reader: reader.unsealed(job.payload))
        ids = frozenset(json.loads(expected))
        if ids and (gone := ids - (yield from threads.message_ids(thread_id))):
            yield from self._episodes.end_copies(scope, TAKEN_OUT, gone)

    def _end(self, scope: Scope) -> Flow[None]:
        """Let go of a thread: what was copied of it, the state of its task, and the values of its tokens."""
        yield from self._episodes.end_copies(scope, self._kept.reason)
        yield from self._episodes.end_task(scope)
        held = holder_of(scope, self._kept.layer)
        yield from self._ledger.append(scope, lambda writer: writer.sensitive.drop(held))

    def _look_later(self, scope: Scope, job: Job) -> Flow[None]:
        """Look again when a legal hold may be over: until then nothing is let go of."""
        payload = {name: value for name, value in job.payload.items() if name != "key"}
        due = self._clock() + AFTER_HOLD
        yield from self._ledger.append(scope, lambda writer: writer.enqueue(self._kept.job, payload, due))

    def _queue(
        self, thread_id: str, owner: Owner, due: datetime, message_ids: frozenset[str] = frozenset()
    ) -> Flow[None]:
        words = json.dumps(sorted(message_ids)).encode()
        key = blake2b(f"{thread_id}\x00{due.isoformat()}".encode(), digest_size=_KEY_BYTES).hexdigest()

        def queue(writer: LedgerWriter) -> int:
            return writer.enqueue(self._kept.job, {"session": thread_id}, due, words, key=key)

        yield from self._ledger.append(_scope(owner), queue)

    def _note(self, thread_id: str, owner: Owner, due: datetime) -> None:
        if len(self._noted) >= MAX_NOTED:
            self._noted.clear()
        self._noted[thread_id, owner] = due


def _scope(owner: Owner, thread_id: str | None = None) -> Scope:
    return Scope(owner.user_id, tenant_id=owner.tenant_id, session_id=thread_id)


def _after(moment: datetime, span: timedelta) -> datetime:
    """Return the first whole span of time after a moment: all who use a thread within one name the same."""
    return EPOCH + span * ((moment - EPOCH) // span + 1)

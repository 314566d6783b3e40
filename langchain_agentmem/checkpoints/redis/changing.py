"""Changes of a thread in Redis: build on what it was last known to be, apply if it still is."""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from langchain_agentmem._flow import Flow, step
from langchain_agentmem.checkpoints.base import Change, Draft, ThreadState
from langchain_agentmem.checkpoints.redis import rows
from langchain_agentmem.checkpoints.redis.registry import Index, Registered, horizon_of
from langchain_agentmem.checkpoints.redis.relaxing import relax
from langchain_agentmem.checkpoints.redis.rows import Known, known
from langchain_agentmem.checkpoints.redis.scripts import CHANGE, STATE
from langchain_agentmem.checkpoints.redis.thread import Backend
from langchain_agentmem.errors import StorageError
from langchain_agentmem.redis.database import milliseconds
from langchain_agentmem.redis.wire import Argument
from langchain_agentmem.types.scope import Owner
from langchain_agentmem.vault.base import FINGERPRINT_BYTES

MAX_TURNS: Final = 200
"""Of those who change one thread at once, one succeeds in each turn: enough for two hundred writers."""
MAX_PAUSE_S: Final = 0.05
_FREE_TURNS: Final = 2
"""Turns without a pause: two writers meet now and then, many of them have to spread."""
MAX_NAMES: Final = 64
"""Heads and labels of one thread that are remembered."""
_DONE: Final = 1
_UNREGISTERED: Final = 2
_GENERATION_BITS: Final = 62


class Changing:
    """One change on its way into a thread."""

    def __init__(self, backend: Backend, thread_id: str, draft: Draft, *, at: int, expires_at: int | None) -> None:
        """Nothing is read yet."""
        self._backend = backend
        self._thread_id = thread_id
        self._draft = draft
        self._at = at
        self._expires_at = expires_at
        self._names = list(dict.fromkeys(draft.namespaces()))
        self._keys = backend.keys(thread_id)
        self._token = secrets.token_bytes(8)
        self._generation = secrets.randbits(_GENERATION_BITS) + 1
        self._registered = Registered()
        self._entered: set[Index] = set()

    def run(self) -> Flow[ThreadState]:
        """Apply the change, however often it has to be built, and return the state after it.

        Raises:
            StorageError: Others kept changing the thread (retryable), or Redis failed.
            Exception: Whatever the draft says of the thread as it is.
        """
        turns = self._backend.turns
        has_turn = yield from turns.wait(self._thread_id)
        try:
            return (yield from self._run())
        except Exception:
            self._backend.known.drop(self._thread_id)
            raise
        finally:
            if has_turn:
                turns.end(self._thread_id)

    def _run(self) -> Flow[ThreadState]:
        seen, has_doubted = self._backend.known.get(self._thread_id), False
        for turn in range(MAX_TURNS):
            is_guess = turn == 0 and seen is not None and seen.heads.keys() >= set(self._names)
            if seen is None or (turn == 0 and not is_guess):
                seen = yield from self._look()
            try:
                change = yield from self._build(seen)
            except Exception:
                if has_doubted:
                    raise
                seen, has_doubted = None, True  # the draft may say otherwise of what the thread is by now
                continue
            yield from self._register_new(seen, change)
            reply = yield from self._apply(seen, change)
            if reply[0] == _DONE:
                yield from self._confirm()
                state = self._done(seen, change, reply[1])
                yield from relax(self._backend, self._thread_id, seen.horizon, self._expires_at)
                return state
            seen = yield from self._learn(seen, change, reply)
            yield from _pause(turn)
        msg = f"thread {self._thread_id!r} was changed by others {MAX_TURNS} times in between; repeat the call"
        raise StorageError(msg, is_retryable=True)

    def _look(self) -> Flow[Known]:
        reply = yield from self._backend.call(self._thread_id, STATE, [self._at, *self._names])
        return known(self._thread_id, reply, self._names)

    def _build(self, seen: Known) -> Flow[Change]:
        state = seen.state(self._names)
        since = self._draft.since(state)
        if since >= state.next_no:
            return self._draft.build(state, ())
        if not seen.first <= since < seen.first + len(seen.digests) // FINGERPRINT_BYTES:
            first, last = ((no - 1) * FINGERPRINT_BYTES for no in (since, state.next_no))
            [digests] = yield from self._backend.database.read(("GETRANGE", self._keys[2], first, last - 1))
            seen = replace(seen, first=since, digests=digests)
        digests = seen.digests[(since - seen.first) * FINGERPRINT_BYTES :]
        return self._draft.build(state, rows.unpack_digests(digests, since))

    def _apply(self, seen: Known, change: Change) -> Flow[Any]:
        ends = "" if self._expires_at is None else milliseconds(self._expires_at)
        registered = self._registered if self._registered.is_fresh() else Registered()
        arguments: list[Argument] = [
            *(self._at, "" if self._expires_at is None else self._expires_at, ends, self._token),
            *(seen.generation, seen.next_no, rows.pack_owner(seen.owner)),
            *(self._generation, seen.next_no + len(change.items), rows.pack_owner(change.owner)),
            *(int(change.replaces), registered.horizon, registered.labels, seen.next_no),
            *_rows_of(change, [(ns, seen.heads.get(ns)) for ns in self._names]),
        ]
        return (yield from self._backend.call(self._thread_id, CHANGE, arguments))

    def _learn(self, seen: Known, change: Change, reply: Any) -> Flow[Known]:  # noqa: ANN401  (a script's)
        """Take from a refusal what the thread is, or register it as the refusal asks for."""
        if reply[0] == _UNREGISTERED:
            labels = frozenset(reply[2])
            owner = seen.owner or change.owner
            every = labels | change.labels
            yield from self._register(
                owner, every, reply[1].decode(), count=len(labels), has_begun=bool(seen.generation)
            )
            return seen
        found = known(self._thread_id, reply[1], self._names)
        if found.generation != seen.generation:
            self._registered, self._entered = Registered(), set()
            return found
        return replace(found, first=seen.next_no, digests=reply[2], labels=seen.labels)

    def _done(self, seen: Known, change: Change, revision: int) -> ThreadState:
        heads = {**seen.heads, **change.heads}
        if len(heads) > MAX_NAMES:
            heads = {ns: heads[ns] for ns in {*self._names, *change.heads}}
        labels = seen.labels | change.labels
        now = replace(
            seen,
            generation=seen.generation or self._generation,
            next_no=seen.next_no + len(change.items),
            owner=seen.owner or change.owner,
            horizon=self._registered.horizon or seen.horizon,
            heads=heads,
            revision=revision,
            labels=labels if len(labels) <= MAX_NAMES else change.labels,
            first=1,
            digests=b"",
        )
        self._backend.known.put(self._thread_id, now)
        return now.state({*self._names, *change.heads})

    # ----------------------------------------------------------------------------------------------------- registry
    def _register_new(self, seen: Known, change: Change) -> Flow[None]:
        """Register what is known to be new before Redis has to ask for it."""
        owner = change.owner if seen.owner is None else None
        labels = change.labels - seen.labels
        if seen.generation == 0:
            yield from self._register(owner, change.labels, "", count=0, has_begun=False)
        elif owner is not None or labels:
            yield from self._register(owner, labels, seen.horizon, count=-1, has_begun=True)

    def _register(
        self, owner: Owner | None, labels: frozenset[bytes], kept_until: str, *, count: int, has_begun: bool
    ) -> Flow[None]:
        """Register the thread where it is not yet; what was registered stays good for this change."""
        if not self._registered.is_fresh() or count > self._registered.labels:
            self._entered = set()
        indexes = set(self._backend.registry.of_thread(owner, labels)) - self._entered
        if not indexes:
            return
        horizon = horizon_of(self._expires_at, self._at, kept_until)
        register = self._backend.registry.register
        self._registered = yield from register(
            self._thread_id, sorted(indexes), horizon, labels=count, has_begun=has_begun
        )
        self._entered |= indexes

    def _confirm(self) -> Flow[None]:
        if self._registered.nonce:
            yield from self._backend.registry.confirm(self._thread_id, sorted(self._entered), self._registered)


def _rows_of(change: Change, heads: list[tuple[str, str | None]]) -> Iterator[Argument]:
    """Return what the script takes after its fixed arguments: digests, counts, and the rows."""
    yield rows.pack_digests(change.items)
    yield from (len(heads), len(change.labels), len(change.heads), len(change.checkpoints), len(change.writes))
    for ns, seen in heads:
        yield from (ns, rows.pack_optional(seen))
    yield from sorted(change.labels)
    for ns, head in change.heads.items():
        yield from (ns, rows.pack_optional(head))
    for checkpoint in change.checkpoints:
        yield from (rows.checkpoint_key(checkpoint.ns, checkpoint.id), rows.checkpoint_rest(checkpoint))
    for write in change.writes:
        yield from (rows.write_key(write), rows.write_rest(write))
    for item in change.items:
        yield from (item.no, item.sealed)


def _pause(turn: int) -> Flow[None]:
    """Let others go first, for a random while that grows."""
    if turn >= _FREE_TURNS:
        seconds = random.uniform(0, min(0.001 * 2**turn, MAX_PAUSE_S))  # noqa: S311  (no secret)
        yield from step(time.sleep, asyncio.sleep, seconds)

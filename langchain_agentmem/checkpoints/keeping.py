"""What happens to whole threads: pruning, deleting, copying, rolling back, binding, leasing, sweeping."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple, cast
from uuid import uuid4

from langchain_agentmem._flow import Flow, step
from langchain_agentmem.checkpoints.base import Plan, Removal
from langchain_agentmem.checkpoints.copying import CopyDraft, Reading
from langchain_agentmem.checkpoints.damaged import each_thread
from langchain_agentmem.checkpoints.drafts import ThreadDraft
from langchain_agentmem.checkpoints.following import said_in_any
from langchain_agentmem.checkpoints.gathering import MissingItemsError
from langchain_agentmem.checkpoints.labels import label_of_writes, labels_of
from langchain_agentmem.checkpoints.lookups import Listing
from langchain_agentmem.checkpoints.plans import ORPHAN_GRACE, Forget, Keeping, Prune, Sweep
from langchain_agentmem.checkpoints.refs import mark_of
from langchain_agentmem.checkpoints.rewording import Reword, Wording
from langchain_agentmem.checkpoints.sealing import Seal
from langchain_agentmem.checkpoints.setting import Address, Setting
from langchain_agentmem.checkpoints.writing import apply
from langchain_agentmem.errors import ConflictError, IntegrityError, StorageError
from langchain_agentmem.ledger.codec import to_micros
from langchain_agentmem.types.scope import Owner
from langchain_agentmem.vault.base import NullCipher, NullVault

LOGGER: Final = logging.getLogger("langchain_agentmem")
_TRIES: Final = 5
_PAGE: Final = 100
_GIVEN_UP: Final = (asyncio.CancelledError, KeyboardInterrupt)
_FIRST_PAUSE_S: Final = 0.01
_LONGEST_PAUSE_S: Final = 0.5
"""Who waits for a lease asks again after ten milliseconds, and later twice a second."""


# ------------------------------------------------------------------------------------------------------------- removing
def prune(setting: Setting, thread_ids: Sequence[str], keeping: Keeping) -> Flow[None]:
    """Remove old checkpoints of threads, each thread at once or not at all."""
    yield from each_thread(
        thread_ids, lambda it: _remove_said(setting, it, lambda seal: Prune(seal, setting.codec, keeping))
    )


def delete(setting: Setting, thread_ids: Sequence[str], *, with_lease: bool = False) -> Flow[None]:
    """Remove whole threads, and first what is kept of them elsewhere: no word outlives its thread.

    A lease stays until it is given back or ends, unless nothing may tell of the threads.
    """
    yield from each_thread(thread_ids, lambda it: _delete(setting, it, with_lease=with_lease))


def _delete(setting: Setting, thread_id: str, *, with_lease: bool) -> Flow[None]:
    followed = yield from setting.followed(thread_id)
    if followed is not None:
        follower, owner = followed
        yield from follower.end(thread_id, owner)
    setting.cache.delete(thread_id)
    yield from setting.threads.delete(thread_id, with_lease=with_lease)


def delete_for_runs(setting: Setting, run_ids: frozenset[str]) -> Flow[None]:
    """Remove what some runs have put, in all threads."""
    found: set[str] = set()
    fingerprint = NullCipher().fingerprint
    for run_id in run_ids:
        for labels in (labels_of({"run_id": run_id}, fingerprint), {label_of_writes(mark_of(run_id), fingerprint)}):
            found |= set((yield from thread_ids(setting, frozenset(labels))))
    yield from each_thread(
        sorted(found), lambda it: _remove_said(setting, it, lambda seal: Forget(seal, setting.codec, run_ids))
    )


class Swept(NamedTuple):
    """What a sweep removed.

    Attributes:
        threads: Expired threads.
        items: Pieces of content that nothing referred to.
        damaged: Threads that could not be read, and in which nothing was removed.
    """

    threads: int
    items: int
    damaged: tuple[str, ...] = ()


def sweep(setting: Setting, used_since: datetime | None) -> Flow[Swept]:
    """Remove expired threads, and what is left behind in the others."""
    expired = yield from _sweep_expired(setting)
    items, damaged, now = 0, list[str](), setting.clock()
    since = 0 if used_since is None else to_micros(used_since - ORPHAN_GRACE) or 0
    for thread_id in (yield from thread_ids(setting, since=since)):
        try:
            removal = yield from _remove(setting, thread_id, lambda seal: Sweep(seal, setting.codec, now))
        except IntegrityError:
            damaged.append(thread_id)
        else:
            items += 0 if removal is None else sum(map(len, removal.items))
    if damaged:
        LOGGER.warning("%s threads are damaged and were not swept, the first is %r", len(damaged), damaged[0])
    return Swept(expired, items, tuple(damaged))


def _sweep_expired(setting: Setting) -> Flow[int]:
    at, threads = setting.now(), 0
    while expired := (yield from setting.threads.expired(at=at, limit=_PAGE)):
        for thread_id in expired:
            setting.cache.delete(thread_id)
            yield from setting.threads.delete(thread_id, expired_by=at)
        threads += len(expired)
    return threads


def thread_ids(setting: Setting, labels: frozenset[bytes] = frozenset(), *, since: int = 0) -> Flow[list[str]]:
    """Return threads that have some labels and were changed since; under a vault nobody can ask for labels."""
    found: list[str] = []
    asked = labels if isinstance(setting.vault, NullVault) else frozenset()
    while True:
        after = found[-1] if found else None
        page = yield from setting.threads.threads(labels=asked, used_since=since, after=after, limit=_PAGE)
        found += [row.thread_id for row in page]
        if len(page) < _PAGE:
            return found


def _remove_said(setting: Setting, thread_id: str, plan: Callable[[Seal], Plan]) -> Flow[None]:
    """Remove what a plan says, and then what is kept elsewhere of messages that no checkpoint holds any more."""
    followed = yield from setting.followed(thread_id)
    if followed is None:
        yield from _remove(setting, thread_id, plan)
        return
    follower, owner = followed
    said = yield from message_ids(setting, thread_id)
    yield from follower.expect(thread_id, owner, frozenset(said))
    yield from _remove(setting, thread_id, plan)
    if gone := frozenset(said - (yield from message_ids(setting, thread_id))):
        yield from follower.end_messages(thread_id, owner, gone)


def message_ids(setting: Setting, thread_id: str) -> Flow[set[str]]:
    """Return the ids of messages that at least one checkpoint of a thread holds."""
    everything = Address(thread_id, sees_pruned=True)  # a state may be rebuilt from what a pruned one holds
    pages = Listing(setting=setting, address=everything, wanted={}, before=None, limit=None)
    ids: set[str] = set()
    while not pages.is_done:
        page = yield from pages.next_page()
        ids |= said_in_any(it.checkpoint["channel_values"] for it in page)
    return ids


def reword(setting: Setting, thread_id: str, wording: Wording, *, is_dry: bool) -> Flow[bool]:
    """Let a wording look at all that a thread says, and put what it says in its place; return whether it did."""
    changed = yield from _remove(setting, thread_id, lambda seal: Reword(seal, setting.codec, wording, is_dry=is_dry))
    setting.cache.forget(thread_id)
    return changed is not None


def _remove(setting: Setting, thread_id: str, plan: Callable[[Seal], Plan]) -> Flow[Removal | None]:
    seal = yield from setting.seal_if_owned(thread_id)
    if seal is None:
        return None
    setting.cache.forget(thread_id)
    return (yield from _apply_plan(setting, thread_id, plan(seal)))


def _apply_plan(setting: Setting, thread_id: str, plan: Plan) -> Flow[Removal | None]:
    """Apply a plan to a state of which nothing is removed meanwhile, so that what is missing is lost."""
    try:
        return (yield from setting.threads.remove(thread_id, plan))
    except MissingItemsError as error:
        raise IntegrityError(str(error)) from error


# -------------------------------------------------------------------------------------------------------------- copying
def copy_thread(setting: Setting, source_id: str, target_id: str) -> Flow[None]:
    """Copy a thread whole, in one change; a thread that is not there is copied as nothing.

    Raises:
        ConfigurationError: The target is there already.
    """
    seal = yield from setting.seal_if_owned(source_id)
    if seal is None:
        return
    source = Reading(seal, setting.codec)
    if (yield from _apply_plan(setting, source_id, source)) is None:
        return
    owner = source.stock.state.owner
    sealed = yield from setting.seal(target_id, owner)
    known = setting.cache.of(target_id)
    yield from apply(setting, CopyDraft(seal=sealed, known=known, user=owner, source=source, codec=setting.codec))


# --------------------------------------------------------------------------------------------------------------- owners
def bind(setting: Setting, thread_id: str, owner: Owner) -> Flow[None]:
    """Say whose a thread is; the thread may yet begin.

    Raises:
        ScopeError: It is another user's already.
    """
    seal = yield from setting.seal(thread_id, owner)
    yield from apply(setting, ThreadDraft(seal=seal, known=setting.cache.of(thread_id), user=owner))


class ThreadInfo(NamedTuple):
    """A thread in a listing.

    Attributes:
        last_used_at: When something was last written to it.
        expires_at: From then on it is as if it had never been; `None`: never.
    """

    thread_id: str
    tenant_id: str | None
    user_id: str | None
    created_at: datetime
    last_used_at: datetime
    expires_at: datetime | None


# --------------------------------------------------------------------------------------------------------------- leases
class LeaseRequest(NamedTuple):
    """Who wants a thread for how long.

    Attributes:
        ttl: When the lease ends by itself.
        timeout: How long to wait for it.
    """

    thread_id: str
    ttl: timedelta
    timeout: timedelta
    holder: str


def lease_request(thread_id: str, ttl: timedelta, timeout: timedelta) -> LeaseRequest:
    """Return a request of a holder of its own."""
    return LeaseRequest(thread_id, ttl, timeout, str(uuid4()))


def take_lease(setting: Setting, request: LeaseRequest) -> Flow[None]:
    """Wait until the thread is free, and take it; who gives up while the answer is on its way leaves no lease behind.

    Raises:
        ConflictError: Someone else held it all the time (retryable).
    """
    try:
        yield from _wait_for_lease(setting, request)
    except ConflictError:
        raise
    except (Exception, *_GIVEN_UP):
        with contextlib.suppress(StorageError):  # then it ends by itself
            yield from end_lease(setting, request)
        raise


def end_lease(setting: Setting, request: LeaseRequest) -> Flow[None]:
    """Give the thread back, if it is still held; also where the caller is cancelled meanwhile."""
    try:
        yield from setting.threads.release(request.thread_id, request.holder)
    except _GIVEN_UP:
        yield from setting.threads.release(request.thread_id, request.holder)
        raise


def _wait_for_lease(setting: Setting, request: LeaseRequest) -> Flow[None]:
    deadline, pause = time.monotonic() + request.timeout.total_seconds(), _FIRST_PAUSE_S
    while not (yield from _try_lease(setting, request)):
        left = deadline - time.monotonic()
        if left <= 0:
            msg = (
                f"thread {request.thread_id!r} is leased to someone else for longer than {request.timeout}; retry, or "
                "pass a longer timeout"
            )
            raise ConflictError(msg, is_retryable=True)
        yield from step(time.sleep, asyncio.sleep, min(pause, left))
        pause = min(2 * pause, _LONGEST_PAUSE_S)


def _try_lease(setting: Setting, request: LeaseRequest) -> Flow[bool]:
    now = setting.clock()
    at, until = to_micros(now), to_micros(now + request.ttl)
    return (
        yield from setting.threads.lease(
            request.thread_id, request.holder, at=cast("int", at), until=cast("int", until)
        )
    )

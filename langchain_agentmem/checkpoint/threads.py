"""What our checkpointers do with threads beyond what LangGraph asks of them; each method in both colours."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime, timedelta
from typing import Any, Final

from langchain_core.runnables import RunnableConfig

from langchain_agentmem._checks import check_time
from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.checkpoint.arguments import check_span, owner_of, read_keeping, threads_of
from langchain_agentmem.checkpoints import keeping
from langchain_agentmem.checkpoints.base import ThreadRow
from langchain_agentmem.checkpoints.keeping import LeaseRequest, Swept, ThreadInfo
from langchain_agentmem.checkpoints.lookups import CheckpointInfo, HistoryQuery, history
from langchain_agentmem.checkpoints.rewinding import rollback
from langchain_agentmem.checkpoints.setting import Address, Setting, check_thread, check_word
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.ledger.codec import EPOCH, from_micros
from langchain_agentmem.types import Scope
from langchain_agentmem.types.paging import DEFAULT_LIMIT, Order, Page, check_limit

_THREADS: Final = Order("checkpointer.threads", (str,))
DEFAULT_LEASE: Final = timedelta(minutes=5)
DEFAULT_WAIT: Final = timedelta(seconds=30)
SHORTEST: Final = timedelta(milliseconds=1)


class ThreadMethods:
    """Threads with owners, histories, leases and an end."""

    _setting: Setting

    # ---------------------------------------------------------------------------------------------------------- owners
    def bind(self, thread_id: str, *, scope: Scope) -> None:
        """Say whose a thread is, before it begins or later; a run that names another user is then refused.

        A run that names its user binds its thread by itself.

        Raises:
            ScopeError: It is another user's already, or an id is malformed.
            ConfigurationError: The scope names no user.
            StorageError: The database failed.
        """
        run(self._bind(thread_id, scope))

    async def abind(self, thread_id: str, *, scope: Scope) -> None:
        """Say whose a thread is; see `bind`."""
        await arun(self._bind(thread_id, scope))

    def threads(
        self, scope: Scope | None = None, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None
    ) -> Page[ThreadInfo]:
        """Return threads in the order of their ids.

        Args:
            scope: Only this user's; `None`: all, also those of nobody.
            limit: At most so many, up to 1,000.
            cursor: Of the page before.

        Raises:
            ConfigurationError: An argument cannot be understood.
            StorageError: The database failed.
        """
        return run(self._threads(scope, limit, cursor))

    async def athreads(
        self, scope: Scope | None = None, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None
    ) -> Page[ThreadInfo]:
        """Return threads in the order of their ids; see `threads`."""
        return await arun(self._threads(scope, limit, cursor))

    # --------------------------------------------------------------------------------------------------------- history
    def history(
        self, thread_id: str, *, ns: str | None = "", limit: int = DEFAULT_LIMIT, cursor: str | None = None
    ) -> Page[CheckpointInfo]:
        """Return a thread's checkpoints, newest first, without decoding what they hold.

        Args:
            thread_id: Which thread.
            ns: Of the graph itself, or of a subgraph; `None`: all.
            limit: At most so many, up to 1,000.
            cursor: Of the page before.

        Raises:
            ScopeError: The thread id is malformed.
            ConfigurationError: Another argument cannot be understood.
            StorageError: The database failed, or a checkpoint is damaged.
        """
        return run(self._history(thread_id, ns, limit, cursor))

    async def ahistory(
        self, thread_id: str, *, ns: str | None = "", limit: int = DEFAULT_LIMIT, cursor: str | None = None
    ) -> Page[CheckpointInfo]:
        """Return a thread's checkpoints, newest first; see `history`."""
        return await arun(self._history(thread_id, ns, limit, cursor))

    def rollback(self, thread_id: str, checkpoint_id: str, *, ns: str = "") -> RunnableConfig:
        """Let the next run go on from an old checkpoint; what came after it stays in the history.

        A copy of the checkpoint, without what tasks wrote on top of it, becomes the head. Subgraphs with a memory of
        their own (`checkpointer=True`) go back to what they remembered then, likewise by copies; one that had not run
        begins anew.

        Returns:
            The config of the new head.

        Raises:
            NotFoundError: The thread has no such checkpoint.
            ScopeError: The thread id is malformed.
            StorageError: The database failed; nothing was changed.
        """
        return run(self._rollback(thread_id, checkpoint_id, ns))

    async def arollback(self, thread_id: str, checkpoint_id: str, *, ns: str = "") -> RunnableConfig:
        """Let the next run go on from an old checkpoint; see `rollback`."""
        return await arun(self._rollback(thread_id, checkpoint_id, ns))

    # --------------------------------------------------------------------------------------------------------- pruning
    def prune(
        self,
        thread_ids: Sequence[str],
        *,
        strategy: str = "keep_latest",
        keep_last: int = 1,
        older_than: timedelta | datetime | None = None,
        keep_tagged: Mapping[str, Any] | None = None,
    ) -> None:
        """Delete old checkpoints of threads, and the content that no other refers to.

        What a kept one needs to rebuild a `DeltaChannel` stays stored for that alone, until nothing needs it: nobody is
        told of it, and no run goes back to it. One whose parent goes has none. What a task's subgraph stored goes with
        the checkpoint its task ran on. A run on the latest one is not disturbed.

        Args:
            thread_ids: Which threads.
            strategy: `keep_latest`, or `delete` for whole threads.
            keep_last: How many of each namespace are kept.
            older_than: Only what is older is deleted: a time, or a length of time until now.
            keep_tagged: What has all of this in its metadata stays too, however old, as `list(filter=…)` finds it: for
                example `{"label": "release"}` of runs whose config had it as `metadata`.

        Raises:
            ConfigurationError: `thread_ids` is no list, the strategy is unknown, or does not go with the others.
            ScopeError: A thread id is malformed.
            StorageError: The database failed, or a thread is damaged: all others are done then. Each thread is done as
                a whole or not at all.
        """
        run(self._prune(thread_ids, strategy, keep_last, older_than, keep_tagged))

    async def aprune(
        self,
        thread_ids: Sequence[str],
        *,
        strategy: str = "keep_latest",
        keep_last: int = 1,
        older_than: timedelta | datetime | None = None,
        keep_tagged: Mapping[str, Any] | None = None,
    ) -> None:
        """Delete old checkpoints of threads; see `prune`."""
        await arun(self._prune(thread_ids, strategy, keep_last, older_than, keep_tagged))

    # ---------------------------------------------------------------------------------------------------------- leases
    @contextmanager
    def lease(
        self, thread_id: str, *, ttl: timedelta = DEFAULT_LEASE, timeout: timedelta = DEFAULT_WAIT
    ) -> Iterator[None]:
        """Hold a thread while runs of it must not overlap; others who ask for it wait.

        A conflict shows when a run writes, and LangGraph's default durability writes after the nodes have run. Who must
        not run a node twice takes the lease first. It keeps nobody from writing who does not ask for it.

        Args:
            thread_id: Which thread.
            ttl: When the lease ends by itself, should this process die: longer than the run takes.
            timeout: How long to wait for it.

        Raises:
            ConflictError: Someone else held it all the time (retryable).
            ScopeError: The thread id is malformed.
            ConfigurationError: A time is too short.
            StorageError: The database failed.
        """
        request = _lease_request(thread_id, ttl, timeout)
        run(keeping.take_lease(self._setting, request))
        try:
            yield
        finally:
            run(keeping.end_lease(self._setting, request))

    @asynccontextmanager
    async def alease(
        self,
        thread_id: str,
        *,
        ttl: timedelta = DEFAULT_LEASE,
        timeout: timedelta = DEFAULT_WAIT,  # noqa: ASYNC109
    ) -> AsyncIterator[None]:
        """Hold a thread while runs of it must not overlap; see `lease`."""
        request = _lease_request(thread_id, ttl, timeout)
        await arun(keeping.take_lease(self._setting, request))
        try:
            yield
        finally:
            await arun(keeping.end_lease(self._setting, request))

    # ----------------------------------------------------------------------------------------------------------- sweep
    def sweep(self, *, used_since: datetime | None = None) -> Swept:
        """Remove expired threads, writes whose checkpoint never came, and content that nothing refers to.

        Nothing that can be read changes. Call it now and then; LangGraph does not. A damaged thread stops no other.

        Args:
            used_since: When the last sweep began: what no run has changed since then is not looked at again; `None`:
                every thread is.

        Raises:
            StorageError: The database failed; what was removed until then stays removed.
            ConfigurationError: `used_since` is no time with a time zone.
        """
        return run(self._sweep(used_since))

    async def asweep(self, *, used_since: datetime | None = None) -> Swept:
        """Remove expired threads and what is left behind in others; see `sweep`."""
        return await arun(self._sweep(used_since))

    # ----------------------------------------------------------------------------------------------------------- flows
    def _sweep(self, used_since: datetime | None) -> Flow[Swept]:
        since = None if used_since is None else check_time("used_since", used_since)
        return (yield from keeping.sweep(self._setting, since))

    def _prune(
        self, thread_ids: object, strategy: object, keep_last: object, older_than: object, keep_tagged: object
    ) -> Flow[None]:
        ids = threads_of("thread_ids", thread_ids)
        kept = read_keeping(self._setting, strategy, keep_last, older_than, keep_tagged)
        if kept is None:
            yield from keeping.delete(self._setting, ids)
        else:
            yield from keeping.prune(self._setting, ids, kept)

    def _bind(self, thread_id: str, scope: Scope) -> Flow[None]:
        yield from keeping.bind(self._setting, check_thread(thread_id), owner_of(scope))

    def _threads(self, scope: Scope | None, limit: int, cursor: str | None) -> Flow[Page[ThreadInfo]]:
        owner = None if scope is None else owner_of(scope)
        (after,) = _THREADS.start(cursor) or (None,)
        rows = yield from self._setting.threads.threads(owner=owner, after=after, limit=check_limit(limit) + 1)
        return _THREADS.page(rows, limit, lambda it: (it.thread_id,)).each(_thread_info)

    def _history(self, thread_id: str, ns: str | None, limit: int, cursor: str | None) -> Flow[Page[CheckpointInfo]]:
        address = Address(check_thread(thread_id), None if ns is None else check_word("ns", ns))
        order = Order("checkpointer.history", (str, str), of=address.thread_id)
        query = HistoryQuery(address=address, limit=check_limit(limit) + 1, after=order.start(cursor))
        found = yield from history(self._setting, query)
        return order.page(found, limit, lambda it: (it.ns, it.id))

    def _rollback(self, thread_id: str, checkpoint_id: str, ns: str) -> Flow[RunnableConfig]:
        if not checkpoint_id:
            msg = "checkpoint_id is empty; history(thread_id) lists what there is"
            raise ConfigurationError(msg)
        place = check_word("ns", ns)
        address = Address(check_thread(thread_id), place, check_word("checkpoint_id", checkpoint_id))
        new_id = yield from rollback(self._setting, address)
        return {
            "configurable": {"thread_id": address.thread_id, "checkpoint_ns": place, "checkpoint_id": new_id},
        }


def _lease_request(thread_id: str, ttl: timedelta, timeout: timedelta) -> LeaseRequest:
    return keeping.lease_request(
        check_thread(thread_id),
        check_span("ttl", ttl, at_least=SHORTEST),
        check_span("timeout", timeout, at_least=timedelta()),
    )


def _thread_info(row: ThreadRow) -> ThreadInfo:
    return ThreadInfo(
        thread_id=row.thread_id,
        tenant_id=None if row.owner is None else row.owner.tenant_id,
        user_id=None if row.owner is None else row.owner.user_id,
        created_at=from_micros(row.created_at) or EPOCH,
        last_used_at=from_micros(row.last_used_at) or EPOCH,
        expires_at=from_micros(row.expires_at),
    )

"""Recorded runs as callers see them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple

from langchain_agentmem._checks import MAX_COUNT, check_count, check_instance, check_key
from langchain_agentmem._flow import Flow, arun, run, step
from langchain_agentmem.errors import ConfigurationError, NotFoundError
from langchain_agentmem.ledger.base import LedgerReader
from langchain_agentmem.ledger.runs import RunRow
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.runs.rebuilding import Comparison, RunState, compared, rebuilt, status_of
from langchain_agentmem.runs.recorder import RunRecorder
from langchain_agentmem.types import Scope
from langchain_agentmem.types.paging import DEFAULT_LIMIT, Order, Page, check_limit
from langchain_agentmem.types.runs import AgentRun, RunStep
from langchain_agentmem.types.scope import known_user

MAX_STEPS: Final = 10_000
"""Of a run that is rebuilt."""

_RUNS: Final = Order("runs.list", (datetime, str))


class AgentRuns:
    """What agents did for each user: thoughts, actions, observations and errors of every run that was recorded.

    Steps are sealed like memories, kept as long as receipts, and go with the user. Erasing a memory empties the steps
    that may say it. They are no part of the log's chain.

    Raises (every method): `ScopeError` for anything but the scope of a known user, `StorageError` when the database
    fails.
    """

    def __init__(self, parts: Parts, checkpointer: Callable[[], BaseCheckpointSaver[Any]]) -> None:
        """Compose; made by `AgentMemory`."""
        self._parts = parts
        self._checkpointer = checkpointer

    def recorder(self, scope: Scope | None = None) -> RunRecorder:
        """Return a callback handler that records runs; give it to a run as `config={"callbacks": [recorder]}`.

        Args:
            scope: Whose runs; `None`: the user of each run's config or context.
        """
        return RunRecorder(self._parts, None if scope is None else known_user(scope))

    def list(self, scope: Scope, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None) -> Page[AgentRun]:
        """Return runs, the one that began last first.

        Args:
            scope: Whose.
            limit: At most so many, up to 1,000.
            cursor: Of the page before.

        Raises:
            ConfigurationError: The limit or the cursor cannot be used.
        """
        return run(self._list(scope, limit, cursor))

    async def alist(self, scope: Scope, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None) -> Page[AgentRun]:
        """Return runs; see `list`."""
        return await arun(self._list(scope, limit, cursor))

    def steps(
        self, run_id: str, *, scope: Scope, limit: int = DEFAULT_LIMIT, cursor: str | None = None
    ) -> Page[RunStep]:
        """Return what happened in a run, in order.

        Raises:
            NotFoundError: No such run was recorded in this scope.
            ConfigurationError: The limit or the cursor cannot be used.
        """
        return run(self._steps(run_id, scope, limit, cursor))

    async def asteps(
        self, run_id: str, *, scope: Scope, limit: int = DEFAULT_LIMIT, cursor: str | None = None
    ) -> Page[RunStep]:
        """Return what happened in a run; see `steps`."""
        return await arun(self._steps(run_id, scope, limit, cursor))

    def state(self, run_id: str, *, scope: Scope, at: int | None = None) -> RunState:
        """Return the state of a run, rebuilt from its steps: all of them, or those up to the step numbered `at`.

        Raises:
            NotFoundError: No such run was recorded in this scope.
        """
        return run(self._state(run_id, scope, at))

    async def astate(self, run_id: str, *, scope: Scope, at: int | None = None) -> RunState:
        """Return the state of a run; see `state`."""
        return await arun(self._state(run_id, scope, at))

    def compare(self, run_id: str, checkpoint: CheckpointTuple | None = None, *, scope: Scope) -> Comparison:
        """Hold the messages of a run against a checkpoint's: equal, or the differences named.

        Steps that were erased with a memory tell nothing: that they are there is a difference.

        Args:
            run_id: The run.
            checkpoint: As a checkpointer returns it; `None`: the newest of the run's thread, from this memory's.
            scope: Whose.

        Raises:
            NotFoundError: No such run was recorded in this scope, or its thread has no checkpoint.
            ConfigurationError: The run named no thread, or its first step was erased, and no checkpoint is given.
        """
        return run(self._compare(run_id, checkpoint, scope))

    async def acompare(self, run_id: str, checkpoint: CheckpointTuple | None = None, *, scope: Scope) -> Comparison:
        """Hold the messages of a run against a checkpoint's; see `compare`."""
        return await arun(self._compare(run_id, checkpoint, scope))

    # ----------------------------------------------------------------------------------------------------------- flows
    def _list(self, scope: Scope, limit: int, cursor: str | None) -> Flow[Page[AgentRun]]:
        known_user(scope)
        start, most = _RUNS.start(cursor), check_limit(limit) + 1
        after = None if start is None else (start[1], start[0])
        found = yield from self._parts.ledger.read(scope, lambda reader: reader.runs.rows(most, after))
        return _RUNS.page(found, limit, lambda it: (it.first.at, it.run_id)).each(_run_of)

    def _steps(self, run_id: str, scope: Scope, limit: int, cursor: str | None) -> Flow[Page[RunStep]]:
        order = Order("runs.steps", (int,), of=check_key("run_id", run_id))
        (after,) = order.start(cursor) or (0,)
        found = yield from self._behind(run_id, scope, after, check_limit(limit) + 1)
        return order.page(found, limit, lambda it: (it.no,))

    def _behind(self, run_id: str, scope: Scope, after: int = 0, limit: int = MAX_STEPS) -> Flow[tuple[RunStep, ...]]:
        known_user(scope)
        check_key("run_id", run_id)
        return (yield from self._parts.ledger.read(scope, lambda reader: _found(reader, run_id, after, limit)))

    def _state(self, run_id: str, scope: Scope, at: int | None) -> Flow[RunState]:
        last = MAX_STEPS if at is None else check_count("at", at, 1, MAX_COUNT)
        steps = yield from self._behind(run_id, scope)
        return rebuilt(run_id, [it for it in steps if it.no <= last])

    def _compare(self, run_id: str, checkpoint: CheckpointTuple | None, scope: Scope) -> Flow[Comparison]:
        steps = yield from self._behind(run_id, scope)
        if checkpoint is None:
            checkpoint = yield from self._newest(run_id, steps[0])
        values = check_instance("checkpoint", checkpoint, CheckpointTuple).checkpoint["channel_values"]
        return compared(rebuilt(run_id, steps), list(values.get("messages") or ()))

    def _newest(self, run_id: str, first: RunStep) -> Flow[CheckpointTuple]:
        thread_id = first.body.get("thread_id")
        if not thread_id:
            why = "has no thread any more: its first step was erased" if first.is_erased else "named no thread"
            msg = f"the run {run_id!r} {why}; pass the checkpoint to compare it with"
            raise ConfigurationError(msg)
        config: RunnableConfig = {"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}}
        saver = self._checkpointer()
        found = yield from step(saver.get_tuple, saver.aget_tuple, config)
        if found is None:
            msg = f"the thread of run {run_id!r} has no checkpoint; pass the one to compare it with"
            raise NotFoundError(msg)
        return found


def _found(reader: LedgerReader, run_id: str, after: int, limit: int) -> tuple[RunStep, ...]:
    steps = tuple(reader.runs.steps(run_id, after, limit))
    if not steps and (not after or not reader.runs.steps(run_id, 0, 1)):
        msg = f"no run {run_id!r} was recorded in this scope, or was kept long enough; the list of runs shows what is"
        raise NotFoundError(msg)
    return steps


def _run_of(row: RunRow) -> AgentRun:
    thread_id = row.first.body.get("thread_id")
    return AgentRun(
        id=row.run_id,
        began_at=row.first.at,
        last_at=row.last.at,
        status=status_of([row.last]),
        steps=row.count,
        lost=row.last.no - row.count,
        name=str(row.first.body.get("name") or ""),
        thread_id=None if thread_id is None else str(thread_id),
        agent_id=row.agent_id,
    )

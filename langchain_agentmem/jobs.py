"""Work that follows a write: run in order, retried, never lost with the process."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.errors import AgentMemError, ConfigurationError
from langchain_agentmem.ledger.sql.jobs import Job, SQLJobs

LOGGER: Final = logging.getLogger("langchain_agentmem")
BATCH: Final = 100
MAX_BATCH: Final = 1_000
"""Jobs leased at once at most: a lease is for as long as one job takes, not for a whole queue."""


Handler = Callable[[Job], Flow[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobReport:
    """What a run of the queue did."""

    done: int = 0
    failed: int = 0


class Jobs:
    """Runs the durable jobs of one database; any number of processes may do so at once.

    A process runs the kinds it has a handler for: jobs of an external index wait for a process that was opened with it.
    """

    def __init__(self, queue: SQLJobs, handlers: Mapping[str, Handler]) -> None:
        """Compose; `handlers` says who does which kind."""
        self._queue = queue
        self._handlers = handlers
        self._owner = uuid.uuid4().hex

    def run(self, *, limit: int = BATCH) -> JobReport:
        """Run due jobs until none is left, `limit` at a time.

        A job that fails is put back with a growing delay and its error; it stops no other.

        Raises:
            ConfigurationError: `limit` is below 1.
            StorageError: The queue itself cannot be read or written.
        """
        return run(self.run_flow(limit))

    async def arun(self, *, limit: int = BATCH) -> JobReport:
        """Run due jobs; see `run`."""
        return await arun(self.run_flow(limit))

    def counts(self) -> dict[str, int]:
        """Return how many jobs are queued, running and failed; what is done is gone."""
        return run(self._queue.counts())

    async def acounts(self) -> dict[str, int]:
        """Return how many jobs are in each status; see `counts`."""
        return await arun(self._queue.counts())

    def run_flow(self, limit: int = BATCH) -> Flow[JobReport]:
        """Run due jobs as part of another flow."""
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MAX_BATCH:
            msg = f"limit must be an int from 1 to {MAX_BATCH}, got {limit!r}"
            raise ConfigurationError(msg)
        done = failed = 0
        while claimed := (yield from self._queue.claim(self._owner, limit, tuple(self._handlers))):
            for job in claimed:
                is_done = yield from self._run_one(job)
                done, failed = done + is_done, failed + (not is_done)
        return JobReport(done=done, failed=failed)

    def _run_one(self, job: Job) -> Flow[bool]:
        try:
            yield from self._handlers[job.kind](job)
        except AgentMemError as error:
            LOGGER.warning("job %s (%s) failed at attempt %s", job.id, job.kind, job.attempts)
            yield from self._queue.fail(job, self._owner, f"{type(error).__name__}: {error}")
            return False
        yield from self._queue.finish(job, self._owner)
        return True

"""Work that follows a write: run in order, retried, never lost with the process."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_agentmem._flow import arun, run
from langchain_agentmem.jobs.flows import BATCH, JobFlows, JobReport
from langchain_agentmem.ledger.sql.job_states import JobState, JobStatus
from langchain_agentmem.types import Scope
from langchain_agentmem.types.paging import DEFAULT_LIMIT, Page


class Jobs:
    """Runs the durable jobs of one database; any number of processes may do so at once.

    A process runs the kinds it has a handler for: jobs of an external index wait for a process that was opened with it.
    """

    def __init__(self, flows: JobFlows) -> None:
        """Compose; made by `AgentMemory`."""
        self._flows = flows

    def run(self, *, limit: int = BATCH) -> JobReport:
        """Run due jobs until none is left, `limit` at a time, then conversations handed over, and then the rounds.

        A job that fails is put back with a growing delay and its error, of which only the name is kept where it is none
        of ours: it may quote what somebody said. It stops no other; after its last attempt it is given up, see `list`
        and `retry`. Attempts that meet something that is away do not count: such a job is `waiting`, is tried every two
        minutes, and at once when another one of its kind has found it. Where ten in a row meet that, the run leaves the
        rest of the kind for the next. A job is this worker's as long as it works on it, up to an hour.

        Once an hour, in whichever process comes first, expired conversations, threads and working states are removed,
        what is left behind in threads, and receipts and copies of conversations that were kept long enough, and expired
        items of the store.

        Raises:
            ConfigurationError: `limit` is below 1.
            StorageError: The queue itself cannot be read or written.
        """
        return run(self._flows.run(limit))

    async def arun(self, *, limit: int = BATCH) -> JobReport:
        """Run due jobs; see `run`. Cancelled, it gives back the jobs it held: they count as not begun."""
        return await arun(self._flows.run(limit))

    def counts(self) -> dict[str, int]:
        """Return how many jobs are in each status (see `JobState`); what is done is gone, a round to come is none."""
        return run(self._flows.counts())

    async def acounts(self) -> dict[str, int]:
        """Return how many jobs are in each status; see `counts`."""
        return await arun(self._flows.counts())

    def list(
        self,
        scope: Scope | None = None,
        *,
        status: JobStatus | None = None,
        limit: int = DEFAULT_LIMIT,
        cursor: str | None = None,
    ) -> Page[JobState]:
        """Return how jobs stand, the oldest first, without the words that they carry; a round to come is none.

        Args:
            scope: Of this user only.
            status: `failed`: those given up, with the reason; `waiting`: those that need what is away; `queued` ones
                may have failed before and come again.
            limit: Jobs at most, up to 1,000.
            cursor: Of the page before.

        Raises:
            ConfigurationError: There is no such status, or the limit or the cursor cannot be used.
            ScopeError: `scope` is no `Scope`.
        """
        return run(self._flows.list(status, scope, limit, cursor))

    async def alist(
        self,
        scope: Scope | None = None,
        *,
        status: JobStatus | None = None,
        limit: int = DEFAULT_LIMIT,
        cursor: str | None = None,
    ) -> Page[JobState]:
        """Return how jobs stand; see `list`."""
        return await arun(self._flows.list(status, scope, limit, cursor))

    def retry(self, job_ids: Sequence[int] | None = None) -> int:
        """Queue jobs again that were given up or are waiting, once their reason is mended; return how many.

        What its user said later may have been taken in meanwhile.

        Args:
            job_ids: These; `None`: all. Those that are queued or running are left alone.

        Raises:
            ConfigurationError: Something is no id of a job, or there are too many of them.
        """
        return run(self._flows.retry(job_ids))

    async def aretry(self, job_ids: Sequence[int] | None = None) -> int:
        """Queue jobs again that were given up; see `retry`."""
        return await arun(self._flows.retry(job_ids))

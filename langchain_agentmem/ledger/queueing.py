"""What a write transaction can do with the jobs of its subject."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from langchain_agentmem.types.asking import Asks

ASKS: Final[Asks] = {
    **dict.fromkeys(("check_job", "waiting_jobs"), "read"),
    **dict.fromkeys(("enqueue", "enqueue_once", "postpone_job", "finish_job"), "write"),
    **dict.fromkeys(("cancel_jobs", "drop_job"), "write"),
    "redact_jobs": "erase",
}
"""What each method of `JobWriter` asks the application about."""


class JobWriter(ABC):
    """Queues durable jobs, and takes them out of the queue, together with what they follow from."""

    @abstractmethod
    def enqueue(
        self,
        kind: str,
        payload: Mapping[str, Any],
        run_at: datetime | None,
        words: bytes | None = None,
        *,
        key: str | None = None,
    ) -> int:
        """Queue a durable job of this subject; it exists exactly if the transaction is committed. Return its id.

        Args:
            kind: Says who does it.
            payload: Ids and settings, kept as they are.
            run_at: Not before; `None`: at once, whatever the clock of who does it.
            words: Sealed like any text of the subject's; `unsealed` returns them.
            key: Names what is to be done, in letters and digits: where the subject has a job of this kind and key, be
                it waiting, given up, or done not long ago, it is that one, and nothing is queued.
        """

    @abstractmethod
    def enqueue_once(self, kind: str, run_at: datetime | None) -> None:
        """See that a job of a kind waits that is due by then: whoever asks for it shares it, and may hasten it."""

    @abstractmethod
    def postpone_job(self, kind: str, payload: Mapping[str, Any], run_at: datetime | None) -> None:
        """See that one job of the subject's with this payload waits, and is due then; what waits is moved there."""

    @abstractmethod
    def finish_job(self, job_id: int, lease: str) -> None:
        """Remove a job together with what this transaction writes for it: so it is done once, or not at all.

        Of one that was queued with a key, the key stays for a while.

        Raises:
            ConflictError: It is not held under this lease any more: done already, cancelled, given up after its last
                attempt, or another worker's. Of a job that was given up nothing is written late; `retry` it instead.
        """

    @abstractmethod
    def check_job(self, job_id: int, lease: str) -> None:
        """See that a job still is this worker's, and stays so to the end of the transaction.

        For what is written for it before its end.

        Raises:
            ConflictError: It is not held under this lease any more; see `finish_job`.
        """

    @abstractmethod
    def cancel_jobs(self, kind: str, session_id: str | None, *, of_every_agent: bool = False) -> int:
        """Remove the subject's jobs of a kind, of one session or of all; return how many there were.

        Those of another agent stay, unless it is `of_every_agent`. One that cannot be read goes in any case.
        """

    @abstractmethod
    def redact_jobs(self, kind: str, left_of: Callable[[bytes], bytes | None]) -> int:
        """Change the words of the subject's jobs of a kind, of every session and agent; return of how many.

        One that is being done is taken from its worker, which then writes nothing for it, and begun anew. Words that
        cannot be read go with their job.

        Args:
            kind: Which.
            left_of: Returns what is left of the words of a job; `None`: nothing, and the job goes.
        """

    @abstractmethod
    def waiting_jobs(self, kind: str) -> list[tuple[int, Mapping[str, Any]]]:
        """Return the subject's jobs of a kind that are not done, with what they carry, in the order of their ids.

        One that cannot be read is left out.
        """

    @abstractmethod
    def drop_job(self, job_id: int) -> None:
        """Remove a job of this subject's, whoever works at it: what it was to do is done. One that is gone is no error.

        Only for what may be done twice: the worker is not told.
        """

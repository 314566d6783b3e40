"""The flows behind `Jobs`: work that follows a write is run in order, retried, never lost with the process."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from time import monotonic, sleep
from types import MappingProxyType
from typing import Final, Literal, TypeAlias, get_args

from langchain_agentmem._away import NOT, patience_with
from langchain_agentmem._checks import check_choice, check_count
from langchain_agentmem._flow import Flow, run, step, whole
from langchain_agentmem._heartbeat import Pace, beating
from langchain_agentmem.access.flows import unasked_flow
from langchain_agentmem.errors import AgentMemError, ConfigurationError
from langchain_agentmem.jobs.taken_in import TakenIn
from langchain_agentmem.ledger.sql.job_states import JobState, JobStatus
from langchain_agentmem.ledger.sql.jobs import LEASE_S, Job, SQLJobs, Standing
from langchain_agentmem.ledger.standing import UNENDING_JOBS
from langchain_agentmem.sessions.base import check_owner
from langchain_agentmem.types import Scope
from langchain_agentmem.types.paging import Order, Page, check_limit

LOGGER: Final = logging.getLogger("langchain_agentmem")
BATCH: Final = 100
MAX_BATCH: Final = 1_000
"""Jobs leased or retried at once at most."""

_LISTED: Final = Order("jobs.list", (int,))

BEAT_S: Final = LEASE_S / 3
"""Between two renewals of a lease: two may fail before it ends."""

LOOK_S: Final = 0.05
"""Between two looks at whether another worker has done its job: a twentieth of what a reader notices."""

HOLD_S: Final = 3_600.0
"""As long as jobs are held at most; a call that never returns must not hold up those behind it for ever."""

SWEEP_EVERY: Final = timedelta(hours=1)
"""As long as a write may wait for its checkpoint before it counts as left behind."""

NOT_YET: Final = "another worker is at them, or there was no time left"
"""Why jobs are left that have not failed."""

PUT_OFF: Final = "their time has not come; the clock of a host that queued them may be ahead"
"""Why jobs are left that nobody may begin."""

MAX_ID: Final = 2**63 - 1
"""What the databases can hold."""

Handler = Callable[[Job], Flow[TakenIn | None]]
Asked: TypeAlias = Callable[[Scope], Flow[None]]
_End: TypeAlias = Literal["done", "failed", "away"]
_Held: TypeAlias = list[Job]

MAX_TAKEN_IN: Final = 1_000
"""Turns of which a report tells what they left: a run that works off a long queue holds no more of it."""

IN_A_ROW: Final = 10
"""After so many jobs of a kind that met something that is away, a run leaves the rest of that kind to the next one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobReport:
    """What a run of the queue did.

    Attributes:
        done: Jobs, and rounds. `failed`: those that come again, or were given up.
        taken_in: What the turns and conversations left that were taken in, in that order; the last thousand of them.
    """

    done: int = 0
    failed: int = 0
    taken_in: tuple[TakenIn, ...] = ()


class _Ends:
    """How the jobs of a run ended, and which kinds it leaves alone from now on."""

    def __init__(self) -> None:
        self.done = self.failed = 0
        self.taken_in: deque[TakenIn] = deque(maxlen=MAX_TAKEN_IN)
        self._away: Counter[str] = Counter()

    def note(self, kind: str, end: _End) -> None:
        """Count a job."""
        self.done += end == "done"
        self.failed += end != "done"
        self._away[kind] = self._away[kind] + 1 if end == "away" else 0

    def left(self, kinds: Iterable[str]) -> list[str]:
        """Return those of some kinds that are still worth a try."""
        return [kind for kind in kinds if self._away[kind] < IN_A_ROW]


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """Work that comes round again: one standing job, at each turn of which one process does it.

    Args:
        id: Of the job, below 0 and never another's.
        every: From the end of a turn to the next, and from the beginning of one whose worker ended without a word.
    """

    id: int
    kind: str
    do: Handler
    every: timedelta = SWEEP_EVERY


class JobFlows:
    """What `Jobs` promises, as flows; whoever goes on after a write runs jobs by them."""

    def __init__(
        self,
        queue: SQLJobs,
        handlers: Mapping[str, Handler],
        withheld: Callable[[], Flow[Collection[str]]] | None = None,
        rounds: Sequence[Round] = (),
        slow: Mapping[str, Handler] = MappingProxyType({}),
    ) -> None:
        """Compose.

        Args:
            queue: Where jobs wait.
            handlers: Who does which kind.
            withheld: Tells which kinds have to wait as things are now.
            rounds: What is done without being asked.
            slow: Who does kinds that may wait for a model: leased one at a time, those of each user in the order in
                which they were queued. After each of them, what has become due of the other kinds is done.
        """
        self._queue = queue
        self._handlers = handlers
        self._withheld = withheld
        self._rounds = tuple(rounds)
        self._slow = slow
        self._asked: Asked | None = None

    def with_rounds(
        self,
        rounds: Sequence[Round],
        slow: Mapping[str, Handler] = MappingProxyType({}),
        quick: Mapping[str, Handler] = MappingProxyType({}),
        *,
        asked: Asked | None = None,
    ) -> JobFlows:
        """Return the same queue with rounds, slow and more quick kinds; who runs it after a write goes on without.

        `asked`: asks whether what waits of a user may be read.
        """
        made = JobFlows(self._queue, {**self._handlers, **quick}, self._withheld, rounds, slow)
        made._asked = asked
        return made

    def list(
        self, status: JobStatus | None, scope: Scope | None, limit: int, cursor: str | None
    ) -> Flow[Page[JobState]]:
        """Return how jobs stand, the oldest first."""
        start, limit = _LISTED.start(cursor), check_limit(limit)
        if status is not None:
            check_choice("status", status, get_args(JobStatus))
        if scope is not None:
            check_owner(scope)
            if self._asked is not None:
                yield from self._asked(scope)
        after = None if start is None else start[0]
        found = yield from self._queue.states(status, scope, limit + 1, after)
        return _LISTED.page(found, limit, lambda it: (it.id,))

    def counts(self) -> Flow[dict[str, int]]:
        """Return how many jobs are in each status."""
        return self._queue.counts()

    def retry(self, job_ids: Sequence[int] | None) -> Flow[int]:
        """Queue jobs again that were given up or are waiting; return how many."""
        return self._queue.retry(_checked_ids(job_ids))

    def run(self, limit: int = BATCH) -> Flow[JobReport]:
        """Run due jobs."""
        ends = _Ends()
        yield from self._run_due(_checked_limit(limit), ends)
        yield from self._run_slow(limit, ends)
        if self._rounds:
            yield from self._queue.stand([Standing(it.id, it.kind, it.every) for it in self._rounds])
        for each in self._rounds:
            claim = self._queue.claim(1, [each.kind], each.every)
            yield from self._under_lease(claim, partial(self._run_round, each, ends))
        return JobReport(done=ends.done, failed=ends.failed, taken_in=tuple(ends.taken_in))

    def settle(self, scope: Scope, kinds: Sequence[str], within_s: float) -> Flow[str | None]:
        """Do what waits of a user's slow jobs of some kinds, so that what they write can be read.

        Those that another worker is at are waited for. No job is begun, and none waited for, after `within_s` seconds.
        One that failed and is to be tried again later is not waited for, nor what is behind it.

        Returns:
            Why one is left that is not given up; `None`: none is.
        """
        ends = monotonic() + within_s
        mine = [kind for kind in kinds if kind in self._slow]
        while (left := (yield from self._queue.outstanding(scope, mine))) is not None:
            is_at_hand, error = left
            if not is_at_hand or monotonic() >= ends:
                return error or (NOT_YET if is_at_hand else PUT_OFF)
            claim = self._queue.claim_of(scope, mine)
            if not (yield from self._under_lease(claim, partial(self._run_held, self._slow, _Ends()))):
                yield from step(sleep, asyncio.sleep, LOOK_S)
        return None

    def _run_due(self, limit: int, ends: _Ends) -> Flow[None]:
        """Run quick jobs until none is left, but for those that need what is away."""
        run_quickly = partial(self._run_held, self._handlers, ends)
        while kinds := ends.left((yield from self._kinds())):
            if not (yield from self._under_lease(self._queue.claim(limit, kinds), run_quickly)):
                return

    def _run_slow(self, limit: int, ends: _Ends) -> Flow[None]:
        """Run slow jobs, one at a time, and what they or time made due: a long queue of them holds nothing up."""
        run_slowly = partial(self._run_held, self._slow, ends)
        while kinds := ends.left(self._slow):
            if not (yield from self._under_lease(self._queue.claim(1, kinds, in_order=True), run_slowly)):
                return
            yield from self._run_due(limit, ends)

    def _under_lease(self, claim: Flow[_Held], do: Callable[[Sequence[Job]], Flow[None]]) -> Flow[bool]:
        """Do the jobs that are leased, and return whether there were any; who is broken off gives back what is left."""
        held: _Held = []

        def taken() -> Flow[None]:
            held.extend((yield from claim))

        try:
            yield from whole(taken())
            if held:
                yield from do(held)
        except Exception:
            raise
        except GeneratorExit:  # closed, not cancelled: nothing can be awaited any more
            run(self._given_back(held))
            raise
        except BaseException:  # cancelled, or interrupted
            yield from whole(self._given_back(held))
            raise
        return bool(held)

    def _given_back(self, held: Sequence[Job]) -> Flow[None]:
        try:
            if held:
                yield from self._queue.release(held[0].lease)
        except AgentMemError as error:  # they come back by themselves when the lease ends
            LOGGER.warning("jobs could not be given back: %s", type(error).__name__)

    def _run_round(self, each: Round, ends: _Ends, claimed: Sequence[Job]) -> Flow[None]:
        ends.note(each.kind, (yield from self._run_one(claimed[0], each.do, ends, each.every)))

    def _run_held(self, handlers: Mapping[str, Handler], ends: _Ends, claimed: Sequence[Job]) -> Flow[None]:
        """Run what was leased, and renew the lease beside it."""
        pace = Pace(every_s=BEAT_S, most=round(HOLD_S / BEAT_S))
        renewed = partial(self._queue.renew, claimed[0].lease)
        yield from beating(self._run_all(claimed, handlers, ends), renewed, pace)

    def _run_all(self, claimed: Sequence[Job], handlers: Mapping[str, Handler], ends: _Ends) -> Flow[None]:
        for job in claimed:
            ends.note(job.kind, (yield from self._run_one(job, handlers[job.kind], ends)))

    def _kinds(self) -> Flow[Sequence[str]]:
        withheld = () if self._withheld is None else (yield from self._withheld())
        return [kind for kind in self._handlers if kind not in withheld]

    def _run_one(self, job: Job, handler: Handler, ends: _Ends, every: timedelta | None = None) -> Flow[_End]:
        try:
            left = yield from unasked_flow(job.scope, handler(job))
        except Exception as error:  # noqa: BLE001  (whatever a rule, a model or an index of the application's raises)
            return (yield from self._put_back(job, error))
        if left is not None:
            ends.taken_in.append(left)
        if every is None:
            yield from self._queue.finish(job)
        else:
            yield from self._queue.again(job, every)
        if job.was_away:
            yield from self._queue.hasten(job.kind)
        return "done"

    def _put_back(self, job: Job, error: Exception) -> Flow[_End]:
        """Queue a job for later: one that needs what is away waits for it, another one has so many attempts."""
        name = type(error).__name__
        said = f": {error}" if isinstance(error, AgentMemError) else ""  # others may quote what somebody said
        if self._waits(job, error):
            LOGGER.warning("job %s (%s) waits: %s; it is tried again within two minutes", job.id, job.kind, name)
            yield from self._queue.put_off(job, name + said)
            return "away"
        LOGGER.warning("job %s (%s) failed at attempt %s", job.id, job.kind, job.attempts)
        yield from self._queue.fail(job, name + said)
        return "failed"

    def _waits(self, job: Job, error: Exception) -> bool:
        """Whether the attempt does not count: what a user asked to have deleted never does, a round's always does.

        What has to follow a write waits without end. A turn or a conversation holds up the next ones of its user, and
        it may be its own words that a model fails at: so it waits some days.
        """
        if job.kind in UNENDING_JOBS:
            return True
        patience = NOT if job.id < 0 else patience_with(error)
        return patience > NOT and (job.kind in self._handlers or self._queue.age(job) < patience)


def _checked_limit(limit: object) -> int:
    return check_count("limit", limit, most=MAX_BATCH)


def _checked_ids(job_ids: object) -> Sequence[int] | None:
    if job_ids is None:
        return None
    if not isinstance(job_ids, (list, tuple)) or len(job_ids) > MAX_BATCH:
        msg = f"job_ids must be a list of at most {MAX_BATCH} ids, or None for all; `list` shows them"
        raise ConfigurationError(msg)
    for it in job_ids:
        if isinstance(it, bool) or not isinstance(it, int) or not 0 < it <= MAX_ID:
            msg = f"job_ids holds {it!r}, which is no id of a job; `list` shows them"
            raise ConfigurationError(msg)
    return job_ids

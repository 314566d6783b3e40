"""Who is broken off in the middle of a job gives it back: nobody waits for the end of a lease that nobody needs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from time import sleep
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem._flow import Flow, run, step, whole
from langchain_agentmem.errors import StorageError
from langchain_agentmem.jobs import JobFlows, Round
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.ledger.sql.jobs import Job, SQLJobs
from langchain_agentmem.sql.engine import Database
from tests.conftest import Colour
from tests.fake_chat_model import ScriptedChatModel
from tests.ledgers import Clock, drive_of, queue_job
from tests.unit_tests.faces.either import agent_of
from tests.unit_tests.faces.scripted import ScriptedModel

KIND = "index"
NOTHING_KEPT = '{"memories": []}'
LONG_S = 30.0


class Work:
    """A handler that does not come back the first time: it is interrupted, or waits until it is cancelled."""

    def __init__(self, *, is_endless: bool = False) -> None:
        self.begun = asyncio.Event()
        self.done: list[int] = []
        self.is_endless = is_endless

    def __call__(self, job: Job) -> Flow[None]:
        yield from step(self._block, self._wait)
        self.done.append(job.id)

    def _block(self) -> None:
        if not self.begun.is_set():
            self.begun.set()
            raise KeyboardInterrupt

    async def _wait(self) -> None:
        if not self.begun.is_set():
            self.begun.set()
            await asyncio.sleep(LONG_S)


async def broken_off(flow: Flow[Any], begun: asyncio.Event, colour: Colour) -> None:
    """Run a flow until it is interrupted, or cancelled once it has begun."""
    if colour == "sync":
        with pytest.raises(KeyboardInterrupt):
            await drive_of(colour)(flow)
        return
    task = asyncio.ensure_future(drive_of(colour)(flow))
    await asyncio.wait_for(begun.wait(), LONG_S)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.fixture
def ledger(sql_url: str) -> Iterator[SQLLedger]:
    database = Database(sql_url)
    yield SQLLedger(database, clock=Clock())
    database.close()


@pytest.fixture
def queue(ledger: SQLLedger) -> SQLJobs:
    return SQLJobs(ledger.database, Clock())


def made(queue: SQLJobs, work: Work, kind: str) -> JobFlows:
    """Jobs of a quick kind, of a slow one, or a round."""
    jobs = JobFlows(queue, {} if kind != "quick" else {KIND: work})
    if kind == "round":
        return jobs.with_rounds([Round(id=-7, kind="round", every=timedelta(hours=1), do=work)])
    return jobs.with_rounds([], {KIND: work}) if kind == "slow" else jobs


@pytest.mark.parametrize("kind", ["quick", "slow", "round"])
async def test_jobs_of_a_worker_that_is_broken_off_are_due_at_once(
    ledger: SQLLedger, queue: SQLJobs, colour: Colour, kind: str
) -> None:
    """All that it held, with no attempt counted; the next run does them, and each once."""
    drive, work = drive_of(colour), Work()
    for _ in range(3 if kind != "round" else 0):
        await drive(queue_job(ledger, KIND, {}))
    jobs = made(queue, work, kind)
    await broken_off(jobs.run(), work.begun, colour)
    assert [(it.status, it.attempts) for it in await drive(queue.states(None, None, 10))] == [("queued", 0)] * (
        3 if kind != "round" else 0
    )
    assert (await drive(jobs.run())).done == len(work.done) == (3 if kind != "round" else 1)


async def test_what_is_leased_while_its_worker_is_cancelled_is_given_back(ledger: SQLLedger, queue: SQLJobs) -> None:
    """The lease is taken in a thread that goes on: it is waited for, and given back then."""
    drive, begun = drive_of("async"), asyncio.Event()
    claim = queue.claim

    def slowly(*given: Any, **options: Any) -> Flow[list[Job]]:
        async def wait() -> None:
            begun.set()
            await asyncio.sleep(0.05)

        yield from step(lambda: None, wait)
        return (yield from claim(*given, **options))

    queue.claim = slowly  # type: ignore[method-assign]  # as slow as a database in another place
    await drive(queue_job(ledger, KIND, {}))
    await broken_off(JobFlows(queue, {KIND: Work()}).run(), begun, "async")
    assert [(it.status, it.attempts) for it in await drive(queue.states(None, None, 10))] == [("queued", 0)]


def test_a_worker_that_is_closed_gives_back_its_jobs(ledger: SQLLedger, queue: SQLJobs) -> None:
    """As a loop that ends closes what is left in it: nothing can be awaited any more."""
    run(queue_job(ledger, KIND, {}))
    work = Work()
    flow = JobFlows(queue, {KIND: work}).run()
    waiting = next(flow)
    while waiting.blocking != work._block:
        waiting = flow.send(waiting.blocking(*waiting.args))
    flow.close()
    assert run(queue.counts()) == {"queued": 1}


async def test_a_database_that_is_away_hides_no_cancellation(
    ledger: SQLLedger, queue: SQLJobs, colour: Colour, caplog: pytest.LogCaptureFixture
) -> None:
    """Where the jobs cannot be given back, their lease ends by itself."""
    await drive_of(colour)(queue_job(ledger, KIND, {}))

    def away(_: str) -> Flow[None]:
        yield from ()
        msg = "away"
        raise StorageError(msg)

    queue.release = away  # type: ignore[method-assign,assignment]  # a server that is gone
    work = Work()
    await broken_off(JobFlows(queue, {KIND: work}).run(), work.begun, colour)
    assert "jobs could not be given back: StorageError" in caplog.text


async def test_a_flow_that_is_waited_for_ends_before_its_caller_is_cancelled(colour: Colour) -> None:
    """What it returns is returned, and its own error raised."""
    drive, begun, ended = drive_of(colour), asyncio.Event(), []

    def flow(error: Exception | None = None) -> Flow[str]:
        async def wait() -> None:
            begun.set()
            await asyncio.sleep(0.02)

        yield from step(lambda: sleep(0), wait)
        ended.append(1)
        if error:
            raise error
        return "done"

    assert await drive(whole(flow())) == "done"
    with pytest.raises(ValueError, match="no"):
        await drive(whole(flow(ValueError("no"))))
    if colour == "async":
        begun.clear()
        await broken_off(whole(flow(ValueError("nobody is left to see it"))), begun, colour)
        assert len(ended) == 3


class Hanging(ScriptedChatModel):
    """Never answers the first time."""

    begun: Any = None

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        if not self.begun.is_set():
            self.begun.set()
            raise KeyboardInterrupt
        return ChatResult(generations=[ChatGeneration(message=self.script[0])])

    async def _agenerate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        if not self.begun.is_set():
            self.begun.set()
            await asyncio.sleep(LONG_S)
        return self._generate(messages)


@pytest.mark.parametrize("kind", ["graph", "agent"])
async def test_a_turn_that_is_cancelled_makes_no_later_one_wait(colour: Colour, kind: str) -> None:
    """It was at what the turn before had left; the next turn does that, and says so."""
    begun = asyncio.Event()
    model = Hanging(script=[AIMessage(NOTHING_KEPT)], begun=begun)
    with AgentMemory.in_memory(embeddings=None, consent="assumed", model=model) as memory:
        agent = agent_of(kind, memory, ScriptedModel(script=["Fine."] * 4))

        def say(thread: str) -> Flow[Any]:
            config = {"configurable": {"user_id": "alice", "thread_id": thread}}
            given = {"messages": [("user", "My friend is called Name.")]}
            return step(lambda: agent.invoke(given, config), lambda: agent.ainvoke(given, config))

        await drive_of(colour)(say("a"))
        await broken_off(say("b"), begun, colour)
        assert [(it.status, it.attempts) for it in memory.jobs.list(scope=Scope("alice"))] == [("queued", 0)]
        assert (await drive_of(colour)(say("c")))["memory"]["status"] == "ok"

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress

import pytest
from langchain_core.messages import BaseMessage

from langchain_agentmem._flow import arun
from langchain_agentmem.errors import ConflictError
from tests.integration_tests.by_hand import contents, steps
from tests.integration_tests.conversing import (
    SOAK,
    Durability,
    Graph,
    answering,
    finish,
    on,
    open_history,
    open_saver,
    pair_of,
    question,
    said_in,
)

ROUNDS = 30 * SOAK
MS = 0.001


async def a_moment(chance: random.Random, most_s: float) -> None:
    """Let other tasks go on: for some turns of the event loop, or for some time, as a network needs."""
    for _ in range(chance.randrange(12)):
        await asyncio.sleep(0)
    if chance.random() < 0.6:
        await asyncio.sleep(chance.random() ** 3 * most_s)  # mostly short: Redis is faster than PostgreSQL


async def test_a_cancelled_add_is_there_whole_or_not_at_all(store_url: str) -> None:
    """Cancelled at a random point beside reads, of which one is cancelled too: no answer is another one's."""
    chance, acknowledged = random.Random(20_260_305), 0
    async with AsyncExitStack() as stack:
        history, *others = [await stack.enter_async_context(open_history(store_url, f"s{it}")) for it in range(4)]
        for other, it in enumerate(others):
            await it.aadd_messages([message for number in range(other + 1) for message in pair_of(other, number)])
        expected: list[BaseMessage] = []
        for number in range(ROUNDS):
            adding = asyncio.ensure_future(history.aadd_messages(pair_of("a", number)))
            reading = [asyncio.ensure_future(it.aget_messages()) for it in others]
            await a_moment(chance, 10 * MS)
            for task in (adding, chance.choice(reading)):
                task.cancel()
            is_added, *read = await asyncio.gather(adding, *reading, return_exceptions=True)
            check_reads(read)
            found = await history.aget_messages()
            assert found in [expected, [*expected, *pair_of("a", number)]][is_added is None :]
            expected, acknowledged = found, acknowledged + (is_added is None)
        assert acknowledged > 0


def check_reads(outcomes: Sequence[object]) -> None:
    """Each reader got its own session, or was cancelled."""
    for other, outcome in enumerate(outcomes):
        own = [message for number in range(other + 1) for message in pair_of(other, number)]
        assert outcome == own or isinstance(outcome, asyncio.CancelledError)


async def test_a_cancelled_put_is_there_whole_or_not_at_all(store_url: str) -> None:
    """Cancelled at a random point and repeated: the thread is what it would be had nothing been cancelled."""
    chance, count = random.Random(20_260_306), ROUNDS // 2
    async with open_saver(store_url) as saver:
        outcomes: list[object] = []
        for mine, other in zip(steps("t", count), steps("clean", count), strict=True):
            await arun(other.on(saver))
            putting = asyncio.ensure_future(arun(mine.on(saver)))
            reading = asyncio.ensure_future(saver.aget_tuple(on("clean")))
            await a_moment(chance, 10 * MS)
            putting.cancel()
            outcomes += await asyncio.gather(putting, return_exceptions=True)
            latest = await reading
            assert latest is not None
            assert latest.config["configurable"]["thread_id"] == "clean"
            await arun(mine.on(saver))
        assert contents(saver, "t") == contents(saver, "clean")
        assert any(not isinstance(it, asyncio.CancelledError) for it in outcomes)


@pytest.mark.parametrize("durability", ["sync", "async"])
async def test_a_cancelled_run_is_gone_on_with(store_url: str, durability: Durability) -> None:
    """Cancelled at a random point: turns that were taken stay, and the one that was not is there once it is resumed."""
    chance, expected = random.Random(20_260_307), list[str]()
    async with open_saver(store_url) as saver:
        graph = answering(saver)
        for number in range(ROUNDS // 3):
            running = asyncio.ensure_future(graph.ainvoke(question(str(number)), on("t"), durability=durability))
            await a_moment(chance, 25 * MS)
            running.cancel()
            outcome: object = (await asyncio.gather(running, return_exceptions=True))[0]
            assert isinstance(outcome, dict | asyncio.CancelledError)
            expected += [str(number), f"re {number}"]
            assert said_in(graph) == expected or not isinstance(outcome, dict)
            await resume(graph, str(number))
            assert said_in(graph) == expected


async def resume(graph: Graph, text: str) -> None:
    """Go on with a turn; LangGraph does not always wait for the puts of a run that was cancelled."""
    while True:
        with suppress(ConflictError):
            return await arun(finish(graph, text))

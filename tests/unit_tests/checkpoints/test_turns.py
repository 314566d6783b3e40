from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from langchain_agentmem.checkpoints import turns as turns_
from langchain_agentmem.checkpoints.turns import Turns


def test_a_turn_is_one_at_a_time() -> None:
    """Eight threads count without a lock of their own; another thread's turn is its own matter."""
    turns, count = Turns(), [0]

    def work(_: int) -> None:
        assert turns.take("t") or turns.enter("t")
        count[0] += 1
        assert count[0] == 1
        count[0] -= 1
        turns.end("t")

    assert turns.take("other")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(400)))
    assert turns.take("t")


async def test_tasks_take_turns_in_order() -> None:
    """The first that came is the first served, and nobody waits for nothing."""
    turns, done = Turns(), list[int]()
    assert turns.take("t")

    async def work(number: int) -> None:
        assert await turns.aenter("t")
        done.append(number)
        turns.end("t")

    tasks = [asyncio.create_task(work(it)) for it in range(5)]
    await asyncio.sleep(0)
    turns.end("t")
    await asyncio.gather(*tasks)
    assert done == [0, 1, 2, 3, 4]
    assert turns.take("t")


async def test_threads_and_tasks_take_turns_with_each_other() -> None:
    """A thread gives its turn to a task, and a task to a thread."""
    turns = Turns()
    assert turns.take("t")
    task = asyncio.create_task(turns.aenter("t"))
    await asyncio.sleep(0)
    thread = asyncio.create_task(asyncio.to_thread(turns.enter, "t"))
    turns.end("t")
    assert await task
    turns.end("t")
    assert await thread


async def test_who_is_cancelled_stands_in_nobodys_way() -> None:
    """Also where the turn came at that very moment."""
    for is_given in (False, True):
        turns = Turns()
        assert turns.take("t")
        waiting = asyncio.create_task(turns.aenter("t"))
        await asyncio.sleep(0)
        if is_given:
            turns.end("t")
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        if not is_given:
            turns.end("t")
        assert turns.take("t")


async def test_who_waited_too_long_goes_without(monkeypatch: pytest.MonkeyPatch) -> None:
    """Redis decides anyway; the turn is still the other's."""
    monkeypatch.setattr(turns_, "PATIENCE_S", 0.01)
    turns = Turns()
    assert turns.take("t")
    assert not turns.enter("t")
    assert not await turns.aenter("t")
    turns.end("t")
    assert turns.take("t")


def test_a_turn_skips_who_waited_in_a_loop_that_is_closed() -> None:
    """The next one gets it."""
    turns = Turns()
    assert turns.take("t")

    def wake() -> None:
        raise RuntimeError

    assert not turns._is_next("t", wake)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(turns.enter, "t")
        while len(turns._queues["t"]) < 2:
            time.sleep(0.001)
        turns.end("t")
        assert waiting.result(5)
